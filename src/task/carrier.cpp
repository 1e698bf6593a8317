#include "weir/detail/carrier.hpp"

#include "weir/detail/detached.hpp"

namespace weir::detail {

void carriage::refused(std::exception_ptr error) noexcept {
  if (begin_by_hand(task.task())) fail_by_hand(task.task(), std::move(error));
  leave();
}

// A task that has not run is cancelled by the record's destruction, that is, only once the executor
// has had its say.
void carriage::leave() noexcept {
  // ordering: carriage pairs with itself: who frees the record sees what the other one did
  if (one_has_left_.exchange(true, sync::acq_rel)) dispose_(*this);
}

}  // namespace weir::detail
