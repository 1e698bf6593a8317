#include "cron/zones.hpp"

#include <date/tz.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <new>
#include <optional>

#include "base/thread_annotations.hpp"
#include "sync/fork.hpp"
#include "sync/mutex.hpp"

namespace weir::cron_room {
namespace {

// After these years a `system_clock::time_point` of 64-bit nanoseconds ends.
constexpr int k_last_year = 2263;
constexpr std::array k_folders{"/usr/share/zoneinfo/", "/usr/lib/zoneinfo/", "/etc/zoneinfo/"};

// The last line of a compiled zone, between two line breaks. The date library leaves it out, so
// that its tables end with the year 2037, or with today where files are written without room for
// what can be reckoned.
std::optional<zone_rule> rule_of(const std::string& name) {
  for (const char* folder : k_folders) {
    std::ifstream file(folder + name, std::ios::binary);
    if (!file) continue;
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    if (bytes.size() < 2 || bytes.compare(0, 4, "TZif") != 0 || bytes.back() != '\n') break;
    const std::size_t before = bytes.rfind('\n', bytes.size() - 2);
    if (before == std::string::npos) break;
    return zone_rule::read(std::string_view(bytes).substr(before + 1, bytes.size() - before - 2));
  }
  return std::nullopt;
}

std::vector<zone_change> listed_changes(const date::time_zone& zone) {
  std::vector<zone_change> changes;
  date::sys_seconds at = date::sys_days(date::year(1600) / 1 / 1);
  const date::sys_seconds last = date::sys_days(date::year(k_last_year) / 1 / 1);
  while (at < last) {
    const date::sys_info info = zone.get_info(at);
    changes.push_back({info.begin.time_since_epoch().count(), info.offset.count()});
    if (info.end <= at) break;
    at = info.end;
  }
  return changes;
}

int year_of(utc_second at) {
  const date::sys_seconds instant{std::chrono::seconds(at)};
  return static_cast<int>(date::year_month_day(date::floor<date::days>(instant)).year());
}

std::shared_ptr<const zone_table> load(const date::time_zone& zone) {
  std::vector<zone_change> changes = listed_changes(zone);
  if (const std::optional<zone_rule> rule = rule_of(zone.name())) {
    const utc_second listed = changes.back().at;
    const int first_year = changes.size() > 1 ? year_of(listed) : 1970;
    for (int year = first_year; year <= k_last_year; ++year) {
      for (const zone_change& change : rule->changes(year)) {
        if (changes.size() == 1 || change.at > listed) changes.push_back(change);
      }
    }
  }
  return std::make_shared<const zone_table>(zone.name(), changes);
}

// Null for a name that the library does not know. Whatever else it throws, of files that cannot be
// read, comes to the same for who asks.
std::shared_ptr<const zone_table> load(std::string_view name) {
  try {
    return load(*date::locate_zone(name));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return nullptr;
  }
}

// As many entries as the system has zones, at most.
class zone_cache {
 public:
  std::shared_ptr<const zone_table> find(std::string_view name) WEIR_EXCLUDES(lock_) {
    {
      sync::lock_guard hold(lock_);
      if (const auto known = zones_.find(name); known != zones_.end()) return known->second;
    }
    auto table = load(name);
    if (table == nullptr) return nullptr;
    sync::lock_guard hold(lock_);
    return zones_.emplace(std::string(name), std::move(table)).first->second;
  }

 private:
  sync::mutex lock_;
  sync::fork_guard fork_guard_{lock_, sync::fork_rank::zones};
  std::map<std::string, std::shared_ptr<const zone_table>, std::less<>> zones_
      WEIR_GUARDED_BY(lock_);
};

}  // namespace

std::shared_ptr<const zone_table> find_zone(std::string_view name) {
  // Never destroyed: schedules may be asked until the process ends.
  static zone_cache& cache = *new zone_cache;
  return cache.find(name);
}

std::vector<std::string> zone_names() {
  std::vector<std::string> names;
  try {
    for (const date::time_zone& zone : date::get_tzdb().zones) names.push_back(zone.name());
  } catch (const std::exception&) {
    names.clear();
  }
  return names;
}

std::string local_zone_name() {
  if (const char* given = std::getenv("TZ"); given != nullptr) {
    const std::string_view name(*given == ':' ? given + 1 : given);
    if (!name.empty() && find_zone(name)) return std::string(name);
  }
  try {
    return date::current_zone()->name();
  } catch (const std::exception&) {
    return "UTC";
  }
}

}  // namespace weir::cron_room
