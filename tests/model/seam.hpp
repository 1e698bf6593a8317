#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "base/thread_annotations.hpp"
#include "model/port.hpp"

/// weir's sources bound to the explorer: include/weir/detail/sync.hpp includes this file instead of
/// what a real program gets. With WEIR_MODEL_REAL_MUTEX the mutex is weir's own, on a model futex.
namespace weir::sync {

inline constexpr std::memory_order relaxed = std::memory_order_relaxed;
inline constexpr std::memory_order acquire = std::memory_order_acquire;
inline constexpr std::memory_order release = std::memory_order_release;
inline constexpr std::memory_order acq_rel = std::memory_order_acq_rel;
inline constexpr std::memory_order seq_cst = std::memory_order_seq_cst;

inline constexpr int k_mutex_spin_limit = 1;
// All that it may, so that few tasks make a batch.
inline constexpr std::size_t k_first_reach = 31;
inline constexpr std::size_t k_lane_batch = 1;
inline constexpr std::size_t k_fork_slots = 2;
inline constexpr int k_fork_looks = 1;
inline constexpr std::size_t k_fork_guests = 1;

/// Of the same size as its value; all that the model knows about it is kept by its address.
template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;

  constexpr atomic() noexcept : atomic(T{}) {}
  constexpr atomic(T value) noexcept : value_(value) {
    if (!std::is_constant_evaluated()) model::atomic_born(&value_);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order order = seq_cst) const noexcept {
    return decode(model::atomic_load(&value_, sizeof(T), order));
  }
  void store(T value, std::memory_order order = seq_cst) noexcept {
    model::atomic_store(&value_, sizeof(T), encode(value), order);
  }
  T exchange(T value, std::memory_order order = seq_cst) noexcept {
    return change(model::rmw::exchange, encode(value), order);
  }

  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept {
    std::uint64_t found = encode(expected);
    const bool done =
        model::atomic_cas(&value_, sizeof(T), found, encode(desired), success, failure);
    if (!done) expected = decode(found);
    return done;
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order order = seq_cst) noexcept {
    return compare_exchange_strong(expected, desired, order, failure_of(order));
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) noexcept {
    if (!model::fails_for_no_reason()) {
      return compare_exchange_strong(expected, desired, success, failure);
    }
    expected = load(failure);
    return false;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order order = seq_cst) noexcept {
    return compare_exchange_weak(expected, desired, order, failure_of(order));
  }

  T fetch_add(T operand, std::memory_order order = seq_cst) noexcept {
    return change(model::rmw::add, encode(operand), order);
  }
  T fetch_sub(T operand, std::memory_order order = seq_cst) noexcept {
    return change(model::rmw::subtract, encode(operand), order);
  }
  T fetch_and(T operand, std::memory_order order = seq_cst) noexcept {
    return change(model::rmw::bit_and, encode(operand), order);
  }
  T fetch_or(T operand, std::memory_order order = seq_cst) noexcept {
    return change(model::rmw::bit_or, encode(operand), order);
  }
  T fetch_xor(T operand, std::memory_order order = seq_cst) noexcept {
    return change(model::rmw::bit_xor, encode(operand), order);
  }

 private:
  static std::uint64_t encode(T value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  static T decode(std::uint64_t bits) noexcept {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
  }
  static constexpr std::memory_order failure_of(std::memory_order order) noexcept {
    if (order == acq_rel) return acquire;
    return order == release ? relaxed : order;
  }
  T change(model::rmw what, std::uint64_t operand, std::memory_order order) noexcept {
    return decode(model::atomic_rmw(&value_, sizeof(T), what, operand, order));
  }

  alignas(sizeof(T)) T value_;
};

/// One value for each thread of the execution.
template <class T>
class per_thread {
 public:
  constexpr per_thread() noexcept = default;

  T& get() noexcept {
    slot& mine = slots_[model::current_fiber()];
    if (mine.execution != model::current_execution()) mine = {model::current_execution(), T{}};
    return mine.value;
  }
  operator T&() noexcept { return get(); }
  T operator->() noexcept { return get(); }
  T& operator=(T value) noexcept { return get() = std::move(value); }

 private:
  struct slot {
    std::uint64_t execution = 0;
    T value{};
  };
  slot slots_[8];
};

/// A thread of the execution.
class thread {
 public:
  thread() noexcept = default;

  template <class Body>
  explicit thread(Body body) {
    auto* moved = new Body(std::move(body));
    try {
      number_ = model::spawn(
          [](void* argument) {
            auto* owned = static_cast<Body*>(argument);
            (*owned)();
            delete owned;
          },
          moved);
    } catch (...) {
      delete moved;
      throw;
    }
  }
  thread(thread&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  thread& operator=(thread&& other) noexcept {
    if (joinable()) model::fail("a joinable thread is assigned over");
    number_ = std::exchange(other.number_, 0);
    return *this;
  }
  ~thread() {
    if (joinable()) model::fail("a joinable thread is destroyed");
  }

  [[nodiscard]] bool joinable() const noexcept { return number_ != 0; }
  [[nodiscard]] bool is_current() const noexcept {
    return joinable() && number_ == model::current_fiber();
  }
  void join() { model::join(std::exchange(number_, 0)); }
  void detach() { model::detach(std::exchange(number_, 0)); }
  void forget() noexcept { number_ = 0; }

 private:
  unsigned number_ = 0;
};

#ifndef WEIR_MODEL_REAL_MUTEX
#define WEIR_SYNC_SEAM_MUTEX
/// One step to lock, one to unlock; knows its owner.
class WEIR_CAPABILITY("mutex") mutex {
 public:
  mutex() noexcept { model::atomic_born(this); }
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() noexcept WEIR_ACQUIRE() { model::mutex_lock(this); }
  void unlock() noexcept WEIR_RELEASE() { model::mutex_unlock(this); }

 private:
  // What the model knows is kept by the address, which must be its own.
  [[maybe_unused]] std::uint32_t place_ = 0;
};
#endif

}  // namespace weir::sync

#define WEIR_THREAD_LOCAL
