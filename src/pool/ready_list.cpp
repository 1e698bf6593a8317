#include "pool/ready_list.hpp"

#include <new>

namespace weir::detail {

ready_list::~ready_list() {
  while (ready_chunk* chunk = chunks_.pop_front()) delete chunk;
  while (ready_chunk* chunk = spares_.pop_front()) delete chunk;
}

void ready_list::add_spare() {
  spares_.push_back(*new ready_chunk);
  ++spare_count_;
}

std::size_t ready_list::room() const noexcept {
  const ready_chunk* tail = chunks_.back();
  const std::size_t in_tail = tail != nullptr ? ready_chunk::k_slots - tail->end : 0;
  return in_tail + spare_count_ * ready_chunk::k_slots;
}

void ready_list::reserve(std::size_t count) {
  const std::size_t before = spare_count_;
  try {
    while (room() < count) add_spare();
  } catch (...) {
    for (; spare_count_ > before; --spare_count_) delete spares_.pop_front();
    throw;
  }
}

ready_chunk* ready_list::take_spare() noexcept {
  ready_chunk* chunk = spares_.pop_front();
  WEIR_ASSERT(chunk != nullptr);
  --spare_count_;
  chunk->begin = chunk->end = chunk->live = 0;
  return chunk;
}

ready_chunk* ready_list::append_chunk() noexcept {
  ready_chunk* chunk = take_spare();
  chunks_.push_back(*chunk);
  return chunk;
}

void ready_list::reserve_front(std::size_t count) {
  const std::size_t chunks = (count + ready_chunk::k_slots - 1) / ready_chunk::k_slots;
  while (spare_count_ < chunks) add_spare();
}

void ready_list::push_front(task_base* const* tasks, std::size_t count) noexcept {
  while (count > 0) {
    const std::size_t part = (count - 1) % ready_chunk::k_slots + 1;
    ready_chunk* const chunk = take_spare();
    chunks_.push_front(*chunk);
    count -= part;
    for (std::size_t at = 0; at < part; ++at) put(*tasks[count + at], *chunk, chunk->end++);
  }
}

// The last one stays, for the next task.
void ready_list::give_up(ready_chunk& chunk) noexcept {
  if (chunks_.back() == &chunk) {
    chunk.begin = chunk.end = 0;
    return;
  }
  chunks_.remove(chunk);
  if (spare_count_ < k_spares_max) {
    spares_.push_back(chunk);
    ++spare_count_;
  } else {
    delete &chunk;
  }
}

void ready_list::remove(task_base& task) noexcept {
  ready_chunk& home = *task.chunk;
  WEIR_ASSERT(task.place == task_place::ready && home.slots[task.position] == &task);
  home.slots[task.position] = nullptr;
  task.place = task_place::nowhere;
  --size_;
  if (--home.live == 0) return give_up(home);
  // A tail that loses its youngest shrinks, so that submit-and-cancel needs no memory.
  while (home.slots[home.end - 1] == nullptr) --home.end;
}

std::size_t ready_list::take(task_base** target, std::size_t count) noexcept {
  std::size_t taken = 0;
  while (taken < count && size_ > 0) {
    ready_chunk& head = *chunks_.front();
    while (taken < count && head.live > 0) {
      task_base* task = head.slots[head.begin++];
      if (task == nullptr) continue;
      target[taken++] = task;
      --head.live;
      --size_;
    }
    if (head.live == 0) give_up(head);
  }
  return taken;
}

}  // namespace weir::detail
