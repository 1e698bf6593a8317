#include "weir/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/gate.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

pool_options on(weir::clock& clock) {
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 10;
  options.name = "p";
  options.clock = &clock;
  options.timing = timing::all;
  options.history = 4;
  return options;
}

TEST(json, G2_a_snapshot_is_one_object_on_one_line) {
  manual_clock clock;
  thread_pool pool(on(clock));
  testing::held_worker busy(pool);
  auto named = pool.submit({.name = "say \"hi\"\n", .weight = 7, .key = "k"}, [] {});
  auto later = pool.submit_after(1h, [] {});
  clock.advance(3s);
  const std::string text = to_json(pool.snapshot());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const json seen = json::parse(text);
  EXPECT_EQ(seen["pool"], "p");
  EXPECT_EQ(seen["closed"], false);
  EXPECT_EQ(seen["capacity"], 10);
  EXPECT_EQ(seen["capacity_weight"], nullptr) << "unbounded";
  EXPECT_EQ(seen["counts"]["accepted"], 3);
  EXPECT_EQ(seen["counts"]["running"], 1);
  ASSERT_EQ(seen["running"].size(), 1u);
  EXPECT_EQ(seen["running"][0]["state"], "running");
  EXPECT_EQ(seen["running"][0]["worker"], 0);
  EXPECT_EQ(seen["running"][0]["running_for_ns"], 3'000'000'000);
  ASSERT_EQ(seen["queued"].size(), 1u);
  EXPECT_EQ(seen["queued"][0]["name"], "say \"hi\"\n");
  EXPECT_EQ(seen["queued"][0]["weight"], 7);
  EXPECT_EQ(seen["queued"][0]["key"], "k");
  EXPECT_FALSE(seen["queued"][0].contains("worker"));
  ASSERT_EQ(seen["delayed"].size(), 1u);
  EXPECT_EQ(seen["delayed"][0]["due_ns"], (1h).count() * 3'600'000'000'000);
  EXPECT_EQ(seen["left_out"], 0);
}

TEST(json, G2_series_are_told_with_their_counts) {
  manual_clock clock(clock::time_point{}, manual_clock::wall_point(100h));
  thread_pool pool(on(clock));
  const series recurring = pool.submit_every(1h, [] {}, {.task = {.name = "sweep"}});
  clock.advance(2h);
  pool.submit([] {}).wait();
  const json seen = json::parse(to_json(pool.snapshot()))["series"];
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0]["id"], recurring.id());
  EXPECT_EQ(seen[0]["name"], "sweep");
  EXPECT_EQ(seen[0]["state"], "waiting");
  EXPECT_EQ(seen[0]["runs"], 1);
  EXPECT_EQ(seen[0]["skipped"], 1);
  EXPECT_EQ(seen[0]["failures"], 0);
  EXPECT_EQ(seen[0]["next_due_ns"], (3h).count() * 3'600'000'000'000);
  EXPECT_FALSE(seen[0].contains("next_wall_due_ns")) << "only a schedule has one";
}

TEST(json, names_are_bytes_and_the_text_is_utf_8_all_the_same) {
  manual_clock clock;
  thread_pool pool(on(clock));
  testing::held_worker busy(pool);
  auto odd = pool.submit({.name = "a\xff\xc3", .key = std::string("b\0c", 3)}, [] {});
  const json seen = json::parse(to_json(pool.snapshot()));
  EXPECT_EQ(seen["queued"][0]["name"], "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(seen["queued"][0]["key"], std::string("b\0c", 3));
}

TEST(json, G1_stats_have_counts_and_summaries) {
  manual_clock clock;
  thread_pool pool(on(clock));
  pool.submit([&clock] { clock.advance(1s); }).get();
  const json seen = json::parse(to_json(pool.stats()));
  EXPECT_EQ(seen["succeeded"], 1);
  EXPECT_EQ(seen["run"]["count"], 1);
  EXPECT_EQ(seen["run"]["max_ns"], 1'000'000'000);
  EXPECT_EQ(seen["run"]["p999_ns"], 1'000'000'000);
  EXPECT_EQ(seen["wait"]["total_ns"], 0);
  EXPECT_EQ(seen["lateness"]["count"], 0);
}

TEST(json, A6_an_ended_task_tells_how) {
  manual_clock clock;
  thread_pool pool(on(clock));
  testing::held_worker busy(pool);
  auto never = pool.submit([] {});
  never.cancel();
  busy.release();
  const json seen = json::parse(to_json(*pool.find(never.id())));
  EXPECT_EQ(seen["state"], "cancelled");
  EXPECT_EQ(seen["reason"], "cancelled");
  EXPECT_EQ(seen["cancellation"], "never_started");
  EXPECT_EQ(json::parse(to_json(*pool.find(busy.done().id())))["worker"], 0);
}

}  // namespace
}  // namespace weir
