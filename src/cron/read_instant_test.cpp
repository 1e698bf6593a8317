#include "cron/read_instant.hpp"

#include <gtest/gtest.h>

#include "cron/zones.hpp"
#include "support/utc.hpp"

namespace weir::cron_room {
namespace {

std::string read(const char* text) {
  const auto found = read_instant(text, *find_zone("Europe/Berlin"));
  return found ? testing::utc_text(testing::wall_time(std::chrono::seconds(*found))) : "none";
}

TEST(read_instant, takes_what_people_type) {
  EXPECT_EQ(read("2026-07-01T12:00:05Z"), "2026-07-01T12:00:05Z");
  EXPECT_EQ(read("2026-07-01T12:00-05:30"), "2026-07-01T17:30Z");
  EXPECT_EQ(read("2026-07-01T12:00+01:00"), "2026-07-01T11:00Z");
  EXPECT_EQ(read("2026-07-01 12:00"), "2026-07-01T10:00Z");
  EXPECT_EQ(read("2026-07-01"), "2026-06-30T22:00Z");
  EXPECT_EQ(read("@0"), "1970-01-01T00:00Z");
  EXPECT_EQ(read("@-60"), "1969-12-31T23:59Z");
}

TEST(read_instant, knows_changed_clocks) {
  EXPECT_EQ(read("2026-03-29 02:30"), "2026-03-29T01:00Z");
  EXPECT_EQ(read("2026-10-25 02:30"), "2026-10-25T00:30Z");
  EXPECT_EQ(read("2026-10-25 03:00"), "2026-10-25T02:00Z");
}

TEST(read_instant, refuses_all_else) {
  for (const char* text :
       {"", "@", "@1x", "@99999999999999999999", "2026", "2026-13-01", "2026-02-30", "2026-07-01T",
        "2026-07-01T25:00", "2026-07-01T12:00:60", "2026-07-01T12:00z", "2026-07-01T12:00Z ",
        "20260701", "2026-7-1", "2026-07-01T1:00", "2026-07--1", "tomorrow", "9999-01-01"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
}

}  // namespace
}  // namespace weir::cron_room
