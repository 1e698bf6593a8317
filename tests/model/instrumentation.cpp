#include <cstring>

#include "model/engine.hpp"
#include "model/machine.hpp"
#include "model/shadow.hpp"

/// What a compiler calls for every access of code that it instruments with -fsanitize=thread. Here
/// it goes to the model, which knows of every access whether it is ordered; ThreadSanitizer itself
/// is not linked. The names are the compilers'.

namespace {

using weir::model::engine_scope;
using weir::model::shadow::access;

inline void plain(const void* address, std::size_t bytes, access how, const void* caller) {
  if (!weir::model::program_runs) return;
  const engine_scope scope;
  weir::model::shadow::touch(address, bytes, how, caller);
}

/// An atomic of the standard library, one inside std::stop_source say: no point to interrupt, but
/// it orders what it orders.
class foreign {
 public:
  foreign(const volatile void* address, bool releases) noexcept
      : address_(const_cast<const void*>(address)), active_(weir::model::program_runs) {
    weir::model::program_runs = false;
    if (!active_) return;
    auto& machine = weir::model::the_machine;
    const unsigned fiber = weir::model::current_fiber();
    if (releases) machine.atomics().release(address_, fiber);
    machine.atomics().acquire(address_, fiber);
    if (releases) machine.tick();
  }
  ~foreign() { weir::model::program_runs = active_; }
  foreign(const foreign&) = delete;
  foreign& operator=(const foreign&) = delete;

 private:
  const void* address_;
  bool active_;
};

}  // namespace

#define WEIR_CALLER __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define WEIR_MODEL_ACCESS(bytes)                                                               \
  void __tsan_read##bytes(void* at) { plain(at, bytes, access::read, WEIR_CALLER); }           \
  void __tsan_write##bytes(void* at) { plain(at, bytes, access::write, WEIR_CALLER); }         \
  void __tsan_unaligned_read##bytes(void* at) { plain(at, bytes, access::read, WEIR_CALLER); } \
  void __tsan_unaligned_write##bytes(void* at) { plain(at, bytes, access::write, WEIR_CALLER); }
WEIR_MODEL_ACCESS(1)
WEIR_MODEL_ACCESS(2)
WEIR_MODEL_ACCESS(4)
WEIR_MODEL_ACCESS(8)
WEIR_MODEL_ACCESS(16)
#undef WEIR_MODEL_ACCESS

void __tsan_read_range(void* at, unsigned long bytes) {
  plain(at, bytes, access::read, WEIR_CALLER);
}
void __tsan_write_range(void* at, unsigned long bytes) {
  plain(at, bytes, access::write, WEIR_CALLER);
}
void __tsan_vptr_read(void** at) { plain(at, sizeof *at, access::read, WEIR_CALLER); }
void __tsan_vptr_update(void** at, void* value) {
  // A destructor writes the table that is there already.
  if (*at != value) plain(at, sizeof *at, access::write, WEIR_CALLER);
}
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  plain(from, bytes, access::read, WEIR_CALLER);
  plain(to, bytes, access::write, WEIR_CALLER);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
  plain(from, bytes, access::read, WEIR_CALLER);
  plain(to, bytes, access::write, WEIR_CALLER);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  plain(to, bytes, access::write, WEIR_CALLER);
  return std::memset(to, value, bytes);
}

#define WEIR_MODEL_CHANGE(bits, type, name)                            \
  type __tsan_atomic##bits##_##name(volatile type* at, type by, int) { \
    const foreign step(at, true);                                      \
    return __atomic_##name(at, by, __ATOMIC_SEQ_CST);                  \
  }
#define WEIR_MODEL_SWAP(bits, type, strength, weak)                                        \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile type* at, type* expected, \
                                                        type desired, int, int) {          \
    const foreign step(at, true);                                                          \
    return __atomic_compare_exchange_n(at, expected, desired, weak, __ATOMIC_SEQ_CST,      \
                                       __ATOMIC_SEQ_CST);                                  \
  }
#define WEIR_MODEL_ATOMIC(bits, type)                                    \
  type __tsan_atomic##bits##_load(const volatile type* at, int) {        \
    const foreign step(at, false);                                       \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                        \
  }                                                                      \
  void __tsan_atomic##bits##_store(volatile type* at, type by, int) {    \
    const foreign step(at, true);                                        \
    __atomic_store_n(at, by, __ATOMIC_SEQ_CST);                          \
  }                                                                      \
  type __tsan_atomic##bits##_exchange(volatile type* at, type by, int) { \
    const foreign step(at, true);                                        \
    return __atomic_exchange_n(at, by, __ATOMIC_SEQ_CST);                \
  }                                                                      \
  WEIR_MODEL_CHANGE(bits, type, fetch_add)                               \
  WEIR_MODEL_CHANGE(bits, type, fetch_sub)                               \
  WEIR_MODEL_CHANGE(bits, type, fetch_and)                               \
  WEIR_MODEL_CHANGE(bits, type, fetch_or)                                \
  WEIR_MODEL_CHANGE(bits, type, fetch_xor)                               \
  WEIR_MODEL_SWAP(bits, type, strong, false)                             \
  WEIR_MODEL_SWAP(bits, type, weak, true)
WEIR_MODEL_ATOMIC(8, unsigned char)
WEIR_MODEL_ATOMIC(16, unsigned short)
WEIR_MODEL_ATOMIC(32, unsigned int)
WEIR_MODEL_ATOMIC(64, unsigned long)
#undef WEIR_MODEL_ATOMIC
#undef WEIR_MODEL_SWAP
#undef WEIR_MODEL_CHANGE

}  // extern "C"
