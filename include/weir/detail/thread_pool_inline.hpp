#pragma once

#include <iterator>
#include <stdexcept>

#include "weir/thread_pool.hpp"

namespace weir {

namespace detail {

/// Owns nodes between their making and their admission; gives the callables back when refused.
template <class Node>
class node_batch {
 public:
  node_batch() = default;
  node_batch(const node_batch&) = delete;
  node_batch& operator=(const node_batch&) = delete;
  ~node_batch() {
    for (Node* node : nodes_) {
      node->drop_callable(*node);
      node->destroy(node);
    }
  }

  void reserve(std::size_t count) { nodes_.reserve(count); }
  void add(Node* node) { nodes_.push_back(node); }
  [[nodiscard]] std::vector<Node*>& nodes() noexcept { return nodes_; }

 private:
  std::vector<Node*> nodes_;
};

}  // namespace detail

template <bool HasFuture, class F, class... Args>
auto thread_pool::start(const task_options& options, detail::admission_request request, F&& f,
                        Args&&... args) {
  auto* node = detail::make_node<HasFuture>(std::forward<F>(f), std::forward<Args>(args)...);
  std::optional<reject_reason> why;
  try {
    if (!options.name.empty()) detail::set_name(*node, options.name);
    why = admit(*node, std::move(request));
  } catch (...) {
    detail::return_to_caller(node, std::forward<F>(f), std::forward<Args>(args)...);
    throw;
  }
  if (why) {
    detail::return_to_caller(node, std::forward<F>(f), std::forward<Args>(args)...);
    throw refusal(*why);
  }
  if constexpr (HasFuture) return future<result_of<F, Args...>>(node);
}

template <class F, class... Args>
auto thread_pool::attempt(const task_options& options, detail::admission_request request, F&& f,
                          Args&&... args) {
  using result = submission<result_of<F, Args...>>;
  auto* node = detail::make_node<true>(std::forward<F>(f), std::forward<Args>(args)...);
  std::optional<reject_reason> why;
  try {
    if (!options.name.empty()) detail::set_name(*node, options.name);
    why = admit(*node, std::move(request));
  } catch (...) {
    detail::return_to_caller(node, std::forward<F>(f), std::forward<Args>(args)...);
    throw;
  }
  if (why) {
    detail::return_to_caller(node, std::forward<F>(f), std::forward<Args>(args)...);
    return result(*why);
  }
  return result(future<result_of<F, Args...>>(node));
}

template <std::ranges::input_range Range>
auto thread_pool::submit_all(Range&& tasks) {
  constexpr bool k_move = !std::is_lvalue_reference_v<Range>;
  using element = std::ranges::range_reference_t<Range>;
  using given = std::conditional_t<k_move, std::remove_reference_t<element>&&, element>;
  using result = result_of<given>;
  using node_type = detail::node_for<true, given>;

  detail::node_batch<node_type> batch;
  std::vector<std::remove_reference_t<element>*> sources;
  if constexpr (std::ranges::sized_range<Range>) {
    batch.reserve(std::ranges::size(tasks));
    sources.reserve(std::ranges::size(tasks));
  }
  const auto give_back = [&]() noexcept {
    for (std::size_t at = 0; at < batch.nodes().size(); ++at) {
      detail::return_to_caller(batch.nodes()[at], static_cast<given>(*sources[at]));
    }
    batch.nodes().clear();
  };
  try {
    for (auto&& task : tasks) {
      sources.push_back(std::addressof(task));
      batch.nodes().emplace_back();  // room first: what is made next must not be lost
      batch.nodes().back() = nullptr;
      try {
        batch.nodes().back() = detail::make_node<true>(static_cast<given>(task));
      } catch (...) {
        batch.nodes().pop_back();
        throw;
      }
    }
    std::vector<detail::task_base*> bases(batch.nodes().begin(), batch.nodes().end());
    std::vector<future<result>> futures;
    futures.reserve(bases.size());
    const auto why = admit_all(bases);
    // What has been accepted stands at the front, in order; `bases` says how many were.
    for (std::size_t at = 0; at < bases.size(); ++at) {
      futures.push_back(future<result>(batch.nodes()[at]));
    }
    batch.nodes().erase(batch.nodes().begin(),
                        batch.nodes().begin() + static_cast<std::ptrdiff_t>(bases.size()));
    sources.erase(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(bases.size()));
    if (why) throw refusal(*why);
    return futures;
  } catch (...) {
    give_back();
    throw;
  }
}

template <std::ranges::input_range Range>
auto thread_pool::invoke_all(Range&& tasks) {
  auto futures = submit_all(std::forward<Range>(tasks));
  try {
    for (auto& each : futures) each.wait();
  } catch (...) {
    for (auto& each : futures) each.cancel();
    throw;
  }
  return futures;
}

template <std::ranges::input_range Range>
auto thread_pool::invoke_any(Range&& tasks) {
  using callable = std::ranges::range_value_t<Range>;
  using result = result_of<callable>;
  constexpr bool k_move = !std::is_lvalue_reference_v<Range>;

  const auto count = static_cast<std::size_t>(std::ranges::distance(tasks));
  if (count == 0) throw std::invalid_argument("weir: invoke_any of an empty range");
  for (const auto& task : tasks) detail::require_callable(task);

  detail::race race(count);
  std::vector<detail::contestant<callable, result>> contestants;
  contestants.reserve(count);
  for (auto&& task : tasks) {
    auto ticket = race.ticket(contestants.size());
    if constexpr (k_move) {
      contestants.emplace_back(std::move(ticket), std::move(task));
    } else {
      contestants.emplace_back(std::move(ticket), task);
    }
  }
  std::vector<future<result>> futures;
  try {
    futures = submit_all(std::move(contestants));
  } catch (...) {
    if constexpr (k_move) {
      auto source = contestants.begin();
      for (auto& task : tasks) detail::give_back<callable&&>(task, (source++)->body);
    }
    throw;
  }
  contestants.clear();
  const auto winner = race.wait();
  const std::size_t chosen = winner.value_or(count - 1);
  for (std::size_t at = 0; at < count; ++at) {
    if (at == chosen) continue;
    futures[at].disregard();
    futures[at].cancel();
  }
  return futures[chosen].get();
}

}  // namespace weir
