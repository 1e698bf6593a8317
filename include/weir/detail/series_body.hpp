#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "weir/detail/task_node.hpp"
#include "weir/schedule.hpp"
#include "weir/series.hpp"

namespace weir::detail {

/// When a series recurs: each `period`, or at the times of `when`.
struct series_times {
  std::chrono::nanoseconds period{};
  std::optional<std::chrono::nanoseconds> first = {};
  std::shared_ptr<const schedule> when = {};
};

inline series_times times_of(std::shared_ptr<const schedule> when, const series_options& options) {
  if (when == nullptr) throw std::invalid_argument("weir: submit_on: there is no schedule");
  return {{}, options.first, std::move(when)};
}

/// The callable of a series, called once a run.
class series_body {
 public:
  series_body() = default;
  series_body(const series_body&) = delete;
  series_body& operator=(const series_body&) = delete;
  virtual ~series_body() = default;
  virtual void call(const series_run& run) = 0;
};

template <class F>
concept recurring_body = std::is_invocable_v<F&, std::stop_token, const series_run&> ||
    std::is_invocable_v<F&, const series_run&> || std::is_invocable_v<F&, std::stop_token> ||
    std::is_invocable_v<F&>;

template <class F>
class series_body_of final : public series_body {
 public:
  template <class Given>
  explicit series_body_of(Given&& given) : callable_(std::forward<Given>(given)) {}

  void call(const series_run& run) override {
    if constexpr (std::is_invocable_v<F&, std::stop_token, const series_run&>) {
      static_cast<void>(std::invoke(callable_, current_stop_token(), run));
    } else if constexpr (std::is_invocable_v<F&, const series_run&>) {
      static_cast<void>(std::invoke(callable_, run));
    } else if constexpr (std::is_invocable_v<F&, std::stop_token>) {
      static_cast<void>(std::invoke(callable_, current_stop_token()));
    } else {
      static_cast<void>(std::invoke(callable_));
    }
  }

  [[nodiscard]] F& callable() noexcept { return callable_; }

 private:
  F callable_;
};

}  // namespace weir::detail
