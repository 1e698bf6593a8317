#include "edges/famine.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEIR_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEIR_SANITIZED
#endif
#endif

namespace {

constinit thread_local int left = 0;  // until the one that fails; 0: none does
constinit thread_local bool failed = false;
constinit thread_local bool pages_fail = false;
constinit thread_local bool spared = false;
constinit std::atomic<bool> elsewhere{false};

bool fails() noexcept {
  if (elsewhere.load(std::memory_order_relaxed) && !spared) return true;
  if (left == 0 || --left != 0) return false;
  failed = true;
  return true;
}

void* allocate(std::size_t bytes) {
  void* const memory = fails() ? nullptr : std::malloc(bytes != 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = fails() ? nullptr : std::aligned_alloc(alignment, whole);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#ifndef WEIR_SANITIZED
extern "C" void* mmap(void* where, std::size_t bytes, int protection, int flags, int fd,
                      off_t offset) noexcept {
  if (pages_fail || fails()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(::syscall(SYS_mmap, where, bytes, protection, flags, fd, offset));
}
#endif

namespace weir::testing {

failing_allocation::failing_allocation(int n) noexcept {
  ::failed = false;
  left = n;
}
failing_allocation::~failing_allocation() { left = 0; }
bool failing_allocation::failed() const noexcept { return ::failed; }

famine_elsewhere::famine_elsewhere() noexcept {
  spared = true;
  elsewhere = true;
}
famine_elsewhere::~famine_elsewhere() {
  elsewhere = false;
  spared = false;
}

page_famine::page_famine() noexcept { pages_fail = true; }
page_famine::~page_famine() { pages_fail = false; }

bool pages_can_fail() noexcept {
#ifdef WEIR_SANITIZED
  return false;
#else
  return true;
#endif
}

}  // namespace weir::testing
