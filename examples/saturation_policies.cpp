/// What happens to the submission for which there is no room: each answer on a full pool of its
/// own.
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;
using weir::saturation;

namespace {

/// One worker, which is held, and one waiting place, which is taken.
struct full_pool {
  explicit full_pool(saturation policy)
      : pool({.core = 1, .max = 1, .capacity = 1, .on_saturation = policy}) {
    running = pool.submit([this] {
      held.test_and_set();
      held.notify_all();
      open.wait(false);
    });
    held.wait(false);
    waiting = pool.submit([] { return 1; });
  }
  ~full_pool() { release(); }

  void release() {
    open.test_and_set();
    open.notify_all();
  }

  std::atomic_flag held, open;
  weir::thread_pool pool;
  weir::future<void> running;
  weir::future<int> waiting;
};

void policies() {
  full_pool rejecting(saturation::reject), helping(saturation::caller_runs);
  full_pool discarding(saturation::discard), renewing(saturation::discard_oldest);
  // [policies]
  auto why = weir::reject_reason::closed;
  try {
    rejecting.pool.submit([] { return 2; });
  } catch (const weir::rejected& refusal) {
    why = refusal.why();
  }
  check(why == weir::reject_reason::saturated, "reject: submit throws and nothing has changed");

  auto here = helping.pool.submit([] { return std::this_thread::get_id(); });
  check(here.get() == std::this_thread::get_id(), "caller_runs: the body ran on this thread");

  auto dropped = discarding.pool.submit([] { return 2; });
  check(dropped.state() == weir::task_state::cancelled, "discard: it is cancelled already");

  auto newest = renewing.pool.submit([] { return 2; });
  check(renewing.waiting.state() == weir::task_state::cancelled,
        "discard_oldest: the old one is gone");
  check(newest.state() == weir::task_state::queued, "discard_oldest: the new one has its place");
  // [policies]
}

void block() {
  full_pool full(saturation::block);
  weir::future<int> newest;
  std::jthread submitter([&] { newest = full.pool.submit([] { return 2; }); });
  while (full.pool.stats().blocked == 0) std::this_thread::yield();
  full.release();
  submitter.join();
  check(newest.get() == 2, "block: submit returned when there was room");
}

void timed_verbs() {
  full_pool full(saturation::block);
  // [timed]
  auto late = full.pool.try_submit_for(5ms, [] { return 2; });
  check(late.why() == weir::reject_reason::deadline, "no room within five milliseconds");

  auto why = weir::reject_reason::closed;
  std::jthread client([&](std::stop_token stop) {
    why = full.pool.try_submit_for(1h, std::move(stop), [] { return 2; }).why();
  });
  client.request_stop();  // ends the wait
  client.join();
  check(why == weir::reject_reason::stopped, "somebody stopped the wait");
  // [timed]
}

}  // namespace

int main() {
  policies();
  block();
  timed_verbs();
}
