#pragma once

#include <utility>

#include "weir/detail/continuation.hpp"
#include "weir/future.hpp"

namespace weir::testing {

/// Has `f()` run at the end of a task: the bare continuation, without a future of its own.
template <class T, class F>
void on_end(const future<T>& of, F f) {
  struct record final : detail::continuation {
    explicit record(F given) : continuation(&run_one), body(std::move(given)) {}
    static void run_one(continuation& self, detail::task_base&) noexcept {
      auto* const own = static_cast<record*>(&self);
      own->body();
      delete own;
    }
    F body;
  };
  auto& task = detail::future_access::task(of);
  detail::prepare_attach(task);
  detail::attach(task, *new record(std::move(f)));
}

}  // namespace weir::testing
