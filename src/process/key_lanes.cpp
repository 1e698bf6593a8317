#include "process/key_lanes.hpp"

#include <optional>
#include <utility>

namespace weir::process {

job_ticket key_lanes::enter(job_ticket one) {
  const std::optional<std::string>& key = one->record.what.key;
  if (!key) {
    return one;
  }
  const sync::lock_guard held(mutex_);
  if (closed_) {
    return one;
  }
  const auto [found, is_new] = lanes_.try_emplace(*key);
  if (is_new) {
    return one;
  }
  found->second.push_back(std::move(one));
  return nullptr;
}

job_ticket key_lanes::leave(const std::string& key) {
  const sync::lock_guard held(mutex_);
  const auto found = lanes_.find(key);
  if (found == lanes_.end()) {
    return nullptr;
  }
  if (found->second.empty()) {
    lanes_.erase(found);
    return nullptr;
  }
  job_ticket next = std::move(found->second.front());
  found->second.pop_front();
  return next;
}

std::vector<job_ticket> key_lanes::close() {
  std::vector<job_ticket> kept;
  const sync::lock_guard held(mutex_);
  closed_ = true;
  for (auto& [key, waiting] : lanes_) {
    for (job_ticket& one : waiting) {
      kept.push_back(std::move(one));
    }
  }
  lanes_.clear();
  return kept;
}

}  // namespace weir::process
