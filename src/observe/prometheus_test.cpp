#include "weir/prometheus.hpp"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <sstream>
#include <stdexcept>
#include <string>

namespace weir {
namespace {

using namespace std::chrono_literals;

pool_options on(weir::clock& clock, const std::string& name) {
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 10;
  options.name = name;
  options.clock = &clock;
  options.timing = timing::all;
  return options;
}

std::string text_of(const prometheus_collector& collector) {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, collector.Collect());
  return out.str();
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(prometheus, G3_pools_are_shown_as_text) {
  manual_clock clock;
  thread_pool first(on(clock, "first"));
  thread_pool second(on(clock, "se\"cond"));
  prometheus_collector shown;
  shown.add(first);
  shown.add(second);
  first.submit([&clock] { clock.advance(3s); }).get();
  auto later = first.submit_after(1h, [] {});
  const std::string text = text_of(shown);
  EXPECT_TRUE(has_line(text, "# TYPE weir_tasks_accepted_total counter")) << text;
  EXPECT_TRUE(has_line(text, "weir_tasks_accepted_total{pool=\"first\"} 2"));
  EXPECT_TRUE(has_line(text, "weir_tasks_accepted_total{pool=\"se\\\"cond\"} 0"));
  EXPECT_TRUE(has_line(text, "weir_tasks_delayed{pool=\"first\"} 1"));
  EXPECT_TRUE(has_line(text, "# TYPE weir_task_run_seconds histogram"));
  EXPECT_TRUE(has_line(text, "weir_task_run_seconds_count{pool=\"first\"} 1"));
  EXPECT_TRUE(has_line(text, "weir_task_run_seconds_sum{pool=\"first\"} 3"));
  EXPECT_TRUE(has_line(text, "weir_task_run_seconds_bucket{pool=\"first\",le=\"+Inf\"} 1"));
}

TEST(prometheus, buckets_are_cumulative_and_end_with_all) {
  manual_clock clock;
  thread_pool pool(on(clock, "p"));
  prometheus_collector shown;
  shown.add(pool);
  for (const auto length : {1ns, 2000ns, 5'000'000ns, 7'200'000'000'000ns}) {
    pool.submit([&clock, length] { clock.advance(length); }).get();
  }
  bool found = false;
  for (const auto& family : shown.Collect()) {
    if (family.name != "weir_task_run_seconds") continue;
    found = true;
    const auto& histogram = family.metric.at(0).histogram;
    std::uint64_t before = 0;
    double bound = 0;
    for (const auto& bucket : histogram.bucket) {
      EXPECT_GE(bucket.cumulative_count, before);
      EXPECT_GT(bucket.upper_bound, bound);
      before = bucket.cumulative_count;
      bound = bucket.upper_bound;
    }
    EXPECT_EQ(histogram.bucket.front().cumulative_count, 1u);
    EXPECT_EQ(histogram.bucket[1].cumulative_count, 2u) << "up to 4 us";
    EXPECT_EQ(histogram.bucket[histogram.bucket.size() - 2].cumulative_count, 3u);
    EXPECT_EQ(histogram.bucket.back().cumulative_count, 4u);
  }
  EXPECT_TRUE(found);
}

TEST(prometheus, a_pool_is_added_once_and_may_be_removed) {
  manual_clock clock;
  prometheus_collector shown;
  EXPECT_TRUE(shown.Collect().empty());
  {
    thread_pool pool(on(clock, "p"));
    shown.add(pool);
    EXPECT_THROW(shown.add(pool), std::invalid_argument);
    shown.add(pool, "again");
    shown.remove(pool);
    shown.remove(pool);
  }
  EXPECT_EQ(text_of(shown), "");
}

}  // namespace
}  // namespace weir
