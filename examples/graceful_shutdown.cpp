/// How a pool ends: close the gate, give accepted work a while, take back what has not started.
#include <chrono>
#include <latch>
#include <string>
#include <utility>
#include <vector>
#include <weir/this_task.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

struct service {
  std::latch started{1};  // before the pool: bodies use it until the pool is gone
  weir::thread_pool pool = weir::thread_pool::fixed(1, 8);
  weir::future<std::string> running = pool.submit([this] {
    started.count_down();
    while (weir::this_task::sleep_for(1h)) {
    }
    return std::string("stopped half-way");
  });
  std::vector<weir::future<int>> waiting;
};

void hand_back(service& of) {
  // [close]
  of.pool.close();  // does not wait; what was accepted may still run
  auto late = of.pool.try_submit([] { return 0; });
  check(late.why() == weir::reject_reason::closed, "a closed pool refuses");
  check(!of.pool.join_for(1ms), "unfinished work remains, and nothing was stopped");
  // [close]

  // [shutdown_now]
  std::vector<weir::drained_task> drained = of.pool.shutdown_now();  // asks running bodies to stop
  of.pool.join();
  check(of.running.cancellation() == weir::cancellation::returned, "the body saw the request");
  check(drained.size() == 3, "three tasks have not started and are back");

  drained[0]();                       // run it here: its future gets the result
  drained.pop_back();                 // drop it: its future is cancelled
  auto kept = std::move(drained[1]);  // keep it for another pool; it may outlive this one
  weir::thread_pool other = weir::thread_pool::fixed(1, 1);
  other.execute(std::move(kept));
  // [shutdown_now]
  check(of.waiting[0].get() == 0, "the first ran on this thread");
  check(of.waiting[1].get() == 10, "the second ran in another pool");
  check(of.waiting[2].state() == weir::task_state::cancelled, "the third was cancelled");
}

void with_a_grace() {
  std::latch started{1};
  weir::thread_pool pool = weir::thread_pool::fixed(1, 1);
  auto stubborn = pool.submit([&] {
    started.count_down();
    weir::this_task::sleep_for(1h);
  });
  started.wait();
  // [grace]
  const bool in_time = pool.shutdown(10ms);  // close, join_for(10ms), then shutdown_now
  check(!in_time, "the grace was over first, so the body was asked to stop");
  pool.join();
  // [grace]
  check(stubborn.state() == weir::task_state::cancelled, "and it stopped");
}

}  // namespace

int main() {
  service mail;
  mail.started.wait();
  for (int i = 0; i < 3; ++i) mail.waiting.push_back(mail.pool.submit([i] { return 10 * i; }));
  hand_back(mail);

  const weir::pool_stats stats = mail.pool.stats();
  check(stats.accepted == stats.succeeded + stats.failed + stats.cancelled + stats.drained,
        "every accepted task is accounted for");
  with_a_grace();
}
