#include "model/port.hpp"

#include <pthread.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "model/engine.hpp"
#include "model/machine.hpp"
#include "model/shadow.hpp"
#include "sync/futex.hpp"
#include "sync/thread.hpp"
#include "weir/detail/assert.hpp"

namespace weir::model {

namespace {

using shadow::access;

machine& here() noexcept { return the_machine; }

// Outside of an execution there is one thread and plain memory.
bool outside() noexcept { return !now_here.running; }

/// One step of the program on an atomic: others may go first; then it counts as an access.
class step_on {
 public:
  step_on(const char* verb, const void* address, unsigned size, std::uint64_t value, access how,
          const void* caller) {
    here().point(verb, address, value, caller);
    shadow::touch(address, size, how, caller);
  }
  ~step_on() { here().tick(); }
  step_on(const step_on&) = delete;
  step_on& operator=(const step_on&) = delete;

 private:
  const engine_scope scope_;
};

std::uint64_t read_plainly(const void* address, unsigned size) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, address, size);
  return value;
}

}  // namespace

#define WEIR_MODEL_CALLER __builtin_return_address(0)

void atomic_born(const void* address) noexcept {
  if (outside()) return;
  const engine_scope scope;
  here().atomics().born(address);
}

std::uint64_t atomic_load(const void* address, unsigned size, std::memory_order order) noexcept {
  if (outside()) return read_plainly(address, size);
  const step_on step("load", address, size, 0, access::atomic_read, WEIR_MODEL_CALLER);
  return here().atomics().load(address, size, order, now_here.fiber);
}

void atomic_store(void* address, unsigned size, std::uint64_t value,
                  std::memory_order order) noexcept {
  if (outside()) {
    std::memcpy(address, &value, size);
    return;
  }
  const step_on step("store", address, size, value, access::atomic_write, WEIR_MODEL_CALLER);
  here().atomics().store(address, size, value, order, now_here.fiber);
}

std::uint64_t atomic_rmw(void* address, unsigned size, rmw what, std::uint64_t operand,
                         std::memory_order order) noexcept {
  if (outside()) {
    const std::uint64_t before = read_plainly(address, size);
    const std::uint64_t after = applied(what, before, operand);
    std::memcpy(address, &after, size);
    return before;
  }
  const step_on step("change", address, size, operand, access::atomic_write, WEIR_MODEL_CALLER);
  return here().atomics().change(address, size, what, operand, order, now_here.fiber);
}

bool atomic_cas(void* address, unsigned size, std::uint64_t& expected, std::uint64_t desired,
                std::memory_order success, std::memory_order failure) noexcept {
  if (outside()) {
    const std::uint64_t found = read_plainly(address, size);
    const bool equal = found == expected;
    if (equal) std::memcpy(address, &desired, size);
    expected = found;
    return equal;
  }
  const step_on step("swap if", address, size, desired, access::atomic_write, WEIR_MODEL_CALLER);
  return here().atomics().compare_and_swap(address, size, expected, desired, success, failure,
                                           now_here.fiber);
}

bool fails_for_no_reason() noexcept {
  if (outside()) return false;
  const engine_scope scope;
  return here().fails_for_no_reason();
}

bool futex_sleep(const void* word, std::uint32_t expected,
                 std::optional<virtual_time> until) noexcept {
  if (outside()) fail("a thread sleeps outside of an execution");
  const step_on step("sleep", word, sizeof expected, expected, access::atomic_read,
                     WEIR_MODEL_CALLER);
  return here().sleep(word, expected, until);
}

// Touches nothing: a wake may name memory that is gone.
void futex_rouse(const void* word, int count) noexcept {
  if (outside()) return;
  const engine_scope scope;
  here().point("wake", word, static_cast<std::uint64_t>(count), WEIR_MODEL_CALLER);
  here().rouse(word, count);
}

virtual_time virtual_now() noexcept { return here().now(); }

void yield() noexcept {
  if (outside()) return;
  const engine_scope scope;
  here().point("yield", nullptr, 0, WEIR_MODEL_CALLER);
  here().step_aside();
}

void mutex_lock(const void* mutex) noexcept {
  if (outside()) return;
  const step_on step("lock", mutex, 1, 0, access::atomic_write, WEIR_MODEL_CALLER);
  here().lock(mutex);
}

void mutex_unlock(const void* mutex) noexcept {
  if (outside()) return;
  const engine_scope scope;
  shadow::touch(mutex, 1, access::atomic_write, WEIR_MODEL_CALLER);
  here().note("unlock", mutex, 0, WEIR_MODEL_CALLER);
  here().unlock(mutex);
}

unsigned spawn(void (*run)(void*), void* argument) {
  if (outside()) fail("a thread is started outside of an execution");
  bool refused = false;
  {
    const engine_scope scope;
    here().point("start", nullptr, 0, WEIR_MODEL_CALLER);
    refused = here().thread_fails();
    if (!refused) return here().start(run, argument);
  }
  throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
}

void join(unsigned fiber) noexcept {
  const engine_scope scope;
  here().point("join", nullptr, 0, WEIR_MODEL_CALLER);
  here().wait_for_end(fiber);
}

void detach(unsigned fiber) noexcept {
  const engine_scope scope;
  here().detach(fiber);
}

void let_threads_fail() noexcept { here().let_threads_fail(); }

unsigned choose_value(unsigned ways) { return here().choose_value(ways); }

void fail(const char* format, ...) noexcept {
  program_runs = false;
  char text[1024];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (outside()) {
    std::fprintf(stderr, "model: %s\n", text);
    std::abort();
  }
  here().fail(text);
}

uninterrupted::uninterrupted() noexcept { here().hold_back(true); }
uninterrupted::~uninterrupted() { here().hold_back(false); }

void call_elsewhere(void (*run)(void*), void* argument) {
  struct call {
    void (*run)(void*);
    void* argument;
  } made{run, argument};
  const auto perform = [](void* given) -> void* {
    const auto* of = static_cast<const call*>(given);
    of->run(of->argument);
    return nullptr;
  };
  const uninterrupted in_one_step;
  // This one does nothing until the other is over, least of all tell the explorer of an access.
  pthread_t other;
  if (::pthread_create(&other, nullptr, perform, &made) != 0) fail("no thread to call elsewhere");
  ::pthread_join(other, nullptr);
}

}  // namespace weir::model

// What src/sync and src/base define in a real program.

namespace weir::sync {

bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                deadline until) noexcept {
  return model::futex_sleep(&word, expected, until);
}
void futex_wake(const atomic<std::uint32_t>* word, int count) noexcept {
  model::futex_rouse(word, count);
}
std::chrono::steady_clock::time_point real_now() noexcept { return model::virtual_now(); }
void spin_pause() noexcept { model::yield(); }
void name_this_thread(const char*) noexcept {}
void name_this_thread(const char*, std::size_t) noexcept {}
void use_precise_sleep() noexcept {}

}  // namespace weir::sync

namespace weir::detail {

void assertion_failed(const char* expression, const char* file, int line) noexcept {
  model::fail("assertion failed: %s (%s:%d)", expression, file, line);
}

}  // namespace weir::detail
