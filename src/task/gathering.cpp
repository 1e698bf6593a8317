#include "weir/detail/gathering.hpp"

namespace weir::detail {

gathering::link::link() noexcept : continuation(&arrive) {}

gathering::gathering(std::size_t inputs, std::size_t needed, completion complete, disposal dispose)
    : complete_(complete),
      dispose_(dispose),
      links_(new link[inputs]),
      needed_(needed),
      owners_(inputs + 1) {
  if (needed == 0) gates_.store(1, sync::relaxed);
}

void gathering::watch(task_base& task) noexcept {
  link& next = links_[watching_++];
  next.of = this;
  attach(task, next);
}

void gathering::watched() noexcept {
  pass();
  leave();
}

void gathering::arrive(continuation& self, task_base&) noexcept {
  gathering& of = *static_cast<link&>(self).of;
  std::size_t nobody = k_nobody;
  const auto index = static_cast<std::size_t>(&static_cast<link&>(self) - of.links_.get());
  of.first_.compare_exchange_strong(nobody, index, sync::relaxed, sync::relaxed);
  // Where one is enough the later ones count on below zero and hit the last step no more.
  // ordering: gathering pairs with itself: who completes sees what all have done
  if (of.needed_.fetch_sub(1, sync::acq_rel) == 1) of.pass();
  of.leave();
}

// The inputs may be handed on only when nobody goes through them any more.
void gathering::pass() noexcept {
  // ordering: gathering
  if (gates_.fetch_sub(1, sync::acq_rel) == 1) complete_(*this);
}

void gathering::leave() noexcept {
  // ordering: gathering
  if (owners_.fetch_sub(1, sync::acq_rel) == 1) dispose_(this);
}

}  // namespace weir::detail
