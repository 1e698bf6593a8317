#include "process/roster.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "process/excerpt.hpp"

namespace weir::process {
namespace {

constexpr std::size_t k_excerpt = 80;

template <class Item>
void cut(std::vector<Item>& list, std::size_t few) {
  if (list.size() > few) {
    list.resize(few);
  }
}

// The keys for which commands wait, the longest lane first.
class lane_counts {
 public:
  void add(const roster::entry& one) {
    if (!one.key) {
      return;
    }
    roster::lane& lane = lanes_[*one.key];
    if (one.where == standing::behind_key) {
      ++lane.waiting;
    } else {
      lane.holder = one.seq;
    }
  }

  std::vector<roster::lane> blocked() {
    std::vector<roster::lane> found;
    for (auto& [key, lane] : lanes_) {
      if (lane.waiting > 0) {
        lane.key = key;
        found.push_back(std::move(lane));
      }
    }
    std::sort(found.begin(), found.end(), [](const auto& left, const auto& right) {
      return std::tie(right.waiting, left.key) < std::tie(left.waiting, right.key);
    });
    return found;
  }

 private:
  std::map<std::string, roster::lane> lanes_;
};

// Puts one entry where a view shows it; of those that are ready only the first few.
void show(const roster::entry& one, std::size_t few, roster::view& in) {
  switch (one.where) {
    case standing::running:
    case standing::ending:
      in.running.push_back(one);
      return;
    case standing::ready:
      ++in.ready_count;
      if (in.ready.size() < few) {
        in.ready.push_back(one);
      }
      return;
    case standing::retrying:
      ++in.retrying_count;
      in.retrying.push_back(one);
      return;
    case standing::behind_key:
      ++in.behind_key_count;
      return;
  }
}

}  // namespace

std::size_t roster::bytes_of(const command& one) {
  return one.text.size() + (one.tag == one.text ? 0 : one.tag.size());
}

bool roster::has_room_locked(std::size_t bytes) const {
  if (entries_.empty()) {
    return true;
  }
  return entries_.size() < most_ &&
         (most_bytes_ == 0 || (bytes_ < most_bytes_ && bytes <= most_bytes_ - bytes_));
}

bool roster::enter(const command& one) {
  const std::size_t bytes = bytes_of(one);
  entry added;
  added.seq = one.seq;
  added.line = one.line;
  added.text = excerpt(one.text, k_excerpt);
  if (one.key) {
    added.key = excerpt(*one.key, k_excerpt);
    added.where = standing::behind_key;
  }
  added.bytes = bytes;
  for (;;) {
    {
      const sync::lock_guard held(mutex_);
      last_read_ = one.seq;
      reader_waits_ = !stopped_ && !has_room_locked(bytes);
      if (stopped_) {
        return false;
      }
      if (!reader_waits_) {
        entries_.emplace(one.seq, std::move(added));
        bytes_ += bytes;
        return true;
      }
    }
    room_.park();
  }
}

void roster::stop() noexcept {
  {
    const sync::lock_guard held(mutex_);
    stopped_ = true;
  }
  room_.unpark();
}

template <class Change>
void roster::change(std::uint64_t seq, Change&& change) {
  const sync::lock_guard held(mutex_);
  if (const auto found = entries_.find(seq); found != entries_.end()) {
    change(found->second);
  }
}

void roster::is_ready(std::uint64_t seq) {
  change(seq, [](entry& one) { one.where = standing::ready; });
}

void roster::runs(std::uint64_t seq, unsigned attempt) {
  const auto now = std::chrono::steady_clock::now();
  change(seq, [&](entry& one) {
    one.where = standing::running;
    one.attempt = attempt;
    one.pid = 0;
    one.time = now;
  });
}

void roster::has_process(std::uint64_t seq, pid_t pid) {
  change(seq, [&](entry& one) { one.pid = pid; });
}

void roster::retries(std::uint64_t seq, unsigned attempt, steady_time due) {
  change(seq, [&](entry& one) {
    one.where = standing::retrying;
    one.attempt = attempt;
    one.time = due;
  });
}

void roster::ends(std::uint64_t seq) {
  change(seq, [](entry& one) { one.where = standing::ending; });
}

void roster::leave(std::uint64_t seq) noexcept {
  {
    const sync::lock_guard held(mutex_);
    const auto found = entries_.find(seq);
    if (found == entries_.end()) {
      return;
    }
    bytes_ -= found->second.bytes;
    entries_.erase(found);
    if (!reader_waits_) {
      return;
    }
  }
  room_.unpark();
}

roster::view roster::look(std::size_t few) const {
  view seen;
  lane_counts lanes;
  {
    const sync::lock_guard held(mutex_);
    seen.bytes = bytes_;
    seen.last_read = last_read_;
    seen.reader_waits = reader_waits_ && !stopped_;
    for (const auto& [seq, one] : entries_) {
      lanes.add(one);
      show(one, few, seen);
    }
  }
  std::sort(seen.retrying.begin(), seen.retrying.end(), [](const entry& left, const entry& right) {
    return std::tie(left.time, left.seq) < std::tie(right.time, right.seq);
  });
  cut(seen.retrying, few);
  seen.lanes = lanes.blocked();
  seen.lane_count = seen.lanes.size();
  cut(seen.lanes, few);
  return seen;
}

}  // namespace weir::process
