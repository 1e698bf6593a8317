#pragma once

#include <iterator>
#include <stdexcept>

#include "weir/detail/detached.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {

namespace detail {

/// The tasks of one bulk submission between their making and their admission. `Given` is how a
/// callable is passed on: an rvalue reference where it is moved from and goes back when it is
/// refused.
template <class Given, class T>
class node_batch {
 public:
  using node = node_for<true, Given>;
  static constexpr bool k_goes_back = std::is_rvalue_reference_v<Given>;

  node_batch() = default;
  node_batch(const node_batch&) = delete;
  node_batch& operator=(const node_batch&) = delete;
  /// Whatever has not been accepted goes back, or dies.
  ~node_batch() {
    for (std::size_t at = accepted_; at < nodes_.size(); ++at) {
      auto* unused = static_cast<node*>(nodes_[at]);
      if constexpr (k_goes_back) {
        return_to_caller(unused, static_cast<Given>(*sources_[at]));
      } else {
        destroy_unused(unused);
      }
    }
  }

  void reserve(std::size_t count) {
    nodes_.reserve(count);
    if constexpr (k_goes_back) sources_.reserve(count);
  }

  void add(Given source) {
    reserve_one();
    if constexpr (k_goes_back) sources_.push_back(std::addressof(source));
    nodes_.push_back(make_node<true>(static_cast<Given>(source)));
  }

  [[nodiscard]] std::vector<task_base*>& tasks() noexcept { return nodes_; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

  /// The first `count` are the pool's now.
  void accepted(std::size_t count) noexcept { accepted_ = count; }
  [[nodiscard]] result_node<T>* at(std::size_t index) const noexcept {
    return static_cast<node*>(nodes_[index]);
  }

 private:
  // Room first: what is made next must not be lost for want of a place in the vector.
  void reserve_one() {
    if (nodes_.size() == nodes_.capacity()) reserve(nodes_.size() * 2 + 8);
  }

  std::vector<task_base*> nodes_;
  std::vector<std::remove_reference_t<Given>*> sources_;
  std::size_t accepted_ = 0;
};

/// How an element of a range is passed on: moved out of an rvalue range that owns it, else as it
/// comes.
template <class Range>
using given_of = std::conditional_t<
    std::is_lvalue_reference_v<std::ranges::range_reference_t<Range>> &&
        !std::is_lvalue_reference_v<Range> && !std::is_const_v<std::remove_reference_t<Range>>,
    std::remove_reference_t<std::ranges::range_reference_t<Range>>&&,
    std::conditional_t<std::is_reference_v<std::ranges::range_reference_t<Range>>,
                       std::ranges::range_reference_t<Range>,
                       const std::ranges::range_value_t<Range>&>>;

}  // namespace detail

template <bool HasFuture, class Node, class F, class... Args>
std::optional<detail::refusal> thread_pool::offer(Node* node, const task_options& options,
                                                  detail::admission_request& request, F&& f,
                                                  Args&&... args) {
  const auto give_back = [&]() noexcept {
    detail::return_to_caller(node, std::forward<F>(f), std::forward<Args>(args)...);
  };
  bool accepted = false;
  request.accepted = &accepted;
  std::optional<detail::refusal> refused;
  try {
    if (options.any()) detail::set_options(*node, options);
    refused = admit(*node, request);
  } catch (...) {
    if (!accepted) {
      give_back();
    } else if constexpr (HasFuture) {
      detail::release(node);  // what would have been the future's
    }
    throw;
  }
  // From here on the pool may be gone: a submitter that was blocked is woken by its destructor.
  if (refused) give_back();
  return refused;
}

template <bool HasFuture, class F, class... Args>
auto thread_pool::start_at_once(F&& f, Args&&... args) {
  auto* node = detail::make_node<HasFuture>(std::forward<F>(f), std::forward<Args>(args)...);
  if (!admit_at_once(*node)) {
    detail::admission_request request;
    const auto refused =
        offer<HasFuture>(node, {}, request, std::forward<F>(f), std::forward<Args>(args)...);
    if (refused) throw rejected(refused->why, refused->text);
  }
  if constexpr (HasFuture) return future<result_of<F, Args...>>(node);
}

template <bool HasFuture, class F, class... Args>
auto thread_pool::start(const task_options& options, detail::admission_request request, F&& f,
                        Args&&... args) {
  auto* node = detail::make_node<HasFuture>(std::forward<F>(f), std::forward<Args>(args)...);
  const auto refused =
      offer<HasFuture>(node, options, request, std::forward<F>(f), std::forward<Args>(args)...);
  if (refused) throw rejected(refused->why, refused->text);
  if constexpr (HasFuture) return future<result_of<F, Args...>>(node);
}

template <class F, class... Args>
auto thread_pool::attempt(const task_options& options, detail::admission_request request, F&& f,
                          Args&&... args) {
  using result = submission<result_of<F, Args...>>;
  auto* node = detail::make_node<true>(std::forward<F>(f), std::forward<Args>(args)...);
  const auto refused =
      offer<true>(node, options, request, std::forward<F>(f), std::forward<Args>(args)...);
  if (refused) return result(refused->why);
  return result(future<result_of<F, Args...>>(node));
}

template <class F>
std::optional<detail::refusal> thread_pool::offer_series(const detail::series_times& times, F&& f,
                                                         const series_options& options,
                                                         detail::admission_request::mode how,
                                                         series& made) {
  using body = detail::series_body_of<std::decay_t<F>>;
  detail::require_callable<std::decay_t<F>>(f);
  auto owned = std::make_unique<body>(std::forward<F>(f));
  body& kept = *owned;
  std::unique_ptr<detail::series_body> given = std::move(owned);
  std::optional<detail::refusal> refused;
  try {
    refused = admit_series(given, times, options, how, made);
  } catch (...) {
    if (given != nullptr) detail::give_back<F>(f, kept.callable());
    throw;
  }
  if (refused) detail::give_back<F>(f, kept.callable());
  return refused;
}

template <class F>
series thread_pool::start_series(const detail::series_times& times, F&& f,
                                 const series_options& options) {
  series made;
  const auto refused = offer_series(times, std::forward<F>(f), options,
                                    detail::admission_request::mode::by_policy, made);
  if (refused) throw rejected(refused->why, refused->text);
  return made;
}

template <class F>
series_submission thread_pool::attempt_series(const detail::series_times& times, F&& f,
                                              const series_options& options) {
  series made;
  const auto refused = offer_series(times, std::forward<F>(f), options,
                                    detail::admission_request::mode::try_once, made);
  if (refused) return refused->why;
  return made;
}

template <class Futures, class Range>
void thread_pool::submit_range(Range&& tasks, Futures& futures) {
  using given = detail::given_of<Range>;
  using result = result_of<given>;

  detail::node_batch<given, result> batch;
  if constexpr (std::ranges::sized_range<Range>) batch.reserve(std::ranges::size(tasks));
  for (auto&& task : tasks) batch.add(static_cast<given>(task));
  futures.reserve(batch.size());
  std::vector<detail::task_base*> admitted = batch.tasks();
  const auto keep_accepted = [&]() noexcept {
    batch.accepted(admitted.size());
    for (std::size_t at = 0; at < admitted.size(); ++at) {
      futures.push_back(future<result>(batch.at(at)));
    }
  };
  std::optional<detail::refusal> refused;
  try {
    refused = admit_all(admitted);
  } catch (...) {
    keep_accepted();
    throw;
  }
  keep_accepted();
  if (refused) throw rejected(refused->why, refused->text);
}

template <std::ranges::input_range Range>
auto thread_pool::submit_all(Range&& tasks) {
  std::vector<future<result_of<detail::given_of<Range>>>> futures;
  submit_range(std::forward<Range>(tasks), futures);
  return futures;
}

// What has not started is cancelled first, the last to start before the others: else it would start
// in the stead of what is stopped.
template <class Range>
auto thread_pool::invoke_all_until(std::optional<clock::time_point> until, Range&& tasks) {
  std::vector<future<result_of<detail::given_of<Range>>>> futures;
  const auto cancel_all = [&futures] {
    for (auto at = futures.rbegin(); at != futures.rend(); ++at) at->cancel(if_queued);
    for (auto& each : futures) each.cancel();
  };
  try {
    submit_range(std::forward<Range>(tasks), futures);
    for (auto& each : futures) {
      if (!until) {
        each.wait();
      } else if (!each.wait_until(*until)) {
        cancel_all();
        break;
      }
    }
  } catch (...) {
    cancel_all();
    throw;
  }
  return futures;
}

template <std::ranges::input_range Range>
auto thread_pool::invoke_all(Range&& tasks) {
  return invoke_all_until({}, std::forward<Range>(tasks));
}

template <class Rep, class Period, std::ranges::input_range Range>
auto thread_pool::invoke_all_for(std::chrono::duration<Rep, Period> limit, Range&& tasks) {
  return invoke_all_until(real_time_in(detail::saturating_nanoseconds(limit)),
                          std::forward<Range>(tasks));
}

// The contestants that have not started are run right here when this is a worker of the same pool.
template <class Futures>
std::optional<std::size_t> thread_pool::await_winner(detail::race& race, Futures& futures,
                                                     std::optional<clock::time_point> until) {
  for (auto& each : futures) {
    if (until || race.over()) break;
    (void)detail::help_inside(detail::future_access::task(each));
  }
  const this_task::blocking on_hold;
  const bool over = race.wait(until);
  const auto winner = race.winner();
  if (over || winner) return winner.value_or(futures.size() - 1);
  return std::nullopt;
}

template <class Range>
auto thread_pool::invoke_any_until(std::optional<clock::time_point> until, Range&& tasks) {
  using given = detail::given_of<Range>;
  using callable = std::ranges::range_value_t<Range>;
  using result = result_of<given>;

  const auto count = static_cast<std::size_t>(std::ranges::distance(tasks));
  if (count == 0) throw std::invalid_argument("weir: invoke_any of an empty range");
  for (const auto& task : tasks) detail::require_callable(task);

  detail::race race(count);
  std::vector<detail::contestant<callable, result>> contestants;
  contestants.reserve(count);
  for (auto&& task : tasks) {
    contestants.emplace_back(race.ticket(contestants.size()), static_cast<given>(task));
  }
  std::vector<future<result>> futures;
  try {
    submit_range(std::move(contestants), futures);
  } catch (...) {
    for (auto& each : futures) each.cancel();
    if constexpr (std::is_rvalue_reference_v<given>) {
      auto source = contestants.begin();
      for (auto& task : tasks) detail::give_back<given>(task, (source++)->body);
    }
    throw;
  }
  contestants.clear();
  const auto chosen = await_winner(race, futures, until);
  for (std::size_t at = 0; at < count; ++at) {
    if (at == chosen) continue;
    futures[at].disregard();
    futures[at].cancel();
  }
  if (!chosen) throw timed_out();
  return futures[*chosen].get();
}

template <std::ranges::forward_range Range>
auto thread_pool::invoke_any(Range&& tasks) {
  return invoke_any_until({}, std::forward<Range>(tasks));
}

template <class Rep, class Period, std::ranges::forward_range Range>
auto thread_pool::invoke_any_for(std::chrono::duration<Rep, Period> limit, Range&& tasks) {
  return invoke_any_until(real_time_in(detail::saturating_nanoseconds(limit)),
                          std::forward<Range>(tasks));
}

}  // namespace weir
