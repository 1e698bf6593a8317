#pragma once

#include <cstddef>

#include "weir/detail/assert.hpp"

namespace weir {

/// Links of an element; null while the element is in no list.
template <class T>
struct list_links {
  T* next = nullptr;
  T* prev = nullptr;
};

/// Doubly linked list of elements that carry their own links, named by the member `Links`. It owns
/// nothing and allocates nothing; an element is in one list at most. Every operation is O(1).
/// Distinct objects: safe; shared objects: unsafe.
template <class T, list_links<T> T::*Links>
class intrusive_list {
 public:
  [[nodiscard]] bool empty() const noexcept { return front_ == nullptr; }
  [[nodiscard]] T* front() const noexcept { return front_; }
  [[nodiscard]] T* back() const noexcept { return back_; }
  [[nodiscard]] static T* next(const T& element) noexcept { return (element.*Links).next; }
  [[nodiscard]] static T* prev(const T& element) noexcept { return (element.*Links).prev; }

  void push_back(T& element) noexcept {
    (element.*Links) = {nullptr, back_};
    (back_ != nullptr ? (back_->*Links).next : front_) = &element;
    back_ = &element;
  }

  void push_front(T& element) noexcept {
    (element.*Links) = {front_, nullptr};
    (front_ != nullptr ? (front_->*Links).prev : back_) = &element;
    front_ = &element;
  }

  void remove(T& element) noexcept {
    auto& links = element.*Links;
    WEIR_ASSERT(links.prev != nullptr || front_ == &element);
    (links.prev != nullptr ? (links.prev->*Links).next : front_) = links.next;
    (links.next != nullptr ? (links.next->*Links).prev : back_) = links.prev;
    links = {};
  }

  /// Null when empty.
  T* pop_front() noexcept {
    T* element = front_;
    if (element != nullptr) remove(*element);
    return element;
  }

 private:
  T* front_ = nullptr;
  T* back_ = nullptr;
};

}  // namespace weir
