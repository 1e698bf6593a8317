// Laws of `cron` over random expressions, zones, policies and instants. RapidCheck shrinks a
// counter-example and prints how to run it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/utc.hpp"
#include "weir/cron.hpp"

namespace weir {
namespace {

using std::chrono::seconds;
using texts = std::vector<std::string>;

std::string number_in(int least, int most) {
  return std::to_string(*rc::gen::inRange(least, most + 1));
}

std::string item(int least, int most, bool wraps) {
  const int first = *rc::gen::inRange(least, most + 1);
  const int last = wraps ? *rc::gen::inRange(least, most + 1) : *rc::gen::inRange(first, most + 1);
  const std::string range = std::to_string(first) + "-" + std::to_string(last);
  switch (*rc::gen::weightedElement<int>({{4, 0}, {2, 1}, {1, 2}, {1, 3}})) {
    case 0:
      return std::to_string(first);
    case 1:
      return range;
    case 2:
      return range + "/" + number_in(1, most - least);
    default:
      return std::to_string(first) + "/" + number_in(1, most - least);
  }
}

texts items(int least, int most, bool wraps) {
  texts all;
  const int count = *rc::gen::weightedElement<int>({{6, 1}, {2, 2}, {1, 3}});
  for (int i = 0; i < count; ++i) all.push_back(item(least, most, wraps));
  return all;
}

std::string joined(const texts& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ",") + one;
  return text;
}

std::string field(int least, int most, bool wraps, int stars) {
  const int kind = *rc::gen::inRange(0, 10);
  if (kind < stars) return "*";
  if (kind == stars) return "*/" + number_in(1, most - least);
  return joined(items(least, most, wraps));
}

std::string month_day() {
  switch (*rc::gen::inRange(0, 12)) {
    case 0:
      return "L";
    case 1:
      return "L-" + number_in(1, 20);
    case 2:
      return number_in(1, 28) + "W";
    case 3:
      return "LW";
    default:
      return field(1, 28, false, 6);
  }
}

std::string week_day() {
  switch (*rc::gen::inRange(0, 12)) {
    case 0:
      return number_in(0, 7) + "L";
    case 1:
      return number_in(0, 7) + "#" + number_in(1, 4);
    default:
      return field(0, 7, true, 6);
  }
}

std::string random_expression() {
  std::string text;
  if (*rc::gen::inRange(0, 4) == 0) text = field(0, 59, false, 2) + " ";
  return text + field(0, 59, false, 2) + " " + field(0, 23, true, 3) + " " + month_day() + " " +
         field(1, 12, true, 6) + " " + week_day();
}

cron random_cron() {
  const auto zone = *rc::gen::element<std::string>(
      "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia",
      "Africa/Casablanca", "America/Sao_Paulo", "Asia/Gaza", "Europe/Dublin", "Antarctica/Troll");
  cron_options options;
  if (*rc::gen::arbitrary<bool>()) options.gap = *rc::gen::element(cron_gap::shift, cron_gap::skip);
  if (*rc::gen::arbitrary<bool>()) {
    options.fold = *rc::gen::element(cron_fold::first, cron_fold::second, cron_fold::both);
  }
  try {
    return cron(random_expression(), zone, options);
  } catch (const cron_error& error) {
    // Days such as */20 and 5#2 never meet; nothing else here may be refused.
    RC_ASSERT(error.trouble().find("never occurs") != std::string_view::npos);
    RC_DISCARD("never occurs");
  }
}

// Often near a change of some zone, else anywhere from 1950 to 2100.
cron::time_point random_instant() {
  const auto anchor = *rc::gen::element<std::int64_t>(1'774'746'000, 1'792'890'000, 1'772'953'200,
                                                      1'793'512'800, 1'325'239'200, 1'759'591'800);
  const bool near = *rc::gen::arbitrary<bool>();
  const auto at = near ? anchor + *rc::gen::inRange<std::int64_t>(-100'000, 100'000)
                       : *rc::gen::inRange<std::int64_t>(-631'152'000, 4'102'444'800);
  return cron::time_point(seconds(at));
}

std::string told(const cron& of, cron::time_point at) {
  return of.expression() + " in " + of.zone() + " at " + testing::utc_text(at);
}

RC_GTEST_PROP(cron_laws, C7_next_is_the_first_match, ()) {
  const cron of = random_cron();
  const auto at = random_instant();
  RC_LOG() << told(of, at) << "\n";
  const auto next = of.next(at);
  if (next) {
    RC_ASSERT(*next > at);
    RC_ASSERT(of.matches(*next));
  }
  const auto end = std::min(next.value_or(cron::time_point::max()), at + seconds(20'000));
  for (auto between = at + seconds(1); between < end; between += seconds(1)) {
    RC_ASSERT(!of.matches(between));
  }
}

RC_GTEST_PROP(cron_laws, C7_prev_is_the_last_match, ()) {
  const cron of = random_cron();
  const auto at = random_instant();
  RC_LOG() << told(of, at) << "\n";
  const auto prev = of.prev(at);
  if (prev) {
    RC_ASSERT(*prev < at);
    RC_ASSERT(of.matches(*prev));
  }
  const auto begin = std::max(prev.value_or(cron::time_point::min()), at - seconds(20'000));
  for (auto between = at - seconds(1); between > begin; between -= seconds(1)) {
    RC_ASSERT(!of.matches(between));
  }
}

RC_GTEST_PROP(cron_laws, C7_next_and_prev_undo_each_other, ()) {
  const cron of = random_cron();
  const auto at = random_instant();
  RC_LOG() << told(of, at) << "\n";
  auto here = of.next(at);
  for (int i = 0; i < 30 && here; ++i) {
    const auto there = of.next(*here);
    if (there) RC_ASSERT(of.prev(*there) == here);
    here = there;
  }
}

RC_GTEST_PROP(cron_laws, C7_a_later_question_has_no_earlier_answer, ()) {
  const cron of = random_cron();
  const auto one = random_instant();
  const auto other = random_instant();
  RC_LOG() << told(of, one) << "\n";
  const auto first = of.next(std::min(one, other)).value_or(cron::time_point::max());
  const auto second = of.next(std::max(one, other)).value_or(cron::time_point::max());
  RC_ASSERT(first <= second);
  if (first > std::max(one, other)) RC_ASSERT(first == second);
}

RC_GTEST_PROP(cron_laws, C7_the_order_of_a_list_does_not_matter, ()) {
  texts minutes = items(0, 59, false);
  texts hours = items(0, 23, true);
  texts days = items(0, 7, true);
  const auto text = [&] { return joined(minutes) + " " + joined(hours) + " * * " + joined(days); };
  const cron one(text(), "Europe/Berlin");
  std::reverse(minutes.begin(), minutes.end());
  std::rotate(hours.begin(), hours.begin() + 1, hours.end());
  std::reverse(days.begin(), days.end());
  const cron other(text(), "Europe/Berlin");
  auto at = random_instant();
  for (int i = 0; i < 20; ++i) {
    const auto next = one.next(at);
    RC_ASSERT(next == other.next(at));
    at = *next;
  }
  RC_ASSERT(one.describe() == other.describe());
}

}  // namespace
}  // namespace weir
