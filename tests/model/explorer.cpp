#include "model/explorer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "model/machine.hpp"
#include "model/schedule.hpp"

namespace weir::model {

namespace {

using real_clock = std::chrono::steady_clock;

constexpr unsigned k_priority_changes = 3;

const char* name_of(memory_model model) noexcept {
  return model == memory_model::views ? "views" : "tso";
}

circumstances circumstances_of(const options& how, memory_model model) {
  return {model, how.spurious, how.delays, how.steps_max};
}

unsigned bound_of(const options& how, memory_model model) {
  return (model == memory_model::views ? how.views_bound : how.bound) +
         chosen_settings().extra_bound;
}

/// One exploration under way.
class exploration {
 public:
  exploration(const options& how, memory_model model, void (*kernel)())
      : kernel_(kernel),
        model_(model),
        given_(circumstances_of(how, model)),
        timed_(how.timed),
        end_(real_clock::now() + std::chrono::duration_cast<real_clock::duration>(
                                     std::chrono::duration<double>(chosen_settings().seconds))) {}

  /// False: out of time, or failed.
  bool exhaust(unsigned bound) {
    schedule_.explore_to(bound);
    do {
      if (!run_one()) return false;
    } while (schedule_.next());
    found_.bound_done = static_cast<int>(bound);
    return true;
  }

  void randomise(unsigned executions) {
    for (unsigned at = 0; at < executions; ++at) {
      schedule_.randomise(chosen_settings().seed + at, k_priority_changes, longest_);
      run_one();
      if (failed()) return;
    }
  }

  report take() { return std::move(found_); }
  [[nodiscard]] bool failed() const noexcept { return !found_.failure.empty(); }

 private:
  bool run_one() {
    const outcome made = the_machine.execute(kernel_, schedule_, given_, false);
    ++found_.executions;
    found_.steps = std::max(found_.steps, made.steps);
    longest_ = std::max(longest_, schedule_.length());
    if (!made.failure.empty()) {
      found_.failure = made.failure;
      found_.choices = std::string(name_of(model_)) + ':' + schedule_.text();
      return false;
    }
    return !timed_ || found_.executions % 64 != 0 || real_clock::now() < end_;
  }

  void (*kernel_)();
  memory_model model_;
  circumstances given_;
  bool timed_;
  real_clock::time_point end_;
  schedule schedule_;
  report found_;
  unsigned longest_ = 1;
};

std::string describe(const report& found) {
  return found.failure + "\nreplay with --replay " + found.choices + '\n' + found.trace;
}

void print_row(const char* name, const options& how, memory_model model, const report& found) {
  const unsigned bound = bound_of(how, model);
  const bool complete = found.bound_done == static_cast<int>(bound);
  std::printf("| %s | %s | %d%s%s | %llu | %llu | %.1f s |\n", name, name_of(model),
              found.bound_done, how.delays ? " delays" : "", complete ? "" : " (out of time)",
              static_cast<unsigned long long>(found.executions),
              static_cast<unsigned long long>(found.steps), found.seconds);
  std::fflush(stdout);
}

}  // namespace

settings& chosen_settings() noexcept {
  static settings k_settings;
  return k_settings;
}

report explore(const options& how, memory_model model, void (*kernel)()) {
  const auto start = real_clock::now();
  exploration one(how, model, kernel);
  const unsigned last =
      (model == memory_model::views ? how.views_bound : how.bound) + chosen_settings().extra_bound;
  unsigned bound = 0;
  while (bound <= last && one.exhaust(bound)) ++bound;
  if (!one.failed()) one.randomise(how.random_executions * chosen_settings().random_factor);
  report found = one.take();
  found.seconds = std::chrono::duration<double>(real_clock::now() - start).count();
  return found;
}

report replay(const options& how, const std::string& choices, void (*kernel)()) {
  const auto colon = choices.find(':');
  const std::string model = choices.substr(0, colon);
  if (colon == std::string::npos || (model != "tso" && model != "views")) {
    throw std::invalid_argument("a choice string starts with tso: or views: and is not " + choices);
  }
  schedule along;
  along.replay(choices.substr(colon + 1));
  const auto memory = model == "views" ? memory_model::views : memory_model::total_store_order;
  outcome made = the_machine.execute(kernel, along, circumstances_of(how, memory), true);
  report found;
  found.failure = std::move(made.failure);
  found.choices = choices;
  found.trace = std::move(made.trace);
  found.executions = 1;
  found.steps = made.steps;
  return found;
}

void expect_holds(const char* name, const options& how, void (*kernel)()) {
  if (!chosen_settings().replay.empty()) {
    const report found = replay(how, chosen_settings().replay, kernel);
    if (!found.failure.empty()) ADD_FAILURE() << describe(found);
    return;
  }
  for (const memory_model model : {memory_model::total_store_order, memory_model::views}) {
    const report found = explore(how, model, kernel);
    print_row(name, how, model, found);
    if (found.failure.empty()) continue;
    ADD_FAILURE() << describe(replay(how, found.choices, kernel));
  }
}

}  // namespace weir::model
