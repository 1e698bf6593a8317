#include "task/task_memory.hpp"

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "base/intrusive_list.hpp"
#include "base/prefetch.hpp"
#include "sync/fork.hpp"
#include "sync/mutex.hpp"
#include "weir/detail/task_base.hpp"

/// Memory for tasks. A task is made by one thread and freed by another, which general allocators
/// pay for with a contended lock per task. Here each thread keeps two magazines of free blocks of
/// each size and trades them at a depot, under a lock that is taken once a magazine; pages that are
/// entirely free go back to the system. Design and figures: docs/design/task-memory.md.
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
void will_trim_task_memory() noexcept {}
bool take_trimming() noexcept { return false; }
void leave_trimming() noexcept {}

#else

namespace {

constexpr std::size_t k_granule = 16;
constexpr std::size_t k_block_alignment = 16;
constexpr std::size_t k_largest = 512;
constexpr std::size_t k_classes = k_largest / k_granule;
constexpr std::size_t k_page_bytes = 64 * 1024;
constexpr std::size_t k_kept_pages = 1;  // empty pages that a size keeps for the next burst
// Full magazines that a depot takes: from threads that will come to trim, and from all others.
constexpr std::size_t k_full_magazines = 8192;
constexpr std::size_t k_full_magazines_of_others = 1024;
constexpr std::size_t k_spilled_with_one = 4;  // kept magazines, after more came than is kept
constexpr std::size_t k_worth_trimming = 16;

constexpr std::size_t class_of(std::size_t bytes) { return (bytes - 1) / k_granule; }
constexpr std::size_t bytes_of(std::size_t size_class) { return (size_class + 1) * k_granule; }

struct free_block {
  free_block* next;
};

/// The head of a page; blocks follow. Pages are aligned to their size, so that a block finds its
/// page.
struct alignas(64) page {
  list_links<page> links;
  free_block* free = nullptr;
  std::size_t free_count = 0;  // in `free`
  std::size_t fresh = 0;       // blocks at the end of the page that were never used
  std::size_t capacity = 0;

  [[nodiscard]] bool empty() const noexcept { return free_count + fresh == capacity; }
  [[nodiscard]] bool full() const noexcept { return free_count + fresh == 0; }

  void* take(std::size_t block_bytes) noexcept {
    if (free == nullptr) {
      const std::size_t index = capacity - fresh--;
      return reinterpret_cast<char*>(this) + sizeof(page) + index * block_bytes;
    }
    --free_count;
    return std::exchange(free, free->next);
  }
  void put(void* block) noexcept {
    free = ::new (block) free_block{free};
    ++free_count;
  }

  static page* of(void* memory) noexcept {
    return reinterpret_cast<page*>(reinterpret_cast<std::uintptr_t>(memory) & ~(k_page_bytes - 1));
  }
};

// One call that also fills the page: page faults one by one cost several times as much.
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

/// The pages of blocks of one size. Every page with a free block is in `usable_`. Whoever uses it
/// holds a lock.
class page_source {
 public:
  explicit constexpr page_source(std::size_t block_bytes) noexcept : block_bytes_(block_bytes) {}

  /// Throws `std::bad_alloc`.
  void* take() {
    if (usable_.empty()) add_page();
    page& source = *usable_.front();
    if (source.empty()) --empty_pages_;
    void* const block = source.take(block_bytes_);
    if (source.full()) usable_.remove(source);
    return block;
  }

  void put(void* block) noexcept {
    page& home = *page::of(block);
    if (home.full()) usable_.push_back(home);
    home.put(block);
    if (home.empty() && ++empty_pages_ > k_kept_pages) unmap(home);
  }

  [[nodiscard]] bool has_block() const noexcept { return !usable_.empty(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return pages_ * k_page_bytes; }

 private:
  void add_page() {
    auto* made = ::new (map_aligned()) page;
    made->fresh = made->capacity = (k_page_bytes - sizeof(page)) / block_bytes_;
    usable_.push_back(*made);
    ++pages_;
    ++empty_pages_;
  }

  void unmap(page& gone) noexcept {
    usable_.remove(gone);
    --pages_;
    --empty_pages_;
    ::munmap(&gone, k_page_bytes);
  }

  const std::size_t block_bytes_;
  intrusive_list<page, &page::links> usable_;
  std::size_t pages_ = 0;
  std::size_t empty_pages_ = 0;
};

/// Free blocks on their way from one thread to another. Pointers, so that nobody touches a block
/// that another core has in its cache before there is something to write into it.
struct magazine {
  static constexpr std::size_t k_most = 61;  // so that it takes 512 bytes
  static constexpr std::size_t k_prefetch = 6;

  list_links<magazine> links;
  std::size_t count = 0;
  std::array<void*, k_most> blocks;

  [[nodiscard]] bool empty() const noexcept { return count == 0; }
  [[nodiscard]] bool full() const noexcept { return count == k_most; }
  void push(void* block) noexcept { blocks[count++] = block; }
  void* pop() noexcept {
    --count;
    if (count >= k_prefetch) {
      const auto* soon = static_cast<const char*>(blocks[count - k_prefetch]);
      prefetch_for_write(soon);
      prefetch_for_write(soon + 64);
    }
    return blocks[count];
  }

  static void* operator new(std::size_t bytes);
  static void operator delete(void* gone) noexcept;
};

static_assert(sizeof(magazine) <= 512);

/// Where magazines come from, so that they go back to the system as well.
struct magazine_store {
  sync::mutex mutex;
  page_source pages WEIR_GUARDED_BY(mutex){sizeof(magazine)};
};
constinit magazine_store store;

void* magazine::operator new(std::size_t) {
  const sync::lock_guard lock(store.mutex);
  return store.pages.take();
}

void magazine::operator delete(void* gone) noexcept {
  const sync::lock_guard lock(store.mutex);
  store.pages.put(gone);
}

/// How many full magazines all depots hold: what a rest would give back.
constinit sync::atomic<std::size_t> full_magazines{0};
/// Whether a thread will look after that.
constinit sync::atomic<bool> trimming{false};

/// All memory of one size: full magazines, and the pages that blocks come from.
class depot {
 public:
  explicit constexpr depot(std::size_t block_bytes) noexcept : pages_(block_bytes) {}

  /// A magazine with at least one block; `spent`, where there is one, is empty and goes back.
  /// Throws `std::bad_alloc`, and `spent` stays the caller's.
  magazine* trade_for_full(magazine* spent) {
    const sync::lock_guard lock(mutex_);
    overflowed_ = false;
    if (magazine* ready = take_full()) {
      if (spent != nullptr) empty_.push_back(*spent);
      return ready;
    }
    void* const first = pages_.take();
    magazine* filled = spent;
    try {
      if (filled == nullptr) filled = take_empty();
    } catch (...) {
      pages_.put(first);
      throw;
    }
    filled->push(first);
    fill(*filled);
    return filled;
  }

  /// An empty magazine for a full one, or for none. Null only when there is no memory for a first
  /// one.
  magazine* trade_for_empty(magazine* filled, std::size_t most) noexcept {
    const sync::lock_guard lock(mutex_);
    const bool by_others = most < k_full_magazines;
    if (full_count_ >= most && by_others) overflowed_ = true;
    if (filled != nullptr && (full_count_ >= most || (overflowed_ && by_others))) {
      spill(*filled);
      if (by_others) spill_kept();
      return filled;
    }
    magazine* fresh = nullptr;
    try {
      fresh = take_empty();
    } catch (const std::bad_alloc&) {
      if (filled != nullptr) spill(*filled);
      return filled;
    }
    if (filled != nullptr) keep_full(*filled);
    return fresh;
  }

  void give_back(void* block) noexcept {
    const sync::lock_guard lock(mutex_);
    pages_.put(block);
  }

  void take_back(magazine* unused) noexcept {
    if (unused == nullptr) return;
    const sync::lock_guard lock(mutex_);
    spill(*unused);
    empty_.push_back(*unused);
  }

  /// Gives all that nobody uses back to the pages; in steps, for others to come in between.
  void trim() noexcept {
    while (trim_one()) {
    }
  }

  void hold() noexcept WEIR_ACQUIRE(mutex_) { mutex_.lock(); }
  void let_go() noexcept WEIR_RELEASE(mutex_) { mutex_.unlock(); }

  [[nodiscard]] std::size_t bytes() noexcept {
    const sync::lock_guard lock(mutex_);
    return pages_.bytes();
  }

 private:
  using magazines = intrusive_list<magazine, &magazine::links>;

  magazine* take_empty() WEIR_REQUIRES(mutex_) {
    return empty_.empty() ? new magazine : empty_.pop_front();
  }

  // As much as there is memory for without asking the system for more than a page.
  void fill(magazine& target) noexcept WEIR_REQUIRES(mutex_) {
    while (!target.full() && pages_.has_block()) target.push(pages_.take());
  }

  void keep_full(magazine& filled) noexcept WEIR_REQUIRES(mutex_) {
    full_.push_front(filled);
    ++full_count_;
    full_magazines.fetch_add(1, sync::relaxed);
  }

  magazine* take_full() noexcept WEIR_REQUIRES(mutex_) {
    magazine* const taken = full_.pop_front();
    if (taken == nullptr) return nullptr;
    --full_count_;
    full_magazines.fetch_sub(1, sync::relaxed);
    return taken;
  }

  bool trim_one() noexcept {
    const sync::lock_guard lock(mutex_);
    while (magazine* spent = empty_.pop_front()) delete spent;
    magazine* const surplus = take_full();
    if (surplus == nullptr) return false;
    spill(*surplus);
    delete surplus;
    return true;
  }

  // Blocks that are freed in no order leave one here and one there in every page, and few that are
  // kept keep all pages. So when more comes than is kept, what is kept goes too: a few at a time,
  // for others to come in between.
  void spill_kept() noexcept WEIR_REQUIRES(mutex_) {
    for (std::size_t left = k_spilled_with_one; left > 0; --left) {
      magazine* const kept = take_full();
      if (kept == nullptr) return;
      spill(*kept);
      empty_.push_back(*kept);
    }
  }

  // Each block's page is another line of memory: all are fetched at once.
  void spill(magazine& from) noexcept WEIR_REQUIRES(mutex_) {
    for (std::size_t at = 0; at < from.count; ++at) prefetch_for_write(page::of(from.blocks[at]));
    while (!from.empty()) pages_.put(from.pop());
  }

  sync::mutex mutex_;
  // Since the last demand others than those who trim have freed more than is kept.
  bool overflowed_ WEIR_GUARDED_BY(mutex_) = false;
  magazines full_ WEIR_GUARDED_BY(mutex_);
  magazines empty_ WEIR_GUARDED_BY(mutex_);
  std::size_t full_count_ WEIR_GUARDED_BY(mutex_) = 0;
  page_source pages_ WEIR_GUARDED_BY(mutex_);
};

template <std::size_t... Class>
constexpr std::array<depot, k_classes> make_depots(std::index_sequence<Class...>) noexcept {
  return {depot(bytes_of(Class))...};
}

// Never destroyed: handles with static storage may outlive any static object.
static_assert(std::is_trivially_destructible_v<depot>);
constinit std::array<depot, k_classes> depots = make_depots(std::make_index_sequence<k_classes>());

/// All depots, then the store that they call: as they nest.
struct memory_in_fork final : sync::fork_part {
  void hold_for_fork() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS {
    for (auto& each : depots) each.hold();
    store.mutex.lock();
  }
  void resume_parent() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS {
    store.mutex.unlock();
    for (auto& each : depots) each.let_go();
  }
  void resume_child() noexcept override {
    trimming.store(false, sync::relaxed);  // whoever did it is not here
    resume_parent();
  }
};
constinit memory_in_fork in_fork;
[[maybe_unused]] const bool in_fork_joined =
    (sync::join_forks(in_fork, sync::fork_rank::memory), true);

/// What one thread has at hand of one size. Two magazines, so that a thread that makes and frees in
/// turn at the edge of one does not go to the depot each time.
struct shelf {
  magazine* loaded = nullptr;
  magazine* other = nullptr;
};

struct thread_cache {
  std::array<shelf, k_classes> shelves;
  bool trims = false;  // the thread comes to `take_trimming` before it sleeps
  bool over = false;   // its destructors have run
};

constinit thread_local thread_cache cache;

void clear(shelf& mine, std::size_t size_class) noexcept {
  depots[size_class].take_back(std::exchange(mine.loaded, nullptr));
  depots[size_class].take_back(std::exchange(mine.other, nullptr));
}

void clear_all() noexcept {
  for (std::size_t at = 0; at < k_classes; ++at) clear(cache.shelves[at], at);
}

struct end_of_thread {
  ~end_of_thread() {
    clear_all();
    cache.over = true;
  }
};

void expect_end_of_thread() {
  static thread_local end_of_thread at_end;
  static_cast<void>(at_end);
}

[[gnu::noinline]] void* take_from_other(shelf& mine, std::size_t size_class) {
  if (mine.other == nullptr || mine.other->empty()) {
    expect_end_of_thread();
    mine.other = depots[size_class].trade_for_full(mine.other);
  }
  std::swap(mine.loaded, mine.other);
  return mine.loaded->pop();
}

[[gnu::noinline]] void put_into_other(shelf& mine, std::size_t size_class, void* block) noexcept {
  if (mine.other == nullptr || mine.other->full()) {
    expect_end_of_thread();
    const std::size_t most = cache.trims ? k_full_magazines : k_full_magazines_of_others;
    mine.other = depots[size_class].trade_for_empty(mine.other, most);
    if (mine.other == nullptr) return depots[size_class].give_back(block);
  }
  std::swap(mine.loaded, mine.other);
  mine.loaded->push(block);
}

}  // namespace

void* allocate_task(std::size_t bytes, std::size_t alignment) {
  if (bytes > k_largest || alignment > k_block_alignment) return plain_allocate(bytes, alignment);
  const std::size_t size_class = class_of(bytes);
  shelf& mine = cache.shelves[size_class];
  if (mine.loaded != nullptr && !mine.loaded->empty()) return mine.loaded->pop();
  void* const block = take_from_other(mine, size_class);
  if (cache.over) clear(mine, size_class);
  return block;
}

void deallocate_task(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > k_largest || alignment > k_block_alignment)
    return plain_free(memory, bytes, alignment);
  const std::size_t size_class = class_of(bytes);
  shelf& mine = cache.shelves[size_class];
  if (mine.loaded != nullptr && !mine.loaded->full()) return mine.loaded->push(memory);
  put_into_other(mine, size_class, memory);
  if (cache.over) clear(mine, size_class);
}

std::size_t task_memory_bytes() noexcept {
  std::size_t sum = 0;
  for (auto& each : depots) sum += each.bytes();
  const sync::lock_guard lock(store.mutex);
  return sum + store.pages.bytes();
}

void trim_task_memory() noexcept {
  clear_all();
  for (auto& each : depots) each.trim();
}

void will_trim_task_memory() noexcept { cache.trims = true; }

bool take_trimming() noexcept {
  return full_magazines.load(sync::relaxed) >= k_worth_trimming &&
         !trimming.exchange(true, sync::relaxed);
}

void leave_trimming() noexcept { trimming.store(false, sync::relaxed); }

#endif

}  // namespace weir::detail
