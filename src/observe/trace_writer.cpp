#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "sync/fork.hpp"
#include "sync/mutex.hpp"
#include "weir/trace.hpp"

namespace weir {

namespace {

using json = nlohmann::json;
using steady = std::chrono::steady_clock;

constexpr int k_process = 1;
constexpr std::uint64_t k_queue_line = 0;
constexpr std::uint64_t k_callers_line = 1;
constexpr std::uint64_t k_first_worker_line = 2;

std::uint64_t line_of(const worker_info& where) {
  return where.index == worker_info::k_caller ? k_callers_line : k_first_worker_line + where.index;
}

std::string title_of(const task_info& task) {
  return task.name.empty() ? "task " + std::to_string(task.id) : std::string(task.name);
}

}  // namespace

/// The stream and what has been said on it. Source: "Trace Event Format", the JSON array form.
class trace_writer::document final : public sync::fork_part {
 public:
  explicit document(std::ostream& out) : out_(out) {
    sync::join_forks(*this, sync::fork_rank::observer);
    name_line(k_queue_line, "accepted and cancelled");
    name_line(k_callers_line, "callers");
  }

  ~document() { sync::leave_forks(*this, sync::fork_rank::observer); }

  void hold_for_fork() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void resume_parent() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  void resume_child() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS {
    finished_ = true;  // the parent writes on
    mutex_.unlock();
  }

  void add(json event) noexcept {
    try {
      const sync::lock_guard lock(mutex_);
      write(std::move(event));
    } catch (const std::exception&) {
      const sync::lock_guard lock(mutex_);
      failed_ = true;
    }
  }

  void add_worker(const worker_info& where) noexcept {
    try {
      const sync::lock_guard lock(mutex_);
      if (where.index >= known_workers_.size()) known_workers_.resize(where.index + 1);
      if (known_workers_[where.index]) return;
      known_workers_[where.index] = true;
      name_line_locked(line_of(where),
                       std::string(where.pool) + " worker " + std::to_string(where.index));
    } catch (const std::exception&) {
      const sync::lock_guard lock(mutex_);
      failed_ = true;
    }
  }

  json event(const char* phase, std::uint64_t line) const {
    const auto since = std::chrono::duration<double, std::micro>(steady::now() - start_);
    return json{{"ph", phase}, {"pid", k_process}, {"tid", line}, {"ts", since.count()}};
  }

  void finish() {
    const sync::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = true;
    out_ << (any_ ? "\n]\n" : "[]\n") << std::flush;
  }

  bool good() const {
    const sync::lock_guard lock(mutex_);
    return !failed_ && out_.good();
  }

 private:
  void name_line(std::uint64_t line, const std::string& name) {
    const sync::lock_guard lock(mutex_);
    name_line_locked(line, name);
  }

  void name_line_locked(std::uint64_t line, const std::string& name) WEIR_REQUIRES(mutex_) {
    write({{"ph", "M"},
           {"pid", k_process},
           {"tid", line},
           {"name", "thread_name"},
           {"args", {{"name", name}}}});
    write({{"ph", "M"},
           {"pid", k_process},
           {"tid", line},
           {"name", "thread_sort_index"},
           {"args", {{"sort_index", line}}}});
  }

  void write(json event) WEIR_REQUIRES(mutex_) {
    if (finished_) return;
    // Names are bytes of the user's: what is no UTF-8 is shown as U+FFFD instead of spoiling the
    // file.
    out_ << (any_ ? ",\n" : "[\n") << event.dump(-1, ' ', false, json::error_handler_t::replace);
    any_ = true;
  }

  mutable sync::mutex mutex_;
  const steady::time_point start_ = steady::now();
  std::ostream& out_ WEIR_GUARDED_BY(mutex_);
  std::vector<bool> known_workers_ WEIR_GUARDED_BY(mutex_);
  bool any_ WEIR_GUARDED_BY(mutex_) = false;
  bool finished_ WEIR_GUARDED_BY(mutex_) = false;
  bool failed_ WEIR_GUARDED_BY(mutex_) = false;
};

trace_writer::trace_writer(std::ostream& out) : document_(std::make_unique<document>(out)) {}
trace_writer::~trace_writer() { finish(); }
void trace_writer::finish() { document_->finish(); }
bool trace_writer::good() const { return document_->good(); }

void trace_writer::worker_started(const worker_info& where) noexcept {
  document_->add_worker(where);
}

void trace_writer::worker_stopped(const worker_info& where) noexcept {
  json event = document_->event("i", line_of(where));
  event["name"] = "worker stopped";
  event["s"] = "t";
  document_->add(std::move(event));
}

void trace_writer::task_accepted(const task_info& task) noexcept {
  json event = document_->event("i", k_queue_line);
  event["name"] = title_of(task);
  event["cat"] = "accepted";
  event["s"] = "t";
  event["args"] = {{"id", task.id}};
  document_->add(std::move(event));
}

void trace_writer::task_started(const task_info& task, const worker_info& where) noexcept {
  json event = document_->event("B", line_of(where));
  event["name"] = title_of(task);
  event["cat"] = "task";
  event["args"] = {{"id", task.id}};
  document_->add(std::move(event));
}

void trace_writer::task_finished(const task_info&, const worker_info& where,
                                 task_state outcome) noexcept {
  json event = document_->event("E", line_of(where));
  event["args"] = {{"outcome", to_string(outcome)}};
  document_->add(std::move(event));
}

void trace_writer::task_cancelled(const task_info& task, cancel_reason reason) noexcept {
  json event = document_->event("i", k_queue_line);
  event["name"] = title_of(task);
  event["cat"] = "cancelled";
  event["s"] = "t";
  event["args"] = {{"id", task.id}, {"reason", to_string(reason)}};
  document_->add(std::move(event));
}

}  // namespace weir
