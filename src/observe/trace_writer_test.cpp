#include "weir/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "weir/thread_pool.hpp"

namespace {

using nlohmann::json;

weir::pool_options observed(weir::observer& watch) {
  weir::pool_options options;
  options.core = options.max = 2;
  options.capacity = 8;
  options.name = "traced";
  options.observer = &watch;
  return options;
}

std::ptrdiff_t count(const json& events, const char* key, const json& value) {
  return std::count_if(events.begin(), events.end(),
                       [&](const json& event) { return event.value(key, json()) == value; });
}

}  // namespace

// G3.
TEST(trace_writer, shows_every_task_as_a_slice_on_its_worker) {
  std::ostringstream out;
  {
    weir::trace_writer trace(out);
    {
      weir::thread_pool pool(observed(trace));
      for (int i = 0; i < 5; ++i) pool.execute({.name = "say \"hi\" \n"}, [] {});
      auto failing = pool.submit([] { throw std::runtime_error("no"); });
      EXPECT_THROW(failing.get(), std::runtime_error);
      pool.wait_idle();
    }
    trace.finish();
    EXPECT_TRUE(trace.good());
  }
  const json events = json::parse(out.str());
  EXPECT_EQ(count(events, "ph", "B"), 6);
  EXPECT_EQ(count(events, "ph", "E"), 6);
  EXPECT_EQ(count(events, "cat", "accepted"), 6);
  EXPECT_EQ(count(events, "args", json{{"outcome", "failed"}}), 1);
  EXPECT_GE(count(events, "name", "say \"hi\" \n"), 10);
  // On each line slices open and close in turn: one body at a time on a worker (A2).
  std::map<int, int> open;
  for (const json& event : events) {
    if (event["ph"] == "B") {
      EXPECT_EQ(++open[event["tid"]], 1);
    }
    if (event["ph"] == "E") {
      EXPECT_EQ(--open[event["tid"]], 0);
    }
  }
}

TEST(trace_writer, a_task_that_never_starts_is_marked_with_its_reason) {
  std::ostringstream out;
  weir::trace_writer trace(out);
  weir::manual_clock clock;
  {
    auto options = observed(trace);
    options.clock = &clock;
    weir::thread_pool pool(options);
    auto later = pool.submit_after(std::chrono::hours(1), [] {});
    EXPECT_EQ(later.cancel(), weir::cancel_result::cancelled);
  }
  trace.finish();
  const json events = json::parse(out.str());
  EXPECT_EQ(count(events, "cat", "cancelled"), 1);
  EXPECT_EQ(count(events, "ph", "B"), 0);
}

TEST(trace_writer, nothing_traced_is_still_json_and_bytes_that_are_no_text_do_not_spoil_it) {
  std::ostringstream out;
  weir::trace_writer trace(out);
  trace.task_started({1, "\xff\xfe"}, {"p", 0});
  trace.finish();
  trace.task_started({2, "after the end"}, {"p", 0});
  EXPECT_TRUE(json::accept(out.str()));
}

TEST(trace_writer, says_when_the_stream_is_full) {
  std::ostringstream out;
  weir::trace_writer trace(out);
  out.setstate(std::ios::badbit);
  trace.task_accepted({1, "lost"});
  EXPECT_FALSE(trace.good());
}
