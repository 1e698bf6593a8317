#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/engine.hpp"

namespace weir::model {

/// The threads of one execution and whatever decides which of them goes on.
class machine {
 public:
  /// Runs the program once along the schedule. `traced` keeps the text of its steps.
  outcome execute(void (*program)(), schedule& along, const circumstances& given, bool traced);

  /// Before every step that others can see: somebody else may go first.
  void point(const char* verb, const void* address, std::uint64_t value, const void* caller);
  /// For the trace alone.
  void note(const char* verb, const void* address, std::uint64_t value, const void* caller);
  void step_aside();

  bool sleep(const void* word, std::uint32_t expected, std::optional<virtual_time> until);
  void rouse(const void* word, int count);
  void lock(const void* mutex);
  void unlock(const void* mutex);
  unsigned start(void (*run)(void*), void* argument);
  /// Whether a weak compare-and-swap fails for no reason.
  [[nodiscard]] bool fails_for_no_reason() { return given_.spurious && choose_value(2) == 1; }
  [[nodiscard]] bool thread_fails();
  void let_threads_fail() noexcept { threads_may_fail_ = true; }
  void wait_for_end(unsigned fiber);
  void detach(unsigned fiber);

  unsigned choose_value(unsigned ways);
  [[noreturn]] void fail(std::string why);

  [[nodiscard]] memory& atomics() noexcept { return memory_; }
  virtual_time now() noexcept { return now_ += std::chrono::nanoseconds(1); }
  /// What a thread does from here on is later than what it has released.
  void tick() noexcept { ++memory_.seen_by(now_here.fiber).at[now_here.fiber]; }
  void hold_back(bool more) noexcept { more ? ++uninterrupted_ : --uninterrupted_; }

 private:
  enum class condition : std::uint8_t { ready, asleep, locked_out, joining, over };
  struct fiber {
    fiber_context context;
    void (*run)(void*) = nullptr;
    void* argument = nullptr;
    condition is = condition::over;
    const void* waits_on = nullptr;
    const void* stands_at = nullptr;
    std::optional<virtual_time> until;
    std::uint64_t turn = 0;  ///< who has slept longest is roused first
    unsigned joins = 0;
    bool timed_out = false;
    bool given_away = false;  ///< joined or detached
  };
  struct held {
    const void* mutex;
    unsigned owner;
  };
  struct step {
    const char* verb;
    const void* address;
    const void* caller;
    std::uint64_t value;
    unsigned fiber;
  };

  static void enter_fiber();
  void begin(void (*program)(), schedule& along, const circumstances& given, bool traced);
  unsigned add_fiber(void (*run)(void*), void* argument);
  void finish();
  void block(condition why, const void* on);
  void hand_over(bool aside);
  void go_to(unsigned fiber);
  [[nodiscard]] alternatives list_ways(bool aside) const;
  void add_sleepers(alternatives& ways, bool must) const;
  [[nodiscard]] unsigned pick(const alternatives& ways);
  void end_sleep(unsigned fiber, bool timed_out);
  [[noreturn]] void end_of_threads();
  void check_leaks();
  held* holder_of(const void* mutex);
  [[nodiscard]] std::string describe(const fiber& one, unsigned number) const;
  [[nodiscard]] std::string trace() const;

  std::array<fiber, k_fibers_max> fibers_;
  unsigned count_ = 0;
  unsigned uninterrupted_ = 0;
  bool threads_may_fail_ = false;
  std::uint64_t turns_ = 0;
  virtual_time now_{};
  std::vector<held> held_;
  memory memory_;
  circumstances given_;
  schedule* schedule_ = nullptr;
  fiber_context explorer_;
  outcome outcome_;
  bool traced_ = false;
  std::vector<step> steps_;
};

extern machine the_machine;

}  // namespace weir::model
