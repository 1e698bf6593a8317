#include "pool/series_core.hpp"

#include <cxxabi.h>

#include <future>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/sanitize.hpp"
#include "pool/pool_core.hpp"
#include "task/run_body.hpp"

namespace weir::detail {

namespace {

occurrence& run_of(task_base& task) noexcept { return static_cast<occurrence&>(task); }

void invoke(task_base& task) { run_of(task).series->core.run_occurrence(run_of(task)); }

// The callable goes with the last task that could call it, outside of locks, before the series is
// over.
void drop_callable(task_base& task) noexcept {
  series_core& series = *run_of(task).series;
  // ordering: series-captures pairs with itself: the last one sees what all calls did
  if (series.captures.fetch_sub(1, sync::acq_rel) == 1) series.body.reset();
}

void drop_nothing(task_base&) noexcept {}

void destroy(task_base* task) noexcept {
  occurrence& run = run_of(*task);
  series_core* const series = run.series;
  run.~occurrence();
  deallocate_task(&run, sizeof(occurrence), alignof(occurrence));
  series->release();
}

}  // namespace

const task_ops occurrence::k_ops{&invoke, nullptr, &drop_callable, &drop_nothing,
                                 nullptr, nullptr, &destroy,       false};

occurrence::occurrence(series_core& of) noexcept : task_base(k_ops, 1), series(&of) {
  recurring = true;
  delayed = true;
  of.retain();
  of.captures.fetch_add(1, sync::relaxed);
}

WEIR_NO_SANITIZE_NULL void series_record::call() {
  try {
    series.body->call(series_access::run(*this));
  } catch (abi::__forced_unwind&) {
    error = forced_unwinding_error();
    throw;
  } catch (...) {
    error = std::current_exception();
  }
}

series_core::series_core(pool_core& pool, std::unique_ptr<series_body> callable, series_plan times,
                         const series_options& given)
    : core(pool), options(given), body(std::move(callable)), plan(std::move(times)) {
  core.retain();
}

series_core::~series_core() { core.release(); }

void series_core::release() noexcept {
  // ordering: series-owners pairs with itself: the last owner sees what all did
  if (refs.fetch_sub(1, sync::acq_rel) == 1) delete this;
}

}  // namespace weir::detail

namespace weir {

const char* to_string(series_state state) noexcept {
  switch (state) {
    case series_state::waiting:
      return "waiting";
    case series_state::running:
      return "running";
    case series_state::stopping:
      return "stopping";
    case series_state::finished:
      return "finished";
    case series_state::failed:
      return "failed";
    case series_state::cancelled:
      break;
  }
  return "cancelled";
}

std::uint64_t series_run::number() const noexcept { return record_->number; }
clock::time_point series_run::due() const noexcept { return record_->run.due; }
std::optional<std::chrono::system_clock::time_point> series_run::wall_due() const noexcept {
  return record_->wall;
}
std::uint64_t series_run::skipped() const noexcept { return record_->skipped; }
void series_run::stop() const noexcept { record_->last = true; }

series::series(const series& other) noexcept : core_(other.core_) {
  if (core_ != nullptr) core_->retain();
}
series::series(series&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
series& series::operator=(series other) noexcept {
  std::swap(core_, other.core_);
  return *this;
}
series::~series() {
  if (core_ != nullptr) core_->release();
}

detail::series_core& series::checked() const {
  if (core_ == nullptr) throw std::future_error(std::future_errc::no_state);
  return *core_;
}

std::uint64_t series::id() const { return checked().core.look_at(*core_).id; }
series_state series::state() const { return checked().core.look_at(*core_).state; }
std::optional<clock::time_point> series::next_due() const {
  return checked().core.look_at(*core_).next_due;
}
series_snapshot series::snapshot() const { return checked().core.show_series(*core_); }
std::exception_ptr series::last_error() const { return checked().core.last_error_of(*core_); }
cancel_result series::cancel() const { return checked().core.cancel_series(*core_); }

bool series::reschedule_each(std::chrono::nanoseconds period,
                             std::optional<std::chrono::nanoseconds> first) const {
  return checked().core.reschedule(*core_, {period, first, nullptr});
}

bool series::reschedule(std::shared_ptr<const schedule> when) const {
  if (when == nullptr) throw std::invalid_argument("weir: reschedule: there is no schedule");
  return checked().core.reschedule(*core_, {{}, {}, std::move(when)});
}

void series::wait() const { (void)checked().core.await_series(*core_, std::nullopt); }

bool series::wait_within(std::chrono::nanoseconds limit) const {
  sync::deadline until;
  if (limit != std::chrono::nanoseconds::max()) {
    until = detail::saturating_add(sync::real_now(), limit);
  }
  return checked().core.await_series(*core_, until);
}

}  // namespace weir
