/// Cancellation that tells the truth: what `cancel` answers, what a body can do, what the future
/// says.
#include <chrono>
#include <latch>
#include <memory>
#include <stop_token>
#include <weir/this_task.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

void queued_task(weir::thread_pool& pool) {
  std::latch gate{1};
  auto holder = pool.submit([&] { gate.wait(); });  // holds the one worker
  // [queued]
  auto parcel = std::make_shared<int>(7);
  auto delivery = pool.submit([parcel] { return *parcel; });
  check(delivery.cancel() == weir::cancel_result::cancelled, "it has not started and never will");
  check(parcel.use_count() == 1, "its captures are destroyed when cancel returns");
  check(delivery.cancellation() == weir::cancellation::never_started, "the future knows");
  try {
    delivery.get();
    check(false, "get of a cancelled task throws");
  } catch (const weir::task_cancelled& end) {
    check(end.reason() == weir::cancel_reason::cancelled, "and says why it was cancelled");
  }
  // [queued]
  gate.count_down();
  holder.wait();  // it uses the gate
}

void running_task(weir::thread_pool& pool) {
  std::latch started{1};
  // [running]
  auto search = pool.submit([&] {
    started.count_down();
    while (!weir::this_task::stop_requested()) {
      // one step of the work
    }
  });
  started.wait();
  check(search.cancel() == weir::cancel_result::requested, "a running body is asked to stop");
  search.wait();  // the body decides when
  check(search.state() == weir::task_state::cancelled, "it ended after the request: cancelled");
  check(search.cancellation() == weir::cancellation::returned, "by returning, not by a throw");
  check(search.cancel() == weir::cancel_result::too_late, "the outcome is fixed");
  // [running]
}

void waiting_body(weir::thread_pool& pool) {
  std::latch started{2};
  // [waiting]
  auto nap = pool.submit([&](std::stop_token stop) {  // a first parameter of this type is filled in
    const std::stop_callback on_stop(stop, [&] { /* close a socket, kill a child … */ });
    started.count_down();
    weir::this_task::sleep_for(1h);  // a stop request ends it at once
  });
  // [waiting]
  started.arrive_and_wait();
  check(nap.cancel(weir::if_queued) == weir::cancel_result::too_late, "if_queued leaves it alone");
  check(nap.state() == weir::task_state::running, "so it still runs");
  check(nap.cancel() == weir::cancel_result::requested, "now it is asked to stop");
  nap.wait();
}

}  // namespace

int main() {
  weir::thread_pool pool = weir::thread_pool::fixed(1, 4);
  queued_task(pool);
  running_task(pool);
  waiting_body(pool);
  check(pool.submit([] { return weir::this_task::stop_requested(); }).get() == false,
        "a stop request never leaks into the next task of the same worker");
}
