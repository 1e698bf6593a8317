/// The first program of whoever comes from Java, Asio, oneTBB or Tokio, as it is written with weir.
#include <chrono>
#include <functional>
#include <string>
#include <vector>
#include <weir/this_task.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

void from_java() {
  // [java]
  weir::thread_pool pool({.core = 4,
                          .max = 8,
                          .keep_alive = 60s,
                          .capacity = 100,
                          .on_saturation = weir::saturation::caller_runs});
  weir::future<int> answer = pool.submit([] { return 6 * 7; });
  check(answer.get() == 42, "the answer is there");
  pool.close();
  check(pool.join_for(10s), "the pool has terminated");
  // [java]
}

void from_asio() {
  // [asio]
  std::string log;
  {
    weir::thread_pool pool({.core = 1, .max = 1, .capacity = 16});
    pool.execute([&] {
      log += "posted, ";
      pool.execute([&] { log += "posted from inside, "; });
    });
    pool.wait_idle();
    weir::future<void> timer = pool.submit_after(5ms, [&] { log += "on time"; });
    timer.wait();
  }  // the destructor lets what is ready run
  check(log == "posted, posted from inside, on time", "one worker is a strand by itself");
  // [asio]
}

void from_tbb() {
  // [tbb]
  weir::thread_pool pool = weir::thread_pool::fixed(weir::default_concurrency(), 1000);
  std::vector<std::function<long()>> parts;
  for (long part = 0; part < 8; ++part) {
    parts.push_back([part] {
      long sum = 0;
      for (long i = part * 1000; i < (part + 1) * 1000; ++i) sum += i;  // a grain of work
      return sum;
    });
  }
  long total = 0;
  for (auto& sum : pool.invoke_all(parts)) total += sum.get();
  check(total == 8000L * 7999 / 2, "all parts were summed");
  // [tbb]
}

void from_tokio() {
  // [tokio]
  weir::thread_pool pool = weir::thread_pool::fixed(2, 32);
  weir::future<int> task = pool.submit([] {
    while (weir::this_task::sleep_for(1h)) {
    }
    return 1;  // somebody has asked it to stop
  });
  try {
    task.get_for(5ms);
    check(false, "an hour is not over yet");
  } catch (const weir::timed_out&) {
    task.cancel();  // giving up waiting is one thing, giving up the task another
  }
  task.wait();
  check(task.state() == weir::task_state::cancelled, "cancelled, and not before its body is over");
  // [tokio]
}

}  // namespace

int main() {
  from_java();
  from_asio();
  from_tbb();
  from_tokio();
}
