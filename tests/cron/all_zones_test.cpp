// Every zone of the system, every change of its offset from 2000 to 2040: what weir says against a
// walk over the minutes around the change. The walk takes local time from the C library, which
// reads the same files by its own code, and decides by the words of docs/design/cron.md alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cron/parser.hpp"
#include "cron/pattern.hpp"
#include "cron/zones.hpp"
#include "support/utc.hpp"
#include "weir/cron.hpp"

namespace weir {
namespace {

using cron_room::local_second;
using cron_room::utc_second;

constexpr utc_second k_minute = 60;
constexpr utc_second k_hour = 3600;

// The C library's idea of a zone, for as long as this lives.
class libc_zone {
 public:
  explicit libc_zone(const std::string& name) {
    ::setenv("TZ", (":" + name).c_str(), 1);
    ::tzset();
  }
  ~libc_zone() {
    ::unsetenv("TZ");
    ::tzset();
  }
  libc_zone(const libc_zone&) = delete;
  libc_zone& operator=(const libc_zone&) = delete;

  [[nodiscard]] std::int64_t offset(utc_second at) const {
    const std::time_t when = at;
    std::tm civil{};
    ::localtime_r(&when, &civil);
    return civil.tm_gmtoff;
  }
};

// The instants at which the offset changes, found by bisection of days.
std::vector<utc_second> changes_of(const libc_zone& zone, utc_second begin, utc_second end) {
  std::vector<utc_second> found;
  std::int64_t before = zone.offset(begin);
  for (utc_second day = begin; day < end; day += 24 * k_hour) {
    utc_second low = day;
    utc_second high = day + 24 * k_hour;
    const std::int64_t after = zone.offset(high);
    if (after == before) continue;
    while (high - low > 1) {
      const utc_second middle = low + (high - low) / 2;
      (zone.offset(middle) == before ? low : high) = middle;
    }
    found.push_back(high);
    before = after;
  }
  return found;
}

struct rule {
  const char* expression;
  cron_options options;
};

const std::vector<rule>& rules() {
  static const std::vector<rule> all{
      {"30 2 * * *", {}},
      {"*/15 0-3 * * *", {}},
      {"15 0,2,23 * * *", {.gap = cron_gap::skip, .fold = cron_fold::second}},
      {"0,20,45 1-2 * * *", {.fold = cron_fold::both}},
      {"*/10 * * * *", {}},
      {"30 * * * *", {.gap = cron_gap::shift, .fold = cron_fold::first}},
      {"0 0 * * *", {}},
      {"30 23 L * SUN", {}},
  };
  return all;
}

// One minute as clocks show it, and what has to be known of the others.
struct minute {
  utc_second at;
  local_second local;
  bool twice;
  bool first_pass;
};

// The minutes of [begin, end).
std::vector<minute> minutes_of(const libc_zone& zone, utc_second begin, utc_second end) {
  std::vector<minute> all;
  std::map<local_second, int> passes;
  for (utc_second at = begin; at < end; at += k_minute) {
    const local_second local = at + zone.offset(at);
    all.push_back({at, local, false, ++passes[local] == 1});
  }
  for (minute& one : all) one.twice = passes[one.local] > 1;
  return all;
}

// Which of these minutes occur by the documented rule.
std::set<utc_second> walk(const std::vector<minute>& all, const cron_room::pattern& pattern,
                          cron_gap gap, cron_fold fold) {
  std::set<utc_second> occurs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const minute& one = all[i];
    const bool admitted =
        !one.twice || fold == cron_fold::both || (fold == cron_fold::first) == one.first_pass;
    if (admitted && pattern.matches(one.local)) occurs.insert(one.at);
    if (gap != cron_gap::shift || i == 0) continue;
    for (local_second missing = all[i - 1].local + k_minute; missing < one.local;
         missing += k_minute) {
      if (pattern.matches(missing)) occurs.insert(one.at);
    }
  }
  return occurs;
}

std::set<utc_second> asked(const cron& of, utc_second begin, utc_second end) {
  std::set<utc_second> found;
  const auto last = cron::time_point(std::chrono::seconds(end));
  auto at = of.next(cron::time_point(std::chrono::seconds(begin - 1)));
  for (; at && *at < last; at = of.next(*at)) {
    found.insert(std::chrono::floor<std::chrono::seconds>(*at).time_since_epoch().count());
  }
  return found;
}

std::string listed(const std::set<utc_second>& all) {
  std::string text;
  for (const utc_second at : all) {
    text += " " + testing::utc_text(testing::wall_time(std::chrono::seconds(at)));
  }
  return text;
}

// Compares around one change; the window is wide enough for both passes and what is between.
void compare(const std::string& name, const libc_zone& zone, utc_second change) {
  const std::int64_t jump = std::abs(zone.offset(change) - zone.offset(change - 1));
  const utc_second begin = change - change % k_minute - jump - 3 * k_hour;
  const utc_second end = change - change % k_minute + jump + 3 * k_hour;
  const std::vector<minute> minutes = minutes_of(zone, begin, end);
  for (const rule& one : rules()) {
    const cron of(one.expression, name, one.options);
    const cron_room::pattern pattern(*cron_room::parse(one.expression).calendar);
    const auto expected = walk(minutes, pattern, of.gap(), of.fold());
    // The outermost minutes of the window may have their other pass outside of it.
    const auto inner = [&](std::set<utc_second> all) {
      std::erase_if(all, [&](utc_second at) { return at < begin + jump || at >= end - jump; });
      return all;
    };
    const auto found = asked(of, begin, end);
    ASSERT_EQ(inner(found), inner(expected))
        << name << " " << one.expression << "\nweir:" << listed(found)
        << "\nwalk:" << listed(expected);
    for (const minute& each : minutes) {
      ASSERT_EQ(of.matches(cron::time_point(std::chrono::seconds(each.at))),
                found.contains(each.at));
    }
  }
}

// Instrumented code is slow, and a part of the zones shows it all.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t k_every = 9;
#else
constexpr std::size_t k_every = 1;
#endif

TEST(all_zones, C7_R30_every_change_from_2000_to_2040_follows_the_rule) {
  const utc_second begin = 946'684'800;  // 2000-01-01
  const utc_second end = 2'240'524'800;  // 2041-01-01
  // Many zones share their changes; what follows from the same change is the same.
  std::set<std::tuple<utc_second, std::int64_t, std::int64_t>> seen;
  const auto names = cron_room::zone_names();
  ASSERT_GT(names.size(), 300u);
  for (std::size_t i = 0; i < names.size(); i += k_every) {
    const libc_zone zone(names[i]);
    for (const utc_second change : changes_of(zone, begin, end)) {
      if (!seen.emplace(change, zone.offset(change - 1), zone.offset(change)).second) continue;
      compare(names[i], zone, change);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(seen.size(), 3000 / k_every);
}

// Up to 2260, so that the changes that are reckoned and not listed are right as well.
TEST(all_zones, offsets_are_those_of_the_system_up_to_the_end_of_time) {
  const auto names = cron_room::zone_names();
  for (std::size_t i = 0; i < names.size(); i += k_every) {
    const libc_zone zone(names[i]);
    const auto table = cron_room::find_zone(names[i]);
    ASSERT_TRUE(table) << names[i];
    for (utc_second at = -1'000'000'000; at < 9'151'488'000; at += 7 * 24 * k_hour - k_hour) {
      ASSERT_EQ(table->spans()[table->at(at)].offset, zone.offset(at))
          << names[i] << " " << testing::utc_text(testing::wall_time(std::chrono::seconds(at)));
    }
  }
}

}  // namespace
}  // namespace weir
