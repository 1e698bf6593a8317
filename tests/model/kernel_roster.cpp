#include <gtest/gtest.h>

#include "model/explorer.hpp"
#include "process/roster.hpp"
#include "sync/thread.hpp"

/// The reader of a run waits for room while commands leave and the run is stopped.
namespace weir::model {
namespace {

using process::command;
using process::roster;
using sync::thread;

command numbered(std::uint64_t seq) {
  command one;
  one.seq = seq;
  return one;
}

TEST(kernel_roster, the_reader_hears_of_every_command_that_leaves) {
  expect_holds("roster: enter × leave × leave", {.bound = 4, .views_bound = 3}, [] {
    roster held(2, 0);
    MODEL_CHECK(held.enter(numbered(1)) && held.enter(numbered(2)));
    thread first([&held] { held.leave(1); });
    thread second([&held] { held.leave(2); });
    MODEL_CHECK(held.enter(numbered(3)) && held.enter(numbered(4)));
    first.join();
    second.join();
    held.leave(3);
    held.leave(4);
  });
}

TEST(kernel_roster, a_stop_ends_the_wait_for_room) {
  expect_holds("roster: enter × leave × stop", {.bound = 4, .views_bound = 3}, [] {
    roster held(1, 0);
    MODEL_CHECK(held.enter(numbered(1)));
    thread leaver([&held] { held.leave(1); });
    thread stopper([&held] { held.stop(); });
    if (held.enter(numbered(2))) MODEL_CHECK(!held.enter(numbered(3)));
    leaver.join();
    stopper.join();
    MODEL_CHECK(!held.enter(numbered(4)));
  });
}

}  // namespace
}  // namespace weir::model
