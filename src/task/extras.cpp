#include "task/extras.hpp"

#include <new>
#include <stdexcept>

#include "task/state_word.hpp"
#include "task/task_home.hpp"
#include "weir/pool_options.hpp"

namespace weir::detail {

task_extras& need_extras(task_base& task) {
  // ordering: stop-source
  task_extras* found = task.extras.load(sync::acquire);
  if (found != nullptr) return *found;
  auto* const made = new task_extras;
  // ordering: stop-source
  if (task.extras.compare_exchange_strong(found, made, sync::seq_cst, sync::acquire)) return *made;
  delete made;
  return *found;
}

void set_options(task_base& task, const task_options& options) {
  if (options.timeout <= std::chrono::nanoseconds::zero()) {
    throw std::invalid_argument("weir: the timeout of a task must be positive");
  }
  if (options.timeout != std::chrono::nanoseconds::max()) need_guard();
  task_extras& extras = need_extras(task);
  extras.name = options.name;
  extras.key = options.key;
  extras.weight = options.weight;
  extras.timeout = options.timeout;
}

void stamp_submitted(task_base& task, time_point now) noexcept {
  try {
    need_extras(task).submitted = now;
  } catch (const std::bad_alloc&) {
    // One measurement less.
  }
}

std::stop_token make_stop_token(task_base& task) {
  task_extras& extras = need_extras(task);
  if (!extras.has_source.load(sync::relaxed)) {
    extras.source = std::stop_source();
    // ordering: stop-source
    extras.has_source.store(true, sync::seq_cst);
    // ordering: stop-source (either this load sees the request, or the canceller sees the source)
    const auto now = state_word::phase_of(task.word.load(sync::seq_cst));
    if (now == phase::cancel_requested) extras.source.request_stop();
  }
  return extras.source.get_token();
}

void stop_extras(task_base& task) {
  // ordering: stop-source
  task_extras* extras = task.extras.load(sync::seq_cst);
  // ordering: stop-source
  if (extras != nullptr && extras->has_source.load(sync::seq_cst)) extras->source.request_stop();
}

namespace {

const std::string& text_of(const task_base& task, std::string task_extras::*text) noexcept {
  static const std::string k_none;
  // ordering: stop-source
  const task_extras* extras = task.extras.load(sync::acquire);
  return extras != nullptr ? extras->*text : k_none;
}

}  // namespace

const std::string& name_of(const task_base& task) noexcept {
  return text_of(task, &task_extras::name);
}

const std::string& key_of(const task_base& task) noexcept {
  return text_of(task, &task_extras::key);
}

std::string described(const task_base& task) {
  const std::string& name = name_of(task);
  return "task " + std::to_string(task.id) + (name.empty() ? "" : " (" + name + ")");
}

}  // namespace weir::detail
