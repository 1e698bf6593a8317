#pragma once

#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "weir/detail/fork_stack.hpp"

namespace weir::detail {

/// How a result is kept: nothing as `std::monostate`, what a reference refers to by its address.
template <class T>
using kept_result = std::conditional_t<
    std::is_void_v<T>, std::monostate,
    std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, std::remove_cv_t<T>>>;

/// `f()`, which returns something in any case.
template <class F>
decltype(auto) call_kept(F& f) {
  using result = std::invoke_result_t<F&>;
  if constexpr (std::is_void_v<result>) {
    f();
    return std::monostate{};
  } else {
    return f();
  }
}

/// The arm that may be stolen. Its result lies in it only if it was.
template <class F>
class fork_arm final : public fork_job {
 public:
  using result = std::invoke_result_t<F&>;
  using kept = kept_result<result>;

  explicit fork_arm(F& f) noexcept : fork_job(&run_stolen), f_(f) {}
  ~fork_arm() {}

  /// What the thief has brought; throws what it has caught.
  decltype(auto) collect() { return collect(!failed()); }
  /// The same after `run` by hand, which has told how it went.
  decltype(auto) collect(bool succeeded) {
    if (!succeeded) std::rethrow_exception(take_out(error_));
    if constexpr (std::is_reference_v<result>) {
      return static_cast<result>(*value_);
    } else {
      return take_out(value_);
    }
  }

  void drop() noexcept {
    failed() ? std::destroy_at(&error_) : std::destroy_at(std::addressof(value_));
  }

 private:
  template <class T>
  static T take_out(T& from) {
    struct end {
      T& of;
      ~end() { std::destroy_at(std::addressof(of)); }
    } const after{from};
    return std::move(from);
  }

  void keep_result() {
    void* const place = std::addressof(value_);
    if constexpr (std::is_reference_v<result>) {
      result found = f_();
      ::new (place) kept(std::addressof(found));
    } else {
      ::new (place) kept(call_kept(f_));
    }
  }

  static bool run_stolen(fork_job& job) noexcept {
    auto& self = static_cast<fork_arm&>(job);
    try {
      self.keep_result();
      return true;
    } catch (...) {
      ::new (static_cast<void*>(&self.error_)) std::exception_ptr(std::current_exception());
      return false;
    }
  }

  F& f_;
  union {
    kept value_;
    std::exception_ptr error_;
  };
};

/// What `join` returns of two arms.
template <class F, class G>
inline constexpr bool both_void =
    std::is_void_v<std::invoke_result_t<F&>>&& std::is_void_v<std::invoke_result_t<G&>>;

template <class T>
using pair_part = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class F, class G>
using joined = std::pair<pair_part<std::invoke_result_t<F&>>, pair_part<std::invoke_result_t<G&>>>;

template <class F, class G>
auto call_in_turn(F& f, G& g) {
  if constexpr (both_void<F, G>) {
    f();
    g();
  } else {
    decltype(auto) first = call_kept(f);
    return joined<F, G>(std::forward<decltype(first)>(first), call_kept(g));
  }
}

/// `f` has thrown: nothing of its sibling may run on.
template <class G>
void forsake(fork_worker& self, fork_arm<G>& second, std::uint64_t at) noexcept {
  if (self.pop(at)) return;
  self.wait(second);
  second.drop();
}

template <class G>
decltype(auto) finish_second(fork_worker& self, fork_arm<G>& second, G& g, std::uint64_t at) {
  if (self.pop(at)) [[likely]]
    return call_kept(g);
  self.wait(second);
  return second.collect();
}

template <class F, class G>
auto fork_and_join(fork_worker& self, F& f, G& g) {
  fork_arm<G> second(g);
  const std::uint64_t at = self.head();
  if (!self.push(second)) [[unlikely]]
    return call_in_turn(f, g);
  if constexpr (both_void<F, G>) {
    try {
      f();
    } catch (...) {
      forsake(self, second, at);
      throw;
    }
    (void)finish_second(self, second, g, at);
  } else {
    decltype(auto) first = [&]() -> decltype(auto) {
      try {
        return call_kept(f);
      } catch (...) {
        forsake(self, second, at);
        throw;
      }
    }();
    return joined<F, G>(std::forward<decltype(first)>(first), finish_second(self, second, g, at));
  }
}

}  // namespace weir::detail
