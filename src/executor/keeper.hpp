#pragma once

#include "weir/detail/sync.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// A keeper of tasks that lives as long as somebody holds a reference: its handle one, every task
/// that it has not let go of another one. So it outlives its handle, and a handle of a task may be
/// used while the keeper's is being destroyed.
class keeper : public task_keeper {
 public:
  keeper(const keeper&) = delete;
  keeper& operator=(const keeper&) = delete;

  void retain() noexcept { references_.fetch_add(1, sync::relaxed); }
  /// The last one destroys this; no lock of it may be held.
  void release() noexcept {
    // ordering: keeper-refs pairs with itself: the last owner sees what all did
    if (references_.fetch_sub(1, sync::acq_rel) == 1) delete this;
  }

 protected:
  keeper() noexcept = default;
  virtual ~keeper() = default;

 private:
  sync::atomic<std::uint32_t> references_{1};
};

}  // namespace weir::detail
