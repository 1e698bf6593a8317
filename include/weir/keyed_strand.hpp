#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "weir/detail/executor_verbs.hpp"
#include "weir/detail/keyed_lanes.hpp"
#include "weir/executor.hpp"

namespace weir {

/// A strand for every key: tasks of one key run one after the other in the order of their
/// submission, those of different keys side by side. A key costs memory only while it has an
/// unfinished task, so there may be any number of them over time.
///
/// Keys are copied, hashed and compared; the comparison is called under an internal lock and must
/// not call back. Everything else is as with `strand`, see `detail::lane_handle`; an abort of the
/// executor ends the lanes that exist.
template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
class keyed_strand {
 public:
  /// The strand of one key, as an executor. Refers to the keyed_strand and to the key.
  class key_ref : public detail::executor_verbs<key_ref> {
   private:
    friend class keyed_strand;
    friend struct detail::executor_access;

    key_ref(const detail::keyed_lanes& lanes, const Key& key)
        : lanes_(&lanes), key_(&key), hash_(Hash()(key)) {}

    std::optional<detail::refusal> admit(detail::task_base& task,
                                         detail::admission_request& request) const {
      return lanes_->admit(task, request, detail::borrowed_key<Key, Equal>(hash_, *key_));
    }

    const detail::keyed_lanes* lanes_;
    const Key* key_;
    std::size_t hash_;
  };

  /// Each key holds one running task and `capacity_per_key` that wait; all keys together hold
  /// `capacity` unfinished tasks. `weir::unbounded` must be spelled.
  keyed_strand(executor_ref on, std::size_t capacity_per_key, std::size_t capacity)
      : lanes_(on, capacity_per_key, capacity) {}

  [[nodiscard]] key_ref on(const Key& key) const { return key_ref(lanes_, key); }
  key_ref on(Key&& key) const = delete;

  /// As the verbs of an executor, with the key first.
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit(const Key& key, F&& f, Args&&... args) const {
    return on(key).submit(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  void execute(const Key& key, F&& f, Args&&... args) const {
    on(key).execute(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit(const Key& key, F&& f, Args&&... args) const {
    return on(key).try_submit(std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// The same with the key in the options.
  template <class F, class... Args>
  requires(detail::task_body<F, Args...>&& std::is_same_v<Key, std::string>) auto submit(
      const task_options& options, F&& f, Args&&... args) const {
    return on(options.key).submit(options, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires(detail::task_body<F, Args...>&& std::is_same_v<Key, std::string>) void execute(
      const task_options& options, F&& f, Args&&... args) const {
    on(options.key).execute(options, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires(detail::task_body<F, Args...>&& std::is_same_v<Key, std::string>) auto try_submit(
      const task_options& options, F&& f, Args&&... args) const {
    return on(options.key).try_submit(options, std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// Refuses from now on (`closed`); accepted tasks still run.
  void close() noexcept { lanes_.close(); }
  /// Cancels what waits, in all lanes (`cancelled`). Returns how many.
  std::size_t cancel_pending() { return lanes_.cancel_pending(); }

  /// Accepted tasks that have not ended, of all keys.
  [[nodiscard]] std::size_t size() const noexcept { return lanes_.size(); }
  /// Keys that have a task right now.
  [[nodiscard]] std::size_t keys() const noexcept { return lanes_.lanes(); }

 private:
  detail::keyed_lanes lanes_;
};

}  // namespace weir
