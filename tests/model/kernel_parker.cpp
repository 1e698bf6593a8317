#include <gtest/gtest.h>

#include "model/explorer.hpp"
#include "sync/event.hpp"
#include "sync/parker.hpp"
#include "sync/thread.hpp"

/// docs/design/parking.md: the parker and the event.
namespace weir::model {
namespace {

using sync::thread;

constexpr auto k_soon = std::chrono::milliseconds(1);

TEST(kernel_parker, a_token_is_never_lost) {
  expect_holds("parker: park × unpark × unpark × deadline",
               {.bound = 4, .views_bound = 3, .spurious = true}, [] {
                 sync::parker parker;
                 int told[2] = {};
                 const auto tell = [&](int who) {
                   told[who] = 1;
                   parker.unpark();
                 };
                 thread first([&] { tell(0); });
                 thread second([&] { tell(1); });
                 parker.park();
                 // Two tokens taken are two tellers seen.
                 if (parker.park_until(sync::real_now() + k_soon)) {
                   MODEL_CHECK(told[0] + told[1] == 2);
                 }
                 first.join();
                 second.join();
               });
}

TEST(kernel_parker, a_deadline_takes_no_token_along) {
  expect_holds("parker: deadline × unpark", {.bound = 5, .views_bound = 4, .spurious = true}, [] {
    sync::parker parker;
    int told = 0;
    thread teller([&] {
      told = 1;
      parker.unpark();
    });
    if (!parker.park_until(sync::real_now() + k_soon)) parker.park();
    MODEL_CHECK(told == 1);
    teller.join();
    MODEL_CHECK(!parker.park_until(sync::real_now()));
  });
}

TEST(kernel_parker, may_die_as_soon_as_its_token_is_taken) {
  expect_holds("parker: unpark × destruction", {.bound = 5, .views_bound = 4}, [] {
    auto* parker = new sync::parker;
    thread teller([parker] { parker->unpark(); });
    parker->park();
    delete parker;
    teller.join();
  });
}

TEST(kernel_event, tells_everybody) {
  expect_holds("event: wait × timed wait × set × set",
               {.bound = 3, .views_bound = 2, .spurious = true}, [] {
                 sync::event event;
                 int said = 0;
                 thread waiter([&] {
                   event.wait();
                   MODEL_CHECK(said == 1);
                 });
                 thread timed([&] {
                   if (!event.wait_until(sync::real_now() + k_soon)) return;
                   MODEL_CHECK(said == 1);
                   event.set();
                 });
                 said = 1;
                 event.set();
                 waiter.join();
                 timed.join();
                 MODEL_CHECK(event.is_set());
               });
}

}  // namespace
}  // namespace weir::model
