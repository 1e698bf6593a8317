#include <gtest/gtest.h>

#include "model/explorer.hpp"
#include "sync/mutex.hpp"
#include "sync/thread.hpp"

/// docs/design/parking.md: the mutex itself, on a model futex. Built into a program of its own; in
/// the other one the mutex is the model's.
namespace weir::model {
namespace {

using sync::thread;

struct guarded {
  sync::mutex mutex;
  int inside = 0;
  int count = 0;

  void visit() {
    const sync::lock_guard lock(mutex);
    MODEL_CHECK(inside++ == 0);
    ++count;
    --inside;
  }
};

TEST(kernel_mutex, excludes_and_wakes) {
  expect_holds("mutex: 3 threads", {.bound = 3, .views_bound = 3, .spurious = true}, [] {
    guarded place;
    thread first([&] { place.visit(); });
    thread second([&] { place.visit(); });
    place.visit();
    first.join();
    second.join();
    MODEL_CHECK(place.count == 3);
  });
}

TEST(kernel_mutex, is_handed_on_many_times) {
  expect_holds("mutex: 2 threads, 3 rounds", {.bound = 5, .views_bound = 4}, [] {
    guarded place;
    const auto rounds = [&] {
      for (int round = 0; round < 3; ++round) place.visit();
    };
    thread other(rounds);
    rounds();
    other.join();
    MODEL_CHECK(place.count == 6);
  });
}

}  // namespace
}  // namespace weir::model
