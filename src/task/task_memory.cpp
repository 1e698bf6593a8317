#include "task/task_memory.hpp"

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <new>

#include "base/intrusive_list.hpp"
#include "sync/mutex.hpp"
#include "weir/detail/task_base.hpp"

/// Memory for tasks. A task is made by one thread and freed by another, which general allocators
/// pay for with a contended lock per task. Here each thread keeps a few blocks of each size; a
/// central list per size, under a lock that is taken once in k_batch blocks, keeps the pages and
/// gives empty ones back to the system. Design and figures: docs/design/task-memory.md.
namespace weir::detail {

#if defined(WEIR_SYNC_SEAM) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEIR_PLAIN_TASK_MEMORY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEIR_PLAIN_TASK_MEMORY  // an explorer or sanitizer must see every block's end
#endif
#endif

namespace {

void* plain_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator new(bytes);
  return ::operator new(bytes, std::align_val_t(alignment));
}

void plain_free(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator delete(memory, bytes);
  ::operator delete(memory, bytes, std::align_val_t(alignment));
}

}  // namespace

#ifdef WEIR_PLAIN_TASK_MEMORY

void* allocate_task(std::size_t bytes, std::size_t alignment) {
  return plain_allocate(bytes, alignment);
}
void deallocate_task(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  plain_free(memory, bytes, alignment);
}
std::size_t task_memory_bytes() noexcept { return 0; }
void trim_task_memory() noexcept {}

#else

namespace {

constexpr std::size_t k_granule = 16;
constexpr std::size_t k_block_alignment = 16;
constexpr std::size_t k_largest = 256;
constexpr std::size_t k_classes = k_largest / k_granule;
constexpr std::size_t k_page_bytes = 64 * 1024;
constexpr std::size_t k_batch = 64;      // blocks per trip to the central list
constexpr std::size_t k_kept_pages = 8;  // empty pages that a size keeps for the next burst

constexpr std::size_t class_of(std::size_t bytes) { return (bytes - 1) / k_granule; }
constexpr std::size_t bytes_of(std::size_t size_class) { return (size_class + 1) * k_granule; }

struct block {
  block* next;
};

/// The head of a page; blocks follow. Pages are aligned to their size, so that a block finds its
/// page.
struct alignas(64) page {
  list_links<page> links;
  block* free = nullptr;
  std::size_t free_count = 0;  // in `free`
  std::size_t fresh = 0;       // blocks at the end of the page that were never used
  std::size_t capacity = 0;

  [[nodiscard]] bool empty() const noexcept { return free_count + fresh == capacity; }
  [[nodiscard]] bool full() const noexcept { return free_count + fresh == 0; }

  static page* of(void* memory) noexcept {
    return reinterpret_cast<page*>(reinterpret_cast<std::uintptr_t>(memory) & ~(k_page_bytes - 1));
  }
};

// One call that also fills the page: sixteen page faults cost several times as much.
void* map(std::size_t bytes, int how) {
  void* raw =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | how, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  return raw;
}

bool is_aligned(void* memory) noexcept {
  return (reinterpret_cast<std::uintptr_t>(memory) & (k_page_bytes - 1)) == 0;
}

// The system lays mappings side by side, so after the first one they come aligned; where not, the
// aligned middle of a larger one is kept.
void* map_aligned() {
  void* raw = map(k_page_bytes, MAP_POPULATE);
  if (is_aligned(raw)) return raw;
  ::munmap(raw, k_page_bytes);
  raw = map(2 * k_page_bytes, 0);
  const auto start = reinterpret_cast<std::uintptr_t>(raw);
  const auto aligned = (start + k_page_bytes - 1) & ~(k_page_bytes - 1);
  if (aligned != start) ::munmap(raw, aligned - start);
  const auto tail = start + 2 * k_page_bytes - (aligned + k_page_bytes);
  if (tail != 0) ::munmap(reinterpret_cast<void*>(aligned + k_page_bytes), tail);
  return reinterpret_cast<void*>(aligned);
}

page* map_page(std::size_t size_class) {
  auto* made = ::new (map_aligned()) page;
  made->fresh = made->capacity = (k_page_bytes - sizeof(page)) / bytes_of(size_class);
  return made;
}

/// All pages of one size. Every page with a free block is in `usable`.
class central_list {
 public:
  /// A chain of at most k_batch blocks, at least one. Throws `std::bad_alloc`.
  block* take(std::size_t size_class, std::size_t& count) {
    const sync::lock_guard lock(mutex_);
    if (usable_.empty()) {
      usable_.push_back(*map_page(size_class));
      ++pages_;
      ++empty_pages_;
    }
    page& source = *usable_.front();
    if (source.empty()) --empty_pages_;
    block* chain = nullptr;
    for (count = 0; count < k_batch && !source.full(); ++count) {
      block* taken = source.free;
      if (taken != nullptr) {
        source.free = taken->next;
        --source.free_count;
      } else {
        const std::size_t index = source.capacity - source.fresh--;
        char* first = reinterpret_cast<char*>(&source) + sizeof(page);
        taken = reinterpret_cast<block*>(first + index * bytes_of(size_class));
      }
      taken->next = chain;
      chain = taken;
    }
    if (source.full()) usable_.remove(source);
    return chain;
  }

  void give_back(block* chain) noexcept {
    const sync::lock_guard lock(mutex_);
    while (chain != nullptr) {
      block* const returned = chain;
      chain = chain->next;
      page& home = *page::of(returned);
      if (home.full()) usable_.push_back(home);
      returned->next = home.free;
      home.free = returned;
      ++home.free_count;
      if (home.empty() && ++empty_pages_ > k_kept_pages) unmap(home);
    }
  }

  [[nodiscard]] std::size_t bytes() noexcept {
    const sync::lock_guard lock(mutex_);
    return pages_ * k_page_bytes;
  }

 private:
  void unmap(page& gone) noexcept WEIR_REQUIRES(mutex_) {
    usable_.remove(gone);
    --pages_;
    --empty_pages_;
    ::munmap(&gone, k_page_bytes);
  }

  sync::mutex mutex_;
  intrusive_list<page, &page::links> usable_ WEIR_GUARDED_BY(mutex_);
  std::size_t pages_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t empty_pages_ WEIR_GUARDED_BY(mutex_) = 0;
};

// Never destroyed: handles with static storage may outlive any static object.
central_list& central(std::size_t size_class) noexcept {
  alignas(central_list) static std::byte storage[k_classes][sizeof(central_list)];
  static const bool made = [] {
    for (auto& place : storage) ::new (static_cast<void*>(place)) central_list;
    return true;
  }();
  static_cast<void>(made);
  return *std::launder(reinterpret_cast<central_list*>(storage[size_class]));
}

struct magazine {
  block* chain = nullptr;
  std::size_t count = 0;
};

struct thread_cache {
  std::array<magazine, k_classes> sizes;
  bool over = false;  // the thread's destructors have run
};

constinit thread_local thread_cache cache;

// Returns `count` blocks of a magazine, the whole of it for count = its own.
void return_blocks(std::size_t size_class, magazine& from, std::size_t count) noexcept {
  if (count == 0) return;
  block* const first = from.chain;
  block* last = first;
  for (std::size_t at = 1; at < count; ++at) last = last->next;
  from.chain = last->next;
  from.count -= count;
  last->next = nullptr;
  central(size_class).give_back(first);
}

struct end_of_thread {
  ~end_of_thread() {
    trim_task_memory();
    cache.over = true;
  }
};

void refill(std::size_t size_class, magazine& empty) {
  static thread_local end_of_thread at_end;
  static_cast<void>(at_end);
  empty.chain = central(size_class).take(size_class, empty.count);
}

}  // namespace

void* allocate_task(std::size_t bytes, std::size_t alignment) {
  if (bytes > k_largest || alignment > k_block_alignment) return plain_allocate(bytes, alignment);
  const std::size_t size_class = class_of(bytes);
  magazine& mine = cache.sizes[size_class];
  if (mine.chain == nullptr) refill(size_class, mine);
  block* const taken = mine.chain;
  mine.chain = taken->next;
  --mine.count;
  return taken;
}

void deallocate_task(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > k_largest || alignment > k_block_alignment)
    return plain_free(memory, bytes, alignment);
  const std::size_t size_class = class_of(bytes);
  magazine& mine = cache.sizes[size_class];
  auto* const returned = static_cast<block*>(memory);
  returned->next = mine.chain;
  mine.chain = returned;
  ++mine.count;
  if (mine.count >= 2 * k_batch) return_blocks(size_class, mine, k_batch);
  if (cache.over) return_blocks(size_class, mine, mine.count);
}

std::size_t task_memory_bytes() noexcept {
  std::size_t sum = 0;
  for (std::size_t size_class = 0; size_class < k_classes; ++size_class) {
    sum += central(size_class).bytes();
  }
  return sum;
}

void trim_task_memory() noexcept {
  for (std::size_t size_class = 0; size_class < k_classes; ++size_class) {
    return_blocks(size_class, cache.sizes[size_class], cache.sizes[size_class].count);
  }
}

#endif

}  // namespace weir::detail
