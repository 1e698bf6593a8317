#pragma once

#include <cstddef>
#include <ranges>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/detail/gathering.hpp"
#include "weir/promise.hpp"
#include "weir/shared_future.hpp"

namespace weir {

/// What `when_any` gives: all the futures, and which of them was finished first.
template <class Futures>
struct when_any_result {
  std::size_t index;
  Futures futures;
};

namespace detail {

template <class T>
inline constexpr bool is_result_handle = false;
template <class T>
inline constexpr bool is_result_handle<future<T>> = true;
template <class T>
inline constexpr bool is_result_handle<shared_future<T>> = true;

template <class T>
concept result_handle = is_result_handle<T>;

template <class R>
concept range_of_handles =
    std::ranges::input_range<R> && result_handle<std::ranges::range_value_t<R>>;

/// Copies the handles out of a range, or moves them out of one that nobody else has.
template <range_of_handles R>
auto handles_of(R&& range) {
  std::vector<std::ranges::range_value_t<R>> handles;
  for (auto&& handle : range) {
    if constexpr (std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>) {
      handles.push_back(handle);
    } else {
      handles.push_back(std::move(handle));
    }
  }
  return handles;
}

template <class... Handles, class Visit>
void visit_tasks(std::tuple<Handles...>& handles, Visit visit) {
  std::apply([&visit](auto&... each) { (visit(future_access::task(each)), ...); }, handles);
}
template <class Handle, class Visit>
void visit_tasks(std::vector<Handle>& handles, Visit visit) {
  for (auto& each : handles) visit(future_access::task(each));
}

/// Futures on their way into the result of one.
template <class Futures, class Result>
class gathered final : public gathering {
 public:
  gathered(Futures inputs, promise<Result> brings, task_base& result, std::size_t count,
           std::size_t needed)
      : gathering(count, needed, result, &complete, &dispose),
        inputs_(std::move(inputs)),
        result_(std::move(brings)) {}

  static future<Result> start(Futures inputs, std::size_t count, std::size_t needed) {
    visit_tasks(inputs, [](task_base& task) { prepare_attach(task); });
    promise<Result> brings;
    auto result = brings.get_future();
    auto* const self = new gathered(std::move(inputs), std::move(brings),
                                    future_access::task(result), count, needed);
    visit_tasks(self->inputs_, [self](task_base& task) { self->watch(task); });
    self->watched();
    return result;
  }

 private:
  static void complete(gathering& base) noexcept {
    auto& self = static_cast<gathered&>(base);
    if constexpr (std::is_same_v<Result, Futures>) {
      self.result_.set_value(std::move(self.inputs_));
    } else {
      self.result_.set_value(Result{self.first(), std::move(self.inputs_)});
    }
  }
  static void dispose(gathering* base) noexcept { delete static_cast<gathered*>(base); }

  Futures inputs_;
  promise<Result> result_;
};

template <class Futures>
auto gather_all(Futures inputs, std::size_t count) {
  return gathered<Futures, Futures>::start(std::move(inputs), count, count);
}
template <class Futures>
auto gather_any(Futures inputs, std::size_t count) {
  if (count == 0) throw std::invalid_argument("weir: when_any of nothing");
  return gathered<Futures, when_any_result<Futures>>::start(std::move(inputs), count, 1);
}

}  // namespace detail

/// A future of all these futures, ready once each of them is, however it ended. No thread blocks
/// for it. Cancelling it cancels none of them. Takes `future`s and `shared_future`s. Throws
/// `std::future_error(no_state)` when one of them is not valid, and `std::bad_alloc`.
template <detail::result_handle... Handles>
[[nodiscard]] future<std::tuple<Handles...>> when_all(Handles... handles) {
  return detail::gather_all(std::tuple<Handles...>(std::move(handles)...), sizeof...(Handles));
}
/// The same for a range, as a vector in its order; an empty one is ready at once. The handles are
/// copied out of an lvalue or a view, moved out of anything else.
template <detail::range_of_handles Range>
[[nodiscard]] auto when_all(Range&& range) {
  auto handles = detail::handles_of(std::forward<Range>(range));
  const std::size_t count = handles.size();
  return detail::gather_all(std::move(handles), count);
}

/// A future of all these futures, ready once one of them is; its index comes with them. The others
/// go on. Of several that are ready already it names the first. Throws as `when_all` does.
template <detail::result_handle... Handles>
[[nodiscard]] future<when_any_result<std::tuple<Handles...>>> when_any(Handles... handles) {
  return detail::gather_any(std::tuple<Handles...>(std::move(handles)...), sizeof...(Handles));
}
/// The same for a range; an empty one is `std::invalid_argument`.
template <detail::range_of_handles Range>
[[nodiscard]] auto when_any(Range&& range) {
  auto handles = detail::handles_of(std::forward<Range>(range));
  const std::size_t count = handles.size();
  return detail::gather_any(std::move(handles), count);
}

}  // namespace weir
