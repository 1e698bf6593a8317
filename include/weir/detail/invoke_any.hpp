#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "weir/detail/task_node.hpp"

namespace weir::detail {

class race_state;

/// A ticket of one contestant in `invoke_any`. Exactly one word reaches the race for each: `won`,
/// or, when the ticket is destroyed without (failure, cancellation, refusal), that it is out.
class race_ticket {
 public:
  race_ticket(race_state& race, std::size_t index) noexcept;
  race_ticket(race_ticket&& other) noexcept
      : race_(std::exchange(other.race_, nullptr)), index_(other.index_) {}
  race_ticket(const race_ticket&) = delete;
  race_ticket& operator=(const race_ticket&) = delete;
  ~race_ticket();

  void won() noexcept;

 private:
  race_state* race_;
  std::size_t index_;
};

/// A callable that tells the race when it has succeeded.
template <class F, class Result>
struct contestant {
  race_ticket ticket;
  F body;

  contestant(race_ticket given, F f) : ticket(std::move(given)), body(std::move(f)) {}

  Result operator()() {
    if constexpr (std::is_void_v<Result>) {
      call_body(body);
      ticket.won();
    } else {
      Result value = call_body(body);
      ticket.won();
      return static_cast<Result&&>(value);
    }
  }
};

/// The caller's side: waits for the first winner, or until all are out.
class race {
 public:
  explicit race(std::size_t contestants);
  race(const race&) = delete;
  race& operator=(const race&) = delete;
  ~race();

  [[nodiscard]] race_ticket ticket(std::size_t index) noexcept { return {*state_, index}; }
  /// Whether somebody has won or all are out.
  [[nodiscard]] bool over() const noexcept;
  /// Blocks until it is over, at most until `until`; whether it is.
  [[nodiscard]] bool wait(std::optional<time_point> until) noexcept;
  /// The winner's index; none while there is none.
  [[nodiscard]] std::optional<std::size_t> winner() const noexcept;

 private:
  race_state* state_;
};

}  // namespace weir::detail
