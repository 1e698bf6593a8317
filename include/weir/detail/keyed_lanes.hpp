#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "weir/detail/admission.hpp"
#include "weir/executor.hpp"

namespace weir::detail {

/// A key whose type only the template around it knows.
class lane_key {
 public:
  explicit lane_key(std::size_t hash) noexcept : hash_(hash) {}
  lane_key(const lane_key&) = default;
  lane_key& operator=(const lane_key&) = delete;
  virtual ~lane_key() = default;

  [[nodiscard]] std::size_t hash() const noexcept { return hash_; }
  [[nodiscard]] virtual bool equals(const lane_key& other) const = 0;
  /// A key of its own, independent of what this one was made from.
  [[nodiscard]] virtual std::unique_ptr<lane_key> clone() const = 0;

 private:
  std::size_t hash_;
};

template <class Key, class Equal>
class owned_key;

/// A key of somebody else, for looking up.
template <class Key, class Equal>
class borrowed_key : public lane_key {
 public:
  borrowed_key(std::size_t hash, const Key& key) noexcept : lane_key(hash), key_(&key) {}
  [[nodiscard]] bool equals(const lane_key& other) const override {
    return Equal()(*key_, *static_cast<const borrowed_key&>(other).key_);
  }
  [[nodiscard]] std::unique_ptr<lane_key> clone() const override {
    return std::make_unique<owned_key<Key, Equal>>(hash(), *key_);
  }

 private:
  const Key* key_;
};

template <class Key>
struct key_holder {
  Key held;
};

template <class Key, class Equal>
class owned_key final : private key_holder<Key>, public borrowed_key<Key, Equal> {
 public:
  owned_key(std::size_t hash, const Key& key)
      : key_holder<Key>{key}, borrowed_key<Key, Equal>(hash, key_holder<Key>::held) {}
  owned_key(const owned_key&) = delete;
  owned_key& operator=(const owned_key&) = delete;
};

class keyed_lane;
struct keyed_table;

/// Lanes by key: one is made for the first task of a key and is gone with its last.
class keyed_lanes {
 public:
  keyed_lanes(executor_ref on, std::size_t capacity_per_key, std::size_t capacity);
  ~keyed_lanes();
  keyed_lanes(const keyed_lanes&) = delete;
  keyed_lanes& operator=(const keyed_lanes&) = delete;

  std::optional<refusal> admit(task_base& task, const admission_request& request,
                               const lane_key& key) const;
  void close() noexcept;
  std::size_t cancel_pending();
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::size_t lanes() const noexcept;

 private:
  std::shared_ptr<keyed_table> table_;
};

}  // namespace weir::detail
