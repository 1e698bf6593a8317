#pragma once

/// Memory that can be made to run out. This program replaces `operator new` and `mmap`, from which
/// weir takes all that it allocates.
namespace weir::testing {

/// While it lives the calling thread's allocation number `n`, from 1, fails. Others succeed.
class failing_allocation {
 public:
  explicit failing_allocation(int n) noexcept;
  ~failing_allocation();
  failing_allocation(const failing_allocation&) = delete;
  failing_allocation& operator=(const failing_allocation&) = delete;

  /// Whether it came to that one.
  [[nodiscard]] bool failed() const noexcept;
};

/// While it lives every allocation of all other threads fails.
class famine_elsewhere {
 public:
  famine_elsewhere() noexcept;
  ~famine_elsewhere();
  famine_elsewhere(const famine_elsewhere&) = delete;
  famine_elsewhere& operator=(const famine_elsewhere&) = delete;
};

/// While it lives the calling thread gets no new pages for the memory of tasks.
class page_famine {
 public:
  page_famine() noexcept;
  ~page_famine();
  page_famine(const page_famine&) = delete;
  page_famine& operator=(const page_famine&) = delete;
};

/// False where a sanitizer owns `mmap`: tasks come from `operator new` there.
[[nodiscard]] bool pages_can_fail() noexcept;

}  // namespace weir::testing
