#include <uv.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "systems/all.hpp"
#include "workloads/all.hpp"

namespace bench {

namespace {

/// The loop of the thread that built it; closed when everything on it has ended.
class uv_loop {
 public:
  uv_loop() { uv_loop_init(&loop_); }
  uv_loop(const uv_loop&) = delete;
  uv_loop& operator=(const uv_loop&) = delete;
  ~uv_loop() {
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  [[nodiscard]] uv_loop_t* get() noexcept { return &loop_; }

  void drive(const tally& sum) {
    while (!sum.done()) uv_run(&loop_, UV_RUN_ONCE);
    uv_run(&loop_, UV_RUN_NOWAIT);
  }

  void settle() { uv_run(&loop_, UV_RUN_NOWAIT); }

 private:
  uv_loop_t loop_{};
};

/// libuv's thread pool. Only the loop's thread may submit, and it turns the loop to let go of what
/// has ended.
class uv_pool {
 public:
  static constexpr const char* k_name = "libuv";
  static constexpr bool k_counts_allocations = true;
  static constexpr bool k_single_producer = true;
  static constexpr bool k_bounded = false;

  /// What stands for a future: enough to cancel by.
  struct handle {
    uv_work_t* request;
  };

  explicit uv_pool(std::size_t workers) {
    // Read once, when the first task is queued.
    setenv("UV_THREADPOOL_SIZE", std::to_string(workers).c_str(), 1);
  }

  template <class Body>
  void post(Body body) {
    submit(std::move(body));
  }

  template <class Body>
  handle submit(Body body) {
    struct job {
      uv_work_t request;
      Body body;
    };
    auto* added = new job{{}, std::move(body)};
    added->request.data = added;
    uv_queue_work(
        loop_.get(), &added->request,
        [](uv_work_t* request) { static_cast<job*>(request->data)->body(); },
        [](uv_work_t* request, int) { delete static_cast<job*>(request->data); });
    return {&added->request};
  }

  bool withdraw(handle task) { return uv_cancel(reinterpret_cast<uv_req_t*>(task.request)) == 0; }

  void drive(const tally& sum) { loop_.drive(sum); }
  void settle() { loop_.settle(); }

 private:
  uv_loop loop_;
};

/// libuv's timers: milliseconds, on the thread that turns the loop.
class uv_timers {
 public:
  static constexpr const char* k_name = "libuv timers";

  struct entry {
    uv_timer_t handle;
    tally* sum;
    latencies* out;
    std::int64_t due;
  };
  using timer = entry*;

  explicit uv_timers(std::size_t) {}

  timer at(std::int64_t due_ns, tick body) { return add(due_ns, body.sum, nullptr); }
  timer at(std::int64_t due_ns, lateness body) { return add(due_ns, body.sum, body.out); }

  bool cancel(timer pending) {
    const bool withdrawn = uv_is_active(reinterpret_cast<uv_handle_t*>(&pending->handle)) != 0;
    uv_timer_stop(&pending->handle);
    close(pending);
    return withdrawn;
  }

  void drive(const tally& sum) { loop_.drive(sum); }
  void settle() { loop_.settle(); }

 private:
  timer add(std::int64_t due_ns, tally* sum, latencies* out) {
    auto* added = new entry{{}, sum, out, due_ns};
    uv_timer_init(loop_.get(), &added->handle);
    added->handle.data = added;
    uv_update_time(loop_.get());
    const auto ahead = std::max<std::int64_t>(0, due_ns - now_ns());
    uv_timer_start(&added->handle, fire, static_cast<std::uint64_t>((ahead + 999'999) / 1'000'000),
                   0);
    return added;
  }

  static void fire(uv_timer_t* handle) {
    auto* due = static_cast<entry*>(handle->data);
    if (due->out != nullptr) due->out->add(now_ns() - due->due);
    due->sum->add(1);
    close(due);
  }

  static void close(entry* closing) {
    uv_close(reinterpret_cast<uv_handle_t*>(&closing->handle),
             [](uv_handle_t* handle) { delete static_cast<entry*>(handle->data); });
  }

  uv_loop loop_;
};

}  // namespace

void add_libuv(experiments& all, const scale& size) {
  add_pool_workloads<uv_pool>(all, size);
  add_timer_workloads<uv_timers>(all, size);
}

}  // namespace bench
