#include "task/run_context.hpp"

#include "sync/futex.hpp"
#include "task/extras.hpp"
#include "task/state_word.hpp"
#include "weir/detail/task_node.hpp"
#include "weir/this_task.hpp"

namespace weir {

namespace detail {

bool run_context::runs_here(const task_base& task) noexcept {
  for (const run_context* at = innermost_; at != nullptr; at = at->outer_) {
    if (&at->task_ == &task) return true;
  }
  return false;
}

bool run_context::inside(const pool_core* core) noexcept {
  for (const run_context* at = innermost_; at != nullptr; at = at->outer_) {
    if (at->core_ == core) return true;
  }
  return false;
}

std::stop_token current_stop_token() { return this_task::stop_token(); }

}  // namespace detail

namespace this_task {

bool stop_requested() noexcept {
  const auto* context = detail::run_context::innermost();
  if (context == nullptr) return false;
  const std::uint32_t word = context->task().word.load(sync::relaxed);
  return detail::state_word::phase_of(word) == detail::phase::cancel_requested;
}

std::stop_token stop_token() {
  const auto* context = detail::run_context::innermost();
  return context != nullptr ? detail::make_stop_token(context->task()) : std::stop_token();
}

std::optional<std::chrono::steady_clock::time_point> deadline() noexcept {
  const auto* context = detail::run_context::innermost();
  if (context == nullptr) return std::nullopt;
  const auto* extras = context->task().extras.load(sync::relaxed);
  if (extras == nullptr || extras->deadline == detail::time_point::max()) return std::nullopt;
  return extras->deadline;
}

std::uint64_t id() noexcept {
  const auto* context = detail::run_context::innermost();
  return context != nullptr ? context->task().id : 0;
}

bool detail_sleep::sleep_for(std::chrono::nanoseconds length) {
  using namespace detail::state_word;
  const auto until = detail::saturating_add(sync::real_now(), length);
  const auto* context = detail::run_context::innermost();
  if (context == nullptr) {
    const sync::atomic<std::uint32_t> nobody{0};
    while (sync::futex_wait(nobody, 0, until)) {
    }
    return true;
  }
  auto& word = context->task().word;
  for (;;) {
    const std::uint32_t seen = word.fetch_or(k_waited, sync::relaxed) | k_waited;
    if (phase_of(seen) == detail::phase::cancel_requested) return false;
    if (!sync::futex_wait(word, seen, until)) return !stop_requested();
  }
}

}  // namespace this_task
}  // namespace weir
