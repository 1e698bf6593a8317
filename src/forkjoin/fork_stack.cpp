#include "weir/detail/fork_stack.hpp"

#include "weir/detail/assert.hpp"

/// Protocol and proof: docs/design/split-stack.md.
namespace weir::detail {

// The flag is taken back by an exchange: whoever raised it wrote before what this thread looks at
// after it.
fork_stack::pushed fork_stack::push_slowly(fork_job& job) noexcept {
  // ordering: fork-room (a slot is written anew after the thief that took it has read it)
  const std::uint64_t room = top_.load(sync::acquire) + sync::k_fork_slots;
  // ordering: fork-want
  pushed outcome{.in = head_ < room, .exposed = limit_.exchange(room, sync::seq_cst) == 0};
  if (outcome.in) {
    slots_[head_ % sync::k_fork_slots].store(&job, sync::relaxed);
    ++head_;
  }
  outcome.exposed = outcome.exposed && head_ > split_;
  if (outcome.exposed) expose();
  return outcome;
}

void fork_stack::expose() noexcept {
  split_ += (head_ - split_ + 1) / 2;
  // ordering: fork-public
  public_end_.store(split_, sync::seq_cst);
}

// Everything above it is gone, so the job is the last public one, or it was stolen long ago.
bool fork_stack::pop_public(std::uint64_t at) noexcept {
  if (at + 1 != split_) return false;
  // ordering: fork-public
  public_end_.store(at, sync::seq_cst);
  // ordering: fork-top
  std::uint64_t top = top_.load(sync::seq_cst);
  WEIR_ASSERT(top <= split_);
  if (top < at) {
    head_ = split_ = at;
    return true;
  }
  // A thief that has read `top` before may be about to take it: whoever moves `top` has it. The
  // index is used up either way; thieves find `top` beyond the end, which is nothing.
  // ordering: fork-top
  const bool ours = top == at && top_.compare_exchange_strong(top, at + 1, sync::seq_cst);
  head_ = split_;
  return ours;
}

// What is read here belongs together if `take` succeeds: the index has not moved then, and the
// owner cannot take back what lies there without moving it.
fork_stack::found fork_stack::oldest() const noexcept {
  // ordering: fork-top
  const std::uint64_t top = top_.load(sync::seq_cst);
  // ordering: fork-public
  if (top >= public_end_.load(sync::seq_cst)) return {};
  return {slots_[top % sync::k_fork_slots].load(sync::relaxed), top};
}

bool fork_stack::take(const found& oldest) noexcept {
  std::uint64_t top = oldest.top;
  // ordering: fork-top, fork-room
  return top_.compare_exchange_strong(top, top + 1, sync::seq_cst);
}

void fork_stack::want() noexcept {
  // ordering: fork-want
  limit_.store(0, sync::seq_cst);
}

void fork_stack::want_again() noexcept {
  if (limit_.load(sync::relaxed) != 0) want();
}

}  // namespace weir::detail
