#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "weir/detail/task_base.hpp"
#include "weir/snapshot.hpp"

namespace weir::detail {

/// What is kept of a task that has ended: of fixed size, without result, captures or failure (R29).
struct ended_task {
  static constexpr std::size_t k_name_bytes = 47;

  std::uint64_t id = 0;
  time_point due{};
  time_point submitted;
  time_point started;
  time_point ended;
  std::size_t worker = 0;
  bool delayed = false;
  bool started_somewhere = false;
  task_state state = task_state::cancelled;
  cancel_reason reason = cancel_reason::cancelled;
  weir::cancellation cancellation = weir::cancellation::never_started;
  std::uint8_t name_bytes = 0;
  std::array<char, k_name_bytes> name;
};

/// The last so many tasks that have ended, in memory that was there from the beginning. A plain
/// data structure; the pool's lock guards it.
class history {
 public:
  explicit history(std::size_t size) : records_(size) {}

  /// Needs a size; replaces the oldest. `where`: what has run it.
  void add(const task_base& task, std::optional<std::size_t> where) noexcept;
  /// O(size).
  [[nodiscard]] std::optional<ended_task> find(std::uint64_t id) const noexcept;

 private:
  std::vector<ended_task> records_;
  std::size_t next_ = 0;
};

}  // namespace weir::detail
