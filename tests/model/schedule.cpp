#include "model/schedule.hpp"

#include <charconv>
#include <stdexcept>

namespace weir::model {

namespace {

// A step that is no matter of threads takes its unusual way this rarely, at random.
constexpr unsigned k_unusual_one_in = 16;

}  // namespace

void schedule::explore_to(unsigned bound) {
  how_ = strategy::exhaustive;
  bound_ = bound;
  path_.clear();
}

void schedule::randomise(std::uint64_t seed, unsigned changes, unsigned length) {
  how_ = strategy::random;
  random_.seed(seed);
  changes_ = changes;
  horizon_ = std::max(1u, length);
}

void schedule::replay(const std::string& text) {
  how_ = strategy::replay;
  wishes_.clear();
  path_.clear();
  if (text == k_all_default) return;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](char stop) {
    unsigned value = 0;
    const auto [after, error] = std::from_chars(at, end, value);
    const bool ends_well = after == end ? stop == '-' : *after == stop;
    if (error != std::errc() || !ends_well) {
      throw std::invalid_argument("no choice string, write point.choice-point.choice: " + text);
    }
    at = after == end ? end : after + 1;
    return value;
  };
  while (at != end) {
    const unsigned point = number('.');
    wishes_.push_back({point, number('-')});
  }
}

void schedule::begin_execution() {
  depth_ = 0;
  divergence_.clear();
  if (how_ != strategy::exhaustive) path_.clear();
  if (how_ != strategy::random) return;
  for (auto& one : priority_) one = random_() | 1u << 16;
  change_points_.clear();
  for (unsigned at = 0; at < changes_; ++at) {
    change_points_.push_back(static_cast<unsigned>(random_() % horizon_));
  }
}

unsigned schedule::choose(const alternatives& ways, std::uint64_t mark) {
  if (depth_ == path_.size()) {
    choice made;
    made.count = static_cast<std::uint8_t>(ways.count());
    made.mark = mark;
    for (unsigned at = 0; at < ways.count(); ++at) made.dear |= unsigned{ways[at].dear} << at;
    if (depth_ > 0) {
      const choice& before = path_.back();
      made.spent = static_cast<std::uint8_t>(before.spent + (before.dear >> before.taken & 1));
    }
    made.taken = static_cast<std::uint8_t>(first_time(ways));
    path_.push_back(made);
  }
  const choice& made = path_[depth_++];
  if (made.count != ways.count() || made.mark != mark) {
    divergence_ = "the program depends on something that is no choice: at choice " +
                  std::to_string(depth_ - 1) + " it stands elsewhere than before";
    return 0;
  }
  return made.taken;
}

unsigned schedule::first_time(const alternatives& ways) {
  if (how_ == strategy::random) return by_priority(ways);
  if (how_ == strategy::exhaustive) return 0;
  for (const wish& one : wishes_) {
    if (one.point != depth_) continue;
    if (one.taken < ways.count()) return one.taken;
    divergence_ =
        "the choice string does not fit: too few ways at choice " + std::to_string(depth_);
  }
  return 0;
}

void schedule::check_all_used() {
  if (how_ != strategy::replay || !divergence_.empty()) return;
  for (const wish& one : wishes_) {
    if (one.point < depth_) continue;
    divergence_ = "the choice string does not fit: the execution has only " +
                  std::to_string(depth_) + " choices";
  }
}

unsigned schedule::by_priority(const alternatives& ways) {
  if (ways[0].what == move::value) {
    return random_() % k_unusual_one_in != 0 ? 0 : static_cast<unsigned>(random_() % ways.count());
  }
  for (const unsigned point : change_points_) {
    // Below every priority that was drawn, so that the others go first from here on.
    if (point == depth_) priority_[ways[0].fiber] = random_() % (1u << 16);
  }
  unsigned best = 0;
  for (unsigned at = 1; at < ways.count(); ++at) {
    const bool better = priority_[ways[at].fiber] > priority_[ways[best].fiber];
    const bool thread = ways[at].what == move::run;
    if (thread ? better || ways[best].what != move::run : random_() % k_unusual_one_in == 0) {
      best = at;
      if (!thread) break;
    }
  }
  return best;
}

bool schedule::next() {
  if (how_ == strategy::random) return true;
  if (how_ == strategy::replay) return false;
  while (!path_.empty()) {
    choice& last = path_.back();
    for (unsigned way = last.taken + 1u; way < last.count; ++way) {
      if (last.spent + (last.dear >> way & 1) > bound_) continue;
      last.taken = static_cast<std::uint8_t>(way);
      return true;
    }
    path_.pop_back();
  }
  return false;
}

std::string schedule::text() const {
  std::string text;
  for (unsigned at = 0; at < depth_ && at < path_.size(); ++at) {
    if (path_[at].taken == 0) continue;
    if (!text.empty()) text += '-';
    text += std::to_string(at) + '.' + std::to_string(path_[at].taken);
  }
  return text.empty() ? k_all_default : text;
}

}  // namespace weir::model
