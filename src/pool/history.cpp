#include "pool/history.hpp"

#include <algorithm>
#include <string>

#include "task/extras.hpp"

namespace weir::detail {

namespace {

// As much of a name as there is room for, not cut inside a character of UTF-8.
std::size_t kept_bytes(const std::string& name) noexcept {
  if (name.size() <= ended_task::k_name_bytes) return name.size();
  std::size_t length = ended_task::k_name_bytes;
  while (length > 0 && (static_cast<unsigned char>(name[length]) & 0xC0) == 0x80) --length;
  return length;
}

}  // namespace

void history::add(const task_base& task, std::optional<std::size_t> where) noexcept {
  ended_task& record = records_[next_];
  next_ = (next_ + 1) % records_.size();
  const std::string& name = name_of(task);
  record.id = task.id;
  record.due = task.due;
  record.delayed = task.delayed;
  record.submitted = record.started = record.ended = k_not_stamped;
  if (const task_extras* stamps = stamps_of(task)) {
    record.submitted = stamps->submitted;
    record.started = stamps->started.load(sync::relaxed);
    record.ended = stamps->ended.load(sync::relaxed);
  }
  record.started_somewhere = where.has_value();
  record.worker = where.value_or(0);
  record.state = state_of(task);
  record.reason = reason_of(task);
  record.cancellation = cancellation_of(task).value_or(cancellation::never_started);
  record.name_bytes = static_cast<std::uint8_t>(kept_bytes(name));
  std::copy_n(name.begin(), record.name_bytes, record.name.begin());
}

std::optional<ended_task> history::find(std::uint64_t id) const noexcept {
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [id](const ended_task& each) { return each.id == id; });
  if (id == 0 || found == records_.end()) return std::nullopt;
  return *found;
}

}  // namespace weir::detail
