#include "weir/thread_pool.hpp"

#include <stdexcept>
#include <utility>

#include "pool/limits.hpp"
#include "pool/pool_core.hpp"
#include "task/run_context.hpp"
#include "weir/this_task.hpp"

namespace weir {

namespace {

using detail::bad_option;
using std::chrono::nanoseconds;

std::string next_name() {
  static sync::atomic<unsigned> number{0};
  return "pool-" + std::to_string(1 + number.fetch_add(1, sync::relaxed));
}

pool_options checked(pool_options options) {
  (void)detail::limits_of(options);
  detail::check(options.on_saturation);
  if (options.watchdog.limit < nanoseconds::zero()) {
    throw std::invalid_argument("weir: thread_pool: the watchdog's limit is negative");
  }
  if (options.clock == nullptr) options.clock = &steady_clock::instance();
  if (options.name.empty()) options.name = next_name();
  return options;
}

sync::deadline deadline_in(nanoseconds limit) {
  if (limit == nanoseconds::max()) return std::nullopt;
  return detail::saturating_add(sync::real_now(), limit);
}

}  // namespace

const char* to_string(reject_reason reason) noexcept {
  switch (reason) {
    case reject_reason::saturated:
      return "saturated";
    case reject_reason::closed:
      return "closed";
    case reject_reason::deadline:
      return "deadline";
    case reject_reason::stopped:
      return "stopped";
    case reject_reason::no_thread:
      return "no_thread";
    case reject_reason::forked:
      break;
  }
  return "forked";
}

thread_pool::thread_pool(pool_options options)
    : core_(new detail::pool_core(checked(std::move(options)), this)) {}

thread_pool thread_pool::fixed(std::size_t workers, std::size_t capacity) {
  if (workers == 0) bad_option("fixed: 0 workers run nothing");
  if (capacity == 0) bad_option("fixed: capacity 0; for a pool that never queues see cached");
  pool_options options;
  options.core = options.max = workers;
  options.capacity = capacity;
  return thread_pool(std::move(options));
}

thread_pool thread_pool::cached(std::size_t max, nanoseconds keep_alive) {
  pool_options options;
  options.max = max;
  options.keep_alive = keep_alive;
  options.capacity = 0;
  return thread_pool(std::move(options));
}

thread_pool::~thread_pool() { core_->destroy(); }

detail::admission_request thread_pool::request_after(nanoseconds delay) const {
  if (delay < nanoseconds::zero()) throw std::invalid_argument("weir: the delay is negative");
  detail::admission_request request;
  request.now = core_->clock().now();
  request.due = detail::saturating_add(request.now, delay);
  if (request.due - request.now != delay) {
    throw std::invalid_argument("weir: the delay ends after the end of time");
  }
  request.delayed = request.due > request.now;
  request.relative = true;
  return request;
}

detail::admission_request thread_pool::request_at(clock::time_point due) const {
  detail::admission_request request;
  request.now = core_->clock().now();
  request.due = std::max(due, request.now);
  request.delayed = due > request.now;
  return request;
}

detail::admission_request thread_pool::request_at(std::chrono::system_clock::time_point due) const {
  auto request = core_->request_by_wall(due);
  if (!request.delayed) request.due = request.now;
  return request;
}

std::optional<detail::refusal> thread_pool::admit_series(std::unique_ptr<detail::series_body>& body,
                                                         const detail::series_times& times,
                                                         const series_options& options,
                                                         detail::admission_request::mode how,
                                                         series& made) {
  return core_->start_series(body, times, options, how, made);
}

std::optional<clock::time_point> thread_pool::next_due() const noexcept {
  return core_->next_due();
}

detail::admission_request thread_pool::request_within(nanoseconds limit, std::stop_token stop) {
  const auto until = deadline_in(limit);
  return detail::admission_request::waiting_until(until.value_or(detail::time_point::max()),
                                                  std::move(stop));
}

clock::time_point thread_pool::real_time_in(nanoseconds limit) noexcept {
  return detail::saturating_add(sync::real_now(), limit);
}

std::optional<detail::refusal> thread_pool::admit(detail::task_base& task,
                                                  detail::admission_request& request) {
  return core_->admit(task, request);
}

bool thread_pool::admit_at_once(detail::task_base& task) noexcept {
  return core_->admit_at_once(task);
}

std::optional<detail::refusal> thread_pool::admit_all(std::vector<detail::task_base*>& tasks) {
  return core_->admit_all(tasks);
}

std::size_t thread_pool::core() const noexcept { return core_->current_limits().core; }
std::size_t thread_pool::max() const noexcept { return core_->current_limits().max; }
nanoseconds thread_pool::keep_alive() const noexcept { return core_->current_limits().keep_alive; }
std::size_t thread_pool::capacity() const noexcept { return core_->current_limits().capacity; }
bool thread_pool::core_may_time_out() const noexcept {
  return core_->current_limits().core_may_time_out;
}
std::size_t thread_pool::capacity_weight() const noexcept {
  return core_->current_limits().capacity_weight;
}
void thread_pool::set_core(std::size_t workers) {
  core_->change_limits([=](detail::limits& wanted) { wanted.core = workers; });
}
void thread_pool::set_max(std::size_t workers) {
  core_->change_limits([=](detail::limits& wanted) { wanted.max = workers; });
}
void thread_pool::set_sizes(std::size_t core, std::size_t max) {
  core_->change_limits([=](detail::limits& wanted) {
    wanted.core = core;
    wanted.max = max;
  });
}
void thread_pool::set_keep_alive(nanoseconds length) {
  core_->change_limits([=](detail::limits& wanted) { wanted.keep_alive = length; });
}
void thread_pool::set_core_may_time_out(bool allowed) {
  core_->change_limits([=](detail::limits& wanted) { wanted.core_may_time_out = allowed; });
}
void thread_pool::set_capacity(std::size_t places) {
  core_->change_limits([=](detail::limits& wanted) { wanted.capacity = places; });
}
void thread_pool::set_capacity_weight(std::size_t weight) {
  core_->change_limits([=](detail::limits& wanted) { wanted.capacity_weight = weight; });
}
void thread_pool::set_saturation(std::variant<saturation, saturation_function> policy) {
  core_->set_saturation(std::move(policy));
}
bool thread_pool::prestart_one() noexcept { return core_->prestart(1) == 1; }
std::size_t thread_pool::prestart_core() noexcept { return core_->prestart(max_workers); }
void thread_pool::pause() { core_->pause(); }
void thread_pool::resume() noexcept { core_->resume(); }
bool thread_pool::paused() const noexcept { return core_->paused(); }

void thread_pool::close() noexcept { core_->close(); }
std::size_t thread_pool::abort() { return core_->abort(); }
std::vector<drained_task> thread_pool::shutdown_now() { return core_->shutdown_now(); }
std::size_t thread_pool::cancel_pending() { return core_->cancel_pending(); }
void thread_pool::join() { core_->join({}); }
void thread_pool::wait_idle() { core_->wait_idle({}); }
bool thread_pool::join_within(nanoseconds limit) { return core_->join(deadline_in(limit)); }

bool thread_pool::wait_idle_within(nanoseconds limit) {
  return core_->wait_idle(deadline_in(limit));
}

bool thread_pool::shutdown_within(nanoseconds grace) {
  close();
  if (join_within(grace)) return true;
  shutdown_now().clear();
  return false;
}

bool thread_pool::closed() const noexcept { return core_->closed(); }
bool thread_pool::terminated() const noexcept { return core_->terminated(); }
std::stop_token thread_pool::stop_token() const noexcept { return core_->stop_token(); }
pool_stats thread_pool::stats() const { return core_->stats(); }
pool_timings thread_pool::timings() const { return core_->timings(); }
pool_snapshot thread_pool::snapshot(std::size_t limit) const { return core_->snapshot(limit); }

std::optional<task_snapshot> thread_pool::find(std::uint64_t id) const { return core_->find(id); }
task_ref thread_pool::ref(std::uint64_t id) const {
  return detail::future_access::handle(core_->find_live(id));
}

const std::string& thread_pool::name() const noexcept { return core_->options().name; }
std::size_t thread_pool::size() const noexcept { return core_->size(); }

thread_pool* this_task::pool() noexcept {
  const auto* context = detail::run_context::innermost();
  return context != nullptr && context->core() != nullptr ? context->core()->facade() : nullptr;
}

}  // namespace weir
