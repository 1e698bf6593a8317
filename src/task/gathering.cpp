#include "weir/detail/gathering.hpp"

namespace weir::detail {

gathering::link::link() noexcept : continuation(&arrive) {}

gathering::gathering(std::size_t inputs, std::size_t needed, task_base& result, completion complete,
                     disposal dispose)
    : prerequisites(&look_at, needed == inputs),
      complete_(complete),
      dispose_(dispose),
      result_(result),
      inputs_(inputs),
      links_(new link[inputs]),
      needed_(needed),
      owners_(inputs + 1) {
  if (needed == 0) gates_.store(1, sync::relaxed);
  set_prerequisites(result, *this);
}

void gathering::watch(task_base& task) noexcept {
  link& next = links_[watching_++];
  next.of = this;
  next.input = &task;
  attach(task, next);
}

gathering::answer gathering::look_at(prerequisites& self, std::size_t index) noexcept {
  auto& own = static_cast<gathering&>(self);
  if (index >= own.inputs_) return {nullptr, true};
  task_base* const input = own.links_[index].input;
  if (input != nullptr) retain(*input);
  return {input, false};
}

void gathering::watched() noexcept {
  pass();
  leave();
}

void gathering::arrive(continuation& self, task_base&) noexcept {
  gathering& of = *static_cast<link&>(self).of;
  forget_input(of.result_, static_cast<link&>(self).input);
  std::size_t nobody = k_nobody;
  const auto index = static_cast<std::size_t>(&static_cast<link&>(self) - of.links_.get());
  of.first_.compare_exchange_strong(nobody, index, sync::relaxed, sync::relaxed);
  // Where one is enough the later ones count on below zero and hit the last step no more. Who
  // completes sees what all have done: it takes the lock that each of them has had above.
  if (of.needed_.fetch_sub(1, sync::relaxed) == 1) of.pass();
  of.leave();
}

// The inputs may be handed on only when nobody goes through them any more.
void gathering::pass() noexcept {
  // ordering: gathering
  if (gates_.fetch_sub(1, sync::acq_rel) != 1) return;
  clear_prerequisites(result_);
  complete_(*this);
}

void gathering::leave() noexcept {
  // ordering: gathering pairs with itself: who frees it comes after all others
  if (owners_.fetch_sub(1, sync::acq_rel) == 1) dispose_(this);
}

}  // namespace weir::detail
