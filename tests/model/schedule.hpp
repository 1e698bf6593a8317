#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "model/clock_vector.hpp"

namespace weir::model {

/// What one of several ways to go on does.
enum class move : std::uint8_t {
  run,       ///< lets a thread take its next step
  flush,     ///< lets the oldest store of a thread's buffer reach memory
  time_out,  ///< ends a timed sleep
  rouse,     ///< ends a sleep for no reason
  value,     ///< no matter of threads: the outcome of a step, 0 the usual one
};

struct alternative {
  move what = move::run;
  std::uint8_t fiber = 0;
  bool dear = false;  ///< costs one unit of the bound
};

/// The ways to go on at one point; the first is the default and never dear.
class alternatives {
 public:
  void add(move what, unsigned fiber, bool dear) noexcept {
    if (count_ < k_max) at_[count_++] = {what, static_cast<std::uint8_t>(fiber), dear};
  }
  [[nodiscard]] unsigned count() const noexcept { return count_; }
  [[nodiscard]] const alternative& operator[](unsigned index) const noexcept { return at_[index]; }

 private:
  static constexpr unsigned k_max = 32;
  alternative at_[k_max];
  unsigned count_ = 0;
};

enum class strategy : std::uint8_t { exhaustive, random, replay };

/// The choices of one execution, and the way to those of the next. A choice string names the
/// choices that were not the default, `point.choice` joined by `-`; it replays the execution.
class schedule {
 public:
  static constexpr const char* k_all_default = "default";

  /// Depth first over all choices whose dear ones are at most `bound`.
  void explore_to(unsigned bound);
  /// One random execution after the other: priorities by seed, which change at `changes` points
  /// among the first `length` (PCT).
  void randomise(std::uint64_t seed, unsigned changes, unsigned length);
  /// Throws `std::invalid_argument` for a string that is none.
  void replay(const std::string& text);

  void begin_execution();
  /// The index chosen. `mark` tells one point from another: meeting a different one where the same
  /// choices led before means that the program depends on something that is no choice.
  unsigned choose(const alternatives& ways, std::uint64_t mark);
  /// Whether there is another execution; prepares it.
  bool next();

  [[nodiscard]] std::string text() const;
  /// Not empty when the execution went another way than the same choices did before.
  [[nodiscard]] const std::string& divergence() const noexcept { return divergence_; }
  /// Replaying: the choices that the execution never came to. Call it when it is over.
  void check_all_used();
  [[nodiscard]] unsigned length() const noexcept { return depth_; }

 private:
  struct choice {
    std::uint32_t dear = 0;  // bits
    std::uint8_t count = 0;
    std::uint8_t taken = 0;
    std::uint8_t spent = 0;  // before this choice
    std::uint64_t mark = 0;
  };
  struct wish {
    unsigned point;
    unsigned taken;
  };

  unsigned first_time(const alternatives& ways);
  unsigned by_priority(const alternatives& ways);

  strategy how_ = strategy::exhaustive;
  unsigned bound_ = 0;
  std::vector<choice> path_;
  unsigned depth_ = 0;
  std::vector<wish> wishes_;
  std::string divergence_;

  std::mt19937_64 random_;
  unsigned changes_ = 0;
  unsigned horizon_ = 1;
  std::vector<unsigned> change_points_;
  std::array<std::uint64_t, k_fibers_max> priority_{};
};

}  // namespace weir::model
