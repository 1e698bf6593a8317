#include "time/series_plan.hpp"

#include <utility>

#include "weir/detail/duration.hpp"

namespace weir::detail {

namespace {

using std::chrono::nanoseconds;

// Of a schedule that lags behind by more than this the rest is passed over uncounted.
constexpr std::uint64_t k_most_counted = 100'000;

// SplitMix64: a number for each index, without a state that skipped ones would have to advance.
std::uint64_t mixed(std::uint64_t value) noexcept {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

}  // namespace

series_plan::series_plan(nanoseconds period, time_point first, const series_options& options)
    : period_(period),
      jitter_(options.jitter),
      seed_(options.seed.value_or(0)),
      catch_up_(options.catch_up),
      mode_(options.mode),
      origin_(first) {}

series_plan::series_plan(std::shared_ptr<const schedule> when, wall_point now,
                         const series_options& options)
    : when_(std::move(when)),
      jitter_(options.jitter),
      seed_(options.seed.value_or(0)),
      catch_up_(options.catch_up),
      mode_(options.mode),
      at_(now),
      after_(now) {}

std::optional<series_plan::slot> series_plan::first() {
  if (!when_) return slot{due_of(0)};
  return next_of_schedule();
}

bool series_plan::begins(const reading& at) {
  if (when_) return begins_by_schedule(at.wall);
  return mode_ == recurrence::fixed_delay || begins_on_grid(at.now);
}

std::optional<series_plan::slot> series_plan::next(const reading& at) {
  if (when_) return next_by_schedule(at.wall);
  if (mode_ == recurrence::fixed_rate) return next_on_grid(at.now);
  const time_point due = saturating_add(at.now, period_);
  return slot{saturating_add(due, jitter_of(++index_))};
}

std::optional<wall_point> series_plan::wall() const noexcept {
  if (!when_) return std::nullopt;
  return at_;
}

std::uint64_t series_plan::take_skipped() noexcept { return std::exchange(skipped_, 0); }

nanoseconds series_plan::jitter_of(std::uint64_t index) const noexcept {
  if (jitter_ == nanoseconds::zero()) return jitter_;
  const auto range = static_cast<unsigned __int128>(jitter_.count()) + 1;
  return nanoseconds(static_cast<nanoseconds::rep>((mixed(seed_ ^ mixed(index)) * range) >> 64));
}

time_point series_plan::due_of(std::uint64_t index) const noexcept {
  const auto room = static_cast<std::uint64_t>((time_point::max() - origin_).count());
  const auto period = static_cast<std::uint64_t>(period_.count());
  if (index > room / period) return time_point::max();
  const auto length = static_cast<nanoseconds::rep>(index * period);
  return saturating_add(origin_ + nanoseconds(length), jitter_of(index));
}

// The last index whose due time has come, by division: a clock that is moved by a year is as fast
// as one that ticks. Not below the current one.
std::uint64_t series_plan::last_due_by(time_point now) const noexcept {
  if (now <= origin_) return index_;
  std::uint64_t last = static_cast<std::uint64_t>((now - origin_) / period_);
  while (last > index_ && due_of(last) > now) --last;  // twice at most, for jitter <= period
  return last > index_ ? last : index_;
}

bool series_plan::begins_on_grid(time_point now) noexcept {
  if (catch_up_ == catch_up::burst || due_of(index_ + 1) > now) return true;
  const std::uint64_t last = last_due_by(now);
  skipped_ += last - index_;
  index_ = last;
  if (catch_up_ == catch_up::coalesce) return true;
  ++skipped_;
  return false;
}

series_plan::slot series_plan::next_on_grid(time_point now) noexcept {
  ++index_;
  if (catch_up_ == catch_up::skip && due_of(index_) < now) {
    const std::uint64_t last = last_due_by(now - nanoseconds(1));
    skipped_ += last - index_ + 1;
    index_ = last + 1;
  }
  return slot{due_of(index_)};
}

// Not beyond the next time: else what is put off would make others late.
wall_point series_plan::put_off(wall_point at, std::uint64_t index) const {
  const auto length = std::chrono::duration_cast<wall_point::duration>(jitter_of(index));
  if (length == length.zero()) return at;
  const wall_point end = when_->next(at).value_or(wall_point::max());
  return at > end - length ? end : at + length;
}

std::optional<series_plan::slot> series_plan::next_of_schedule() {
  const auto found = when_->next(after_);
  if (!found) return std::nullopt;
  at_ = after_ = *found;
  return slot{{}, put_off(at_, index_)};
}

void series_plan::pass_over(wall_point now) {
  auto next = when_->next(after_);
  for (std::uint64_t count = 0; next && put_off(*next, index_ + 1) <= now; ++count) {
    if (count == k_most_counted) {
      after_ = now;
      return;
    }
    ++skipped_;
    ++index_;
    at_ = after_ = *next;
    next = when_->next(after_);
  }
}

bool series_plan::begins_by_schedule(wall_point now) {
  if (catch_up_ == catch_up::burst) return true;
  const std::uint64_t before = skipped_;
  pass_over(now);
  if (skipped_ == before || catch_up_ == catch_up::coalesce) return true;
  ++skipped_;
  return false;
}

std::optional<series_plan::slot> series_plan::next_by_schedule(wall_point now) {
  if (catch_up_ == catch_up::skip) pass_over(now - wall_point::duration(1));
  ++index_;
  return next_of_schedule();
}

}  // namespace weir::detail
