#include "cron/zones.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "weir/cron.hpp"

namespace weir::cron_room {
namespace {

TEST(zone_table, merges_changes_that_change_nothing) {
  const zone_table table("made up", {{-100, 0}, {10, 3600}, {20, 3600}, {20, 0}, {30, 0}});
  ASSERT_EQ(table.spans().size(), 3u);
  EXPECT_EQ(table.at(9), 0u);
  EXPECT_EQ(table.at(10), 1u);
  EXPECT_EQ(table.at(19), 1u);
  EXPECT_EQ(table.at(20), 2u);
  EXPECT_EQ(table.at(k_before_time), 0u);
  EXPECT_EQ(table.at(k_after_time), 2u);
}

TEST(zone_table, a_span_without_length_is_none) {
  const zone_table table("made up", {{0, 0}, {10, 3600}, {10, 7200}, {20, 0}, {20, 7200}});
  ASSERT_EQ(table.spans().size(), 2u);
  EXPECT_EQ(table.spans()[1].offset, 7200);
}

TEST(zones, the_machine_has_one) { EXPECT_TRUE(find_zone(local_zone_name())); }

TEST(zones, the_variable_TZ_names_it) {
  const char* before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TZ", "Asia/Tokyo", 1);
  EXPECT_EQ(local_zone_name(), "Asia/Tokyo");
  ::setenv("TZ", ":Asia/Kolkata", 1);
  EXPECT_EQ(local_zone_name(), "Asia/Kolkata");
  ::setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  EXPECT_TRUE(find_zone(local_zone_name())) << "a rule in place of a name is no name";
  if (before == nullptr) {
    ::unsetenv("TZ");
  } else {
    ::setenv("TZ", kept.c_str(), 1);
  }
}

TEST(zones, may_be_looked_for_by_many_threads) {
  std::vector<std::thread> threads;
  const std::vector<std::string> names = zone_names();
  for (std::size_t first = 0; first < 4; ++first) {
    threads.emplace_back([&names, first] {
      for (std::size_t i = first; i < names.size(); i += 3) {
        EXPECT_EQ(cron("0 0 * * *", names[i]).zone(), names[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(find_zone("Europe/Berlin"), find_zone("Europe/Berlin")) << "each is kept once";
}

}  // namespace
}  // namespace weir::cron_room
