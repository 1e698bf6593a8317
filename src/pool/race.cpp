#include "sync/event.hpp"
#include "weir/detail/invoke_any.hpp"

namespace weir::detail {

/// Shared by the caller of invoke_any and its contestants; the last one frees it.
class race_state {
 public:
  explicit race_state(std::size_t contestants) noexcept : running_(contestants) {}

  void win(std::size_t index) noexcept {
    std::size_t nobody = k_nobody;
    // ordering: race-winner
    if (winner_.compare_exchange_strong(nobody, index, sync::acq_rel, sync::relaxed)) over_.set();
  }
  void drop_out() noexcept {
    // ordering: race-winner
    if (running_.fetch_sub(1, sync::acq_rel) == 1) over_.set();
  }
  [[nodiscard]] bool over() const noexcept { return over_.is_set(); }
  [[nodiscard]] bool wait(std::optional<time_point> until) noexcept {
    return over_.wait_until(until);
  }
  [[nodiscard]] std::optional<std::size_t> winner() const noexcept {
    // ordering: race-winner
    const std::size_t winner = winner_.load(sync::acquire);
    return winner == k_nobody ? std::nullopt : std::optional(winner);
  }

  void retain() noexcept { owners_.fetch_add(1, sync::relaxed); }
  void release() noexcept {
    // ordering: race-owners pairs with itself: the last owner sees what all did
    if (owners_.fetch_sub(1, sync::acq_rel) == 1) delete this;
  }

 private:
  static constexpr std::size_t k_nobody = static_cast<std::size_t>(-1);

  sync::event over_;
  sync::atomic<std::size_t> winner_{k_nobody};
  sync::atomic<std::size_t> running_;
  sync::atomic<std::size_t> owners_{1};
};

race_ticket::race_ticket(race_state& race, std::size_t index) noexcept
    : race_(&race), index_(index) {
  race.retain();
}

race_ticket::~race_ticket() {
  if (race_ == nullptr) return;
  race_->drop_out();
  race_->release();
}

void race_ticket::won() noexcept { race_->win(index_); }

race::race(std::size_t contestants) : state_(new race_state(contestants)) {}
race::~race() { state_->release(); }
bool race::over() const noexcept { return state_->over(); }
bool race::wait(std::optional<time_point> until) noexcept { return state_->wait(until); }
std::optional<std::size_t> race::winner() const noexcept { return state_->winner(); }

}  // namespace weir::detail
