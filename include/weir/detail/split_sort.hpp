#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "weir/detail/split_loop.hpp"

/// Sorting over `join`. Design: docs/design/split-loop.md.
namespace weir::detail {

/// Fewer elements are sorted, or merged, by one thread.
inline constexpr std::size_t k_sorted_alone = 1024;
/// And fewer are inserted one by one.
inline constexpr std::size_t k_inserted = 16;

/// Room for `count` elements, all of which are there from the first to the last moment.
template <class T>
class sort_buffer {
 public:
  template <class Iterator>
  sort_buffer(Iterator from, std::size_t count)
      : room_(std::allocator<T>().allocate(count)), count_(count) {
    try {
      std::uninitialized_move_n(from, count, room_);
    } catch (...) {
      std::allocator<T>().deallocate(room_, count_);
      throw;
    }
  }
  ~sort_buffer() {
    std::destroy_n(room_, count_);
    std::allocator<T>().deallocate(room_, count_);
  }
  sort_buffer(const sort_buffer&) = delete;
  sort_buffer& operator=(const sort_buffer&) = delete;

  [[nodiscard]] T* begin() noexcept { return room_; }

 private:
  T* const room_;
  const std::size_t count_;
};

/// A merge sort between the range and a buffer. A comparison that throws ends all comparing: from
/// then on elements are only moved to where they belong, so that none is lost.
template <class Iterator, class Less>
class merge_sorter {
  using value = std::iter_value_t<Iterator>;
  using distance = std::iter_difference_t<Iterator>;

 public:
  merge_sorter(Iterator range, std::size_t count, Less& less)
      : range_(range), count_(count), less_(less), buffer_(range, count) {}

  void sort() {
    to_range(0, count_);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  /// Elements lie in the buffer; brings them into the range, sorted.
  void to_range(std::size_t begin, std::size_t end) {
    if (end - begin <= k_inserted) {
      insert(begin, end);
      std::move(buffer_.begin() + begin, buffer_.begin() + end, at(begin));
      return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    both(
        end - begin, [&] { in_buffer(begin, middle); }, [&] { in_buffer(middle, end); });
    value* const from = buffer_.begin();
    merge(from + begin, from + middle, from + middle, from + end, at(begin));
  }

  /// The same, leaving them in the buffer.
  void in_buffer(std::size_t begin, std::size_t end) {
    if (end - begin <= k_inserted) return insert(begin, end);
    const std::size_t middle = begin + (end - begin) / 2;
    both(
        end - begin, [&] { to_range(begin, middle); }, [&] { to_range(middle, end); });
    merge(at(begin), at(middle), at(middle), at(end), buffer_.begin() + begin);
  }

  template <class F, class G>
  static void both(std::size_t count, F f, G g) {
    if (count > k_sorted_alone) return join(f, g);
    f();
    g();
  }

  // Compares first and moves then: std::stable_sort would lose what it holds when it is thrown out.
  void insert(std::size_t begin, std::size_t end) {
    value* const first = buffer_.begin() + begin;
    value* const last = buffer_.begin() + end;
    unless_failed([&] {
      for (value* each = first; each != last; ++each) {
        std::rotate(std::upper_bound(first, each, *each, ref()), each, each + 1);
      }
    });
  }

  /// Cuts the longer half in the middle, and the other one where that element belongs.
  template <class From, class To>
  void merge(From left, From left_end, From right, From right_end, To out) {
    const auto lefts = left_end - left;
    const auto rights = right_end - right;
    if (static_cast<std::size_t>(lefts + rights) <= k_sorted_alone) {
      return merge_alone(left, left_end, right, right_end, out);
    }
    From left_cut = left + lefts / 2;
    From right_cut = right + rights / 2;
    unless_failed([&] {
      if (lefts >= rights) {
        right_cut = std::lower_bound(right, right_end, *left_cut, ref());
      } else {
        left_cut = std::upper_bound(left, left_end, *right_cut, ref());
      }
    });
    const auto before = (left_cut - left) + (right_cut - right);
    join([&] { merge(left, left_cut, right, right_cut, out); },
         [&] { merge(left_cut, left_end, right_cut, right_end, out + before); });
  }

  template <class From, class To>
  void merge_alone(From left, From left_end, From right, From right_end, To out) {
    unless_failed([&] {
      while (left != left_end && right != right_end) {
        From& first = std::invoke(less_, *right, *left) ? right : left;
        *out = std::move(*first);
        ++first;
        ++out;
      }
    });
    out = std::move(left, left_end, out);
    std::move(right, right_end, out);
  }

  template <class Compare>
  void unless_failed(Compare compare) {
    if (failed_.load(sync::relaxed)) return;
    try {
      compare();
    } catch (...) {
      // Only the first one's is kept; whoever rethrows it has joined all.
      if (!failed_.exchange(true, sync::relaxed)) failure_ = std::current_exception();
    }
  }

  [[nodiscard]] Iterator at(std::size_t index) const {
    return range_ + static_cast<distance>(index);
  }
  [[nodiscard]] auto ref() const noexcept {
    return [this](const value& left, const value& right) {
      return static_cast<bool>(std::invoke(less_, left, right));
    };
  }

  const Iterator range_;
  const std::size_t count_;
  Less& less_;
  sort_buffer<value> buffer_;
  sync::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

template <class Iterator, class Less>
void split_sort(Iterator range, std::size_t count, Less& less) {
  if (count > 1) merge_sorter<Iterator, Less>(range, count, less).sort();
}

/// In place: a quicksort with two-sided parts, whose bad cases are left to std::sort.
template <class Iterator, class Less>
class quick_sorter {
  using value = std::iter_value_t<Iterator>;

 public:
  explicit quick_sorter(Less& less) noexcept : less_(less) {}

  void sort(Iterator begin, Iterator end, int cuts_left) {
    if (static_cast<std::size_t>(end - begin) <= k_sorted_alone || cuts_left == 0) {
      std::sort(begin, end, ref());
      return;
    }
    std::iter_swap(begin, pivot_of(begin, end));
    const Iterator smaller_end =
        std::partition(begin + 1, end, [&](const value& each) { return is_less(each, *begin); });
    const Iterator pivot = smaller_end - 1;
    std::iter_swap(begin, pivot);
    // Many equals would make all parts lopsided.
    const Iterator greater =
        std::partition(smaller_end, end, [&](const value& each) { return !is_less(*pivot, each); });
    join([&] { sort(begin, pivot, cuts_left - 1); }, [&] { sort(greater, end, cuts_left - 1); });
  }

 private:
  /// The middle one of three middle ones.
  Iterator pivot_of(Iterator begin, Iterator end) {
    const auto part = (end - begin) / 9;
    const auto third = [&](int at) {
      const Iterator from = begin + part * 3 * at;
      return middle_of(from, from + part, from + 2 * part);
    };
    return middle_of(third(0), third(1), third(2));
  }

  Iterator middle_of(Iterator a, Iterator b, Iterator c) {
    if (is_less(*b, *a)) std::swap(a, b);
    if (!is_less(*c, *b)) return b;
    return is_less(*c, *a) ? a : c;
  }

  bool is_less(const value& left, const value& right) {
    return static_cast<bool>(std::invoke(less_, left, right));
  }
  [[nodiscard]] auto ref() noexcept {
    return [this](const value& left, const value& right) { return is_less(left, right); };
  }

  Less& less_;
};

template <class Iterator, class Less>
void split_quick_sort(Iterator range, std::size_t count, Less& less) {
  const int cuts = 2 * static_cast<int>(std::bit_width(count));
  quick_sorter<Iterator, Less>(less).sort(
      range, range + static_cast<std::iter_difference_t<Iterator>>(count), cuts);
}

}  // namespace weir::detail
