#pragma once

#include <cstddef>
#include <memory>

#include "weir/detail/continuation.hpp"
#include "weir/detail/prerequisites.hpp"
#include "weir/detail/sync.hpp"

namespace weir::detail {

/// Waits for several tasks, or for the first of them, without a thread. Whoever makes it watches
/// each task, then says `watched`; `complete` is called once, when as many have ended as are needed
/// and all are watched. It frees itself after the last task. Protocol:
/// docs/design/continuations.md.
class gathering : prerequisites {
 public:
  using completion = void (*)(gathering&) noexcept;
  using disposal = void (*)(gathering*) noexcept;

  /// `result` is the task that ends with `complete`; nobody else knows it yet.
  gathering(std::size_t inputs, std::size_t needed, task_base& result, completion complete,
            disposal dispose);
  gathering(const gathering&) = delete;
  gathering& operator=(const gathering&) = delete;

  /// The next task, prepared for that. The caller holds a reference.
  void watch(task_base& task) noexcept;
  /// No more of them; not to be touched by the caller any more.
  void watched() noexcept;

  /// The index of the task that ended first. In `complete` alone.
  [[nodiscard]] std::size_t first() const noexcept { return first_.load(sync::relaxed); }

 protected:
  ~gathering() = default;

 private:
  struct link final : continuation {
    link() noexcept;
    gathering* of = nullptr;
    task_base* input = nullptr;  ///< until it has arrived; guarded by the lock of the result
  };
  static constexpr std::size_t k_nobody = static_cast<std::size_t>(-1);

  static answer look_at(prerequisites& self, std::size_t index) noexcept;
  static void arrive(continuation& self, task_base& task) noexcept;
  void pass() noexcept;
  void leave() noexcept;

  const completion complete_;
  const disposal dispose_;
  task_base& result_;  ///< held by the promise of whoever completes
  const std::size_t inputs_;
  const std::unique_ptr<link[]> links_;
  std::size_t watching_ = 0;  ///< of the maker alone
  sync::atomic<std::size_t> needed_;
  sync::atomic<std::size_t> first_{k_nobody};
  sync::atomic<int> gates_{2};  ///< enough have ended; all are watched
  sync::atomic<std::size_t> owners_;
};

}  // namespace weir::detail
