#include <array>
#include <bit>
#include <vector>

#include "cron/civil_text.hpp"
#include "cron/plan.hpp"

namespace weir::cron_room {
namespace {

constexpr std::array<std::string_view, 12> k_months{
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> k_weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                     "Thursday", "Friday", "Saturday"};

std::vector<int> members(std::uint64_t bits) {
  std::vector<int> found;
  for (; bits != 0; bits &= bits - 1) found.push_back(std::countr_zero(bits));
  return found;
}

// "1, 2 and 5"
std::string listed(const std::vector<std::string>& parts, std::string_view last_joint = " and ") {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? last_joint : std::string_view(", ");
    text += parts[i];
  }
  return text;
}

// The distance between neighbours if it is the same from `least` to the end of the field; else 0.
int even_step(std::uint64_t bits, int least, int count) {
  const std::vector<int> all = members(bits);
  if (all.size() < 3 || all[0] != least) return 0;
  const int step = all[1] - all[0];
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] - all[i - 1] != step) return 0;
  }
  return all.back() + step == least + count ? step : 0;
}

// Values as words, three or more neighbours as "a to b". `name` makes the word.
template <class Name>
std::string runs(const std::vector<int>& values, Name name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    end = begin + 1;
    while (end < values.size() && values[end] == values[end - 1] + 1) ++end;
    if (end - begin >= 3) {
      parts.push_back(name(values[begin]) + " to " + name(values[end - 1]));
    } else {
      for (std::size_t i = begin; i < end; ++i) parts.push_back(name(values[i]));
    }
  }
  return listed(parts);
}

std::string plain_number(int value) { return std::to_string(value); }
std::string weekday_name(int value) {
  return std::string(k_weekdays[static_cast<unsigned>(value)]);
}
std::string month_name(int value) {
  return std::string(k_months[static_cast<unsigned>(value - 1)]);
}

// "every second", "every 10 minutes", "minute 5", "minutes 0, 7 and 9"
std::string part_of_hour(std::uint64_t bits, const std::string& unit) {
  if (bits == k_all_sixty) return "every " + unit;
  if (const int step = even_step(bits, 0, 60); step != 0) {
    return "every " + std::to_string(step) + " " + unit + "s";
  }
  const std::vector<int> values = members(bits);
  return "at " + unit + (values.size() > 1 ? "s " : " ") + runs(values, plain_number);
}

// At single times, where they are few.
std::string times_text(const fields& of) {
  std::vector<std::string> times;
  for (const int hour : members(of.hours)) {
    for (const int minute : members(of.minutes)) {
      for (const int second : members(of.seconds)) {
        times.push_back(time_text((hour * 60 + minute) * 60 + second));
      }
    }
  }
  return "at " + listed(times);
}

std::string hours_text(std::uint64_t hours) {
  if (const int step = even_step(hours, 0, 24); step != 0) {
    return "of every " + ordinal(step) + " hour";
  }
  const auto span = [](int first, int last) {
    return two_digits(first) + ":00 to " + two_digits(last) + ":59";
  };
  std::vector<std::string> parts;
  const std::vector<int> all = members(hours);
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    end = begin + 1;
    while (end < all.size() && all[end] == all[end - 1] + 1) ++end;
    parts.push_back(span(all[begin], all[end - 1]));
  }
  return "from " + listed(parts);
}

std::string time_of_day(const fields& of) {
  constexpr int k_few = 4;
  if (std::popcount(of.hours) * std::popcount(of.minutes) * std::popcount(of.seconds) <= k_few) {
    return times_text(of);
  }
  const bool on_the_hour = of.minutes == 1 && of.seconds == 1;
  const bool all_hours = of.hours == k_all_hours;
  if (on_the_hour && all_hours) return "every hour";
  if (const int step = even_step(of.hours, 0, 24); on_the_hour && step != 0) {
    return "every " + std::to_string(step) + " hours";
  }
  const std::string minutes = on_the_hour ? "on the hour" : part_of_hour(of.minutes, "minute");
  const std::string seconds = part_of_hour(of.seconds, "second");
  std::string text = minutes;
  if (of.seconds != 1 && of.minutes == k_all_sixty) {
    text = seconds.starts_with("every") ? seconds : seconds + " of every minute";
  } else if (of.seconds != 1) {
    text = seconds + ", " + minutes;
  }
  if (!all_hours) return text + " " + hours_text(of.hours);
  return minutes.starts_with("at") ? text + " of every hour" : text;
}

// The days of */2 and its like; 0 for others.
int step_of_star(const month_days& of) {
  const std::vector<int> values = members(of.days);
  if (!of.star || values.size() < 2 || values[1] == 2) return 0;
  const int step = values[1] - values[0];
  std::uint32_t same = 0;
  for (int day = 1; day <= 31; day += step) same |= std::uint32_t{1} << day;
  return same == of.days ? step : 0;
}

std::string month_days_text(const month_days& of) {
  std::vector<std::string> parts;
  const auto day = [](int value) { return "the " + ordinal(value); };
  if (of.days != 0) {
    const int step = step_of_star(of);
    parts.push_back(step == 0 ? runs(members(of.days), day)
                              : "every " + ordinal(step) + " day of the month from the 1st");
  }
  for (const int value : members(of.near_workday)) {
    parts.push_back("the workday nearest to " + day(value));
  }
  for (const int before : members(of.from_end)) {
    parts.push_back(before == 0   ? "the last day of the month"
                    : before == 1 ? "the day before the last of the month"
                                  : std::to_string(before) + " days before the last of the month");
  }
  if (of.last_workday) parts.push_back("the last workday of the month");
  return listed(parts);
}

// From Monday on, and round the end of the week where that makes one run.
std::vector<int> week_order(std::uint8_t days) {
  std::vector<int> order;
  for (int value = 1; value <= 7; ++value) {
    if ((days >> (value % 7) & 1) != 0) order.push_back(value);
  }
  // FRI-MON: begin behind the first free day.
  if (order.size() < 7 && order.size() > 2 && (days & 1) != 0 && (days >> 1 & 1) != 0) {
    std::size_t begin = 1;
    while (order[begin] == order[begin - 1] + 1) ++begin;
    for (std::size_t i = 0; i < begin; ++i) order.push_back(order[i] + 7);
    order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  return order;
}

std::string week_days_text(const week_days& of) {
  std::vector<std::string> parts;
  if (of.days != 0) {
    parts.push_back(runs(week_order(of.days), [](int value) { return weekday_name(value % 7); }));
  }
  for (int weekday = 0; weekday < 7; ++weekday) {
    for (const int which : members(of.nth[static_cast<unsigned>(weekday)])) {
      parts.push_back("the " + ordinal(which) + " " + weekday_name(weekday) + " of the month");
    }
  }
  for (const int weekday : members(of.last)) {
    parts.push_back("the last " + weekday_name(weekday) + " of the month");
  }
  return listed(parts);
}

bool any_day(const month_days& of) { return of.days >> 1 == ~std::uint32_t{0} >> 1; }

std::string days_text(const fields& of) {
  const bool any_of_month = of.of_month.star && any_day(of.of_month);
  const bool any_of_week = of.of_week.star && of.of_week.days == k_all_weekdays;
  if (any_of_month && any_of_week) return "";
  if (any_of_month) return week_days_text(of.of_week);
  if (any_of_week) return "on " + month_days_text(of.of_month);
  const bool both = of.of_month.star || of.of_week.star;
  return "on " + month_days_text(of.of_month) + (both ? ", if it is " : ", and also on ") +
         week_days_text(of.of_week);
}

std::string period_text(std::int64_t seconds) {
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> k_units{
      {{86'400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}}};
  std::vector<std::string> parts;
  for (const auto& [length, name] : k_units) {
    const std::int64_t count = seconds / length;
    seconds %= length;
    if (count == 1 && parts.empty() && seconds == 0) return "every " + std::string(name);
    if (count > 0) {
      parts.push_back(std::to_string(count) + " " + std::string(name) + (count > 1 ? "s" : ""));
    }
  }
  return "every " + listed(parts);
}

}  // namespace

std::string describe(const plan& of) {
  const auto* times = std::get_if<occurrences>(&of.times);
  if (times == nullptr) {
    return period_text(std::get<period_grid>(of.times).period) + ", counted from 1970-01-01 UTC";
  }
  const fields& said = times->local().of();
  std::string text = time_of_day(said);
  const std::string days = days_text(said);
  if (!days.empty()) {
    text += ", " + days;
  } else if (text.starts_with("at ") && !said.wildcard_hours) {
    text += " every day";
  }
  if (said.months != k_all_months) text += ", in " + runs(members(said.months), month_name);
  return text + " (" + of.zone->name() + ")";
}

}  // namespace weir::cron_room
