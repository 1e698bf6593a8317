#include "model/machine.hpp"

#include <exception>
#include <utility>

#include "model/arena.hpp"
#include "model/crash.hpp"
#include "model/shadow.hpp"

namespace weir::model {

bool program_runs = false;
moment now_here;

namespace {

[[noreturn]] void end_as_failed() {
  const engine_scope scope;
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::exception& known) {
    fail("std::terminate: %s", known.what());
  } catch (...) {
  }
  fail("std::terminate");
}

void prepare_once() {
  static bool k_prepared = false;
  if (std::exchange(k_prepared, true)) return;
  std::set_terminate(&end_as_failed);
  catch_crashes();
  arena::map();
  shadow::map();
}

}  // namespace

machine the_machine;

outcome machine::execute(void (*program)(), schedule& along, const circumstances& given,
                         bool traced) {
  prepare_once();
  begin(program, along, given, traced);
  fiber_context::change(explorer_, fibers_[0].context);
  program_runs = false;
  now_here.running = false;
  now_here.fiber = 0;
  if (!along.divergence().empty()) outcome_.failure = along.divergence();
  return std::move(outcome_);
}

void machine::begin(void (*program)(), schedule& along, const circumstances& given, bool traced) {
  ++now_here.execution;
  now_here.running = true;
  now_here.fiber = 0;
  now_here.seen = &memory_.seen_by(0);
  arena::reset();
  memory_.begin_execution(given.memory);
  schedule_ = &along;
  given_ = given;
  traced_ = traced;
  outcome_ = {};
  steps_.clear();
  held_.clear();
  count_ = uninterrupted_ = 0;
  threads_may_fail_ = false;
  turns_ = 0;
  now_ = virtual_time{} + std::chrono::hours(1);
  along.begin_execution();
  add_fiber([](void* entry) { reinterpret_cast<void (*)()>(entry)(); },
            reinterpret_cast<void*>(program));
}

unsigned machine::add_fiber(void (*run)(void*), void* argument) {
  if (count_ == k_fibers_max) fail("the program starts more threads than the model has");
  const unsigned number = count_++;
  fiber& made = fibers_[number];
  made.run = run;
  made.argument = argument;
  made.is = condition::ready;
  made.waits_on = made.stands_at = nullptr;
  made.until.reset();
  made.timed_out = false;
  made.given_away = number == 0;
  made.context.prepare(arena::stack_of(number), arena::k_stack_bytes, &enter_fiber);
  memory_.seen_by(number).at[number] = 1;
  return number;
}

void machine::enter_fiber() {
  machine& self = the_machine;
  const fiber& me = self.fibers_[now_here.fiber];
  program_runs = true;
  me.run(me.argument);
  program_runs = false;
  self.finish();
}

void machine::finish() {
  point("ends", nullptr, 0, nullptr);
  memory_.flush(now_here.fiber);
  fibers_[now_here.fiber].is = condition::over;
  for (unsigned other = 0; other < count_; ++other) {
    fiber& waiting = fibers_[other];
    if (waiting.is == condition::joining && waiting.joins == now_here.fiber) {
      waiting.is = condition::ready;
    }
  }
  hand_over(true);
}

void machine::point(const char* verb, const void* address, std::uint64_t value,
                    const void* caller) {
  fibers_[now_here.fiber].stands_at = caller;
  if (++outcome_.steps > given_.steps_max) fail("livelock: no end after so many steps");
  if (uninterrupted_ == 0) hand_over(false);
  tick();
  note(verb, address, value, caller);
}

void machine::note(const char* verb, const void* address, std::uint64_t value, const void* caller) {
  if (traced_) steps_.push_back({verb, address, caller, value, now_here.fiber});
}

void machine::step_aside() {
  if (uninterrupted_ == 0) hand_over(true);
}

// Aside: the running thread cannot, or does not want to, take the next step itself.
void machine::hand_over(bool aside) {
  for (;;) {
    const alternatives ways = list_ways(aside);
    if (ways.count() == 0) end_of_threads();
    const alternative next = ways[pick(ways)];
    switch (next.what) {
      case move::flush:
        memory_.flush_one(next.fiber);
        continue;
      case move::time_out:
      case move::rouse:
        end_sleep(next.fiber, next.what == move::time_out);
        break;
      default:
        break;
    }
    return go_to(next.fiber);
  }
}

alternatives machine::list_ways(bool aside) const {
  alternatives ways;
  const bool goes_on = !aside && fibers_[now_here.fiber].is == condition::ready;
  if (goes_on) ways.add(move::run, now_here.fiber, false);
  for (unsigned offset = 1; offset < count_; ++offset) {
    const unsigned other = (now_here.fiber + offset) % count_;
    if (fibers_[other].is != condition::ready) continue;
    ways.add(move::run, other, goes_on || (given_.delays && ways.count() > 0));
  }
  // Who stepped aside goes on where nobody else can.
  if (ways.count() == 0 && fibers_[now_here.fiber].is == condition::ready) {
    ways.add(move::run, now_here.fiber, false);
  }
  const bool must = ways.count() == 0;
  for (unsigned one = 0; one < count_; ++one) {
    if (memory_.has_pending(one)) ways.add(move::flush, one, false);
  }
  add_sleepers(ways, must);
  return ways;
}

// A timed sleep may end at any time: the machine may have been slow. Where nobody can run the
// earliest deadline comes by itself.
void machine::add_sleepers(alternatives& ways, bool must) const {
  const fiber* earliest = nullptr;
  for (unsigned one = 0; one < count_; ++one) {
    const fiber& sleeper = fibers_[one];
    if (sleeper.is != condition::asleep) continue;
    if (!must && sleeper.until) ways.add(move::time_out, one, true);
    if (!must && given_.spurious) ways.add(move::rouse, one, true);
    if (!sleeper.until) continue;
    if (earliest == nullptr || *sleeper.until < *earliest->until) earliest = &sleeper;
  }
  if (must && earliest != nullptr) {
    ways.add(move::time_out, static_cast<unsigned>(earliest - fibers_.data()), false);
  }
}

unsigned machine::pick(const alternatives& ways) {
  if (ways.count() == 1) return 0;
  const unsigned taken = schedule_->choose(ways, outcome_.steps * k_fibers_max + now_here.fiber);
  if (!schedule_->divergence().empty()) fail(schedule_->divergence());
  return taken;
}

unsigned machine::choose_value(unsigned ways) {
  alternatives outcomes;
  for (unsigned one = 0; one < ways; ++one) outcomes.add(move::value, one, one != 0);
  return pick(outcomes);
}

void machine::go_to(unsigned next) {
  if (next == now_here.fiber) return;
  fiber& from = fibers_[std::exchange(now_here.fiber, next)];
  now_here.seen = &memory_.seen_by(next);
  if (from.is == condition::over) fiber_context::leave(fibers_[next].context);
  fiber_context::change(from.context, fibers_[next].context);
}

void machine::block(condition why, const void* on) {
  if (uninterrupted_ > 0) fail("a thread blocks where nobody else may run");
  fiber& me = fibers_[now_here.fiber];
  me.is = why;
  me.waits_on = on;
  hand_over(true);
}

bool machine::sleep(const void* word, std::uint32_t expected, std::optional<virtual_time> until) {
  memory_.flush(now_here.fiber);
  if (memory_.peek(word, sizeof expected) != expected) return true;
  if (until && *until <= now_) return false;
  fiber& me = fibers_[now_here.fiber];
  me.until = until;
  me.turn = ++turns_;
  me.timed_out = false;
  block(condition::asleep, word);
  return !me.timed_out;
}

void machine::end_sleep(unsigned sleeper, bool timed_out) {
  fiber& woken = fibers_[sleeper];
  woken.is = condition::ready;
  woken.timed_out = timed_out;
  if (timed_out) now_ = std::max(now_, *woken.until);
}

void machine::rouse(const void* word, int count) {
  memory_.flush(now_here.fiber);
  for (; count > 0; --count) {
    fiber* longest = nullptr;
    for (unsigned one = 0; one < count_; ++one) {
      fiber& other = fibers_[one];
      if (other.is != condition::asleep || other.waits_on != word) continue;
      if (longest == nullptr || other.turn < longest->turn) longest = &other;
    }
    if (longest == nullptr) return;
    end_sleep(static_cast<unsigned>(longest - fibers_.data()), false);
  }
}

machine::held* machine::holder_of(const void* mutex) {
  for (held& one : held_) {
    if (one.mutex == mutex) return &one;
  }
  return nullptr;
}

void machine::lock(const void* mutex) {
  memory_.flush(now_here.fiber);
  while (const held* holder = holder_of(mutex)) {
    if (holder->owner == now_here.fiber) fail("a thread locks a mutex that it holds");
    block(condition::locked_out, mutex);
  }
  held_.push_back({mutex, now_here.fiber});
  memory_.acquire(mutex, now_here.fiber);
}

void machine::unlock(const void* mutex) {
  memory_.flush(now_here.fiber);
  held* const holder = holder_of(mutex);
  if (holder == nullptr) fail("a mutex is unlocked that nobody holds");
  if (holder->owner != now_here.fiber)
    fail("a mutex is unlocked by a thread that does not hold it");
  *holder = held_.back();
  held_.pop_back();
  memory_.release(mutex, now_here.fiber);
  tick();
  for (unsigned one = 0; one < count_; ++one) {
    fiber& other = fibers_[one];
    if (other.is == condition::locked_out && other.waits_on == mutex) other.is = condition::ready;
  }
}

bool machine::thread_fails() { return threads_may_fail_ && choose_value(2) == 1; }

unsigned machine::start(void (*run)(void*), void* argument) {
  memory_.flush(now_here.fiber);
  const unsigned number = add_fiber(run, argument);
  memory_.seen_by(number).join(memory_.seen_by(now_here.fiber));
  tick();
  return number;
}

void machine::wait_for_end(unsigned number) {
  fiber& other = fibers_[number];
  if (number == 0 || number == now_here.fiber || std::exchange(other.given_away, true)) {
    fail("a thread is joined that cannot be: not started, this one, or joined before");
  }
  if (other.is != condition::over) {
    fibers_[now_here.fiber].joins = number;
    block(condition::joining, nullptr);
  }
  memory_.seen_by(now_here.fiber).join(memory_.seen_by(number));
}

void machine::detach(unsigned number) {
  if (number == 0 || std::exchange(fibers_[number].given_away, true)) {
    fail("a thread is detached that cannot be");
  }
}

void machine::end_of_threads() {
  std::string blocked;
  for (unsigned one = 0; one < count_; ++one) {
    if (fibers_[one].is != condition::over) blocked += describe(fibers_[one], one);
  }
  if (!blocked.empty()) fail("deadlock: nobody can go on" + blocked);
  check_leaks();
  schedule_->check_all_used();
  fiber_context::leave(explorer_);
}

void machine::check_leaks() {
  for (unsigned one = 0; one < count_; ++one) {
    if (!fibers_[one].given_away) fail("a thread is neither joined nor detached");
  }
  const arena::leaks left = arena::find_leaks();
  if (left.blocks == 0) return;
  fail("leak: " + std::to_string(left.blocks) + " blocks; the first, of " +
       std::to_string(left.bytes) + " bytes, comes from " + place_of(left.caller));
}

void machine::fail(std::string why) {
  program_runs = false;
  if (traced_) outcome_.trace = trace();
  outcome_.failure = std::move(why);
  fiber_context::leave(explorer_);
}

std::string machine::describe(const fiber& one, unsigned number) const {
  constexpr const char* k_conditions[] = {"ready", "asleep on", "waits for the mutex", "joins",
                                          "over"};
  std::string text = "; thread " + std::to_string(number) + ' ' +
                     k_conditions[static_cast<unsigned>(one.is)] + ' ';
  text += one.is == condition::joining ? "thread " + std::to_string(one.joins)
                                       : arena::name_of(one.waits_on);
  return text + " at " + place_of(one.stands_at);
}

std::string machine::trace() const {
  std::string text;
  for (const step& one : steps_) {
    text += "  thread " + std::to_string(one.fiber) + ": " + one.verb;
    if (one.address != nullptr) text += ' ' + arena::name_of(one.address);
    if (one.address != nullptr) text += " (" + std::to_string(one.value) + ")";
    if (one.caller != nullptr) text += "  " + place_of(one.caller);
    text += '\n';
  }
  return text;
}

}  // namespace weir::model
