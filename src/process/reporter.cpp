#include "process/reporter.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

#include "process/json_report.hpp"
#include "process/progress_line.hpp"
#include "process/stream_output.hpp"
#include "weir/detail/assert.hpp"

namespace weir::process {
namespace {

constexpr std::size_t k_most_unsent = 64 * 1024;

std::string reason(int error) { return std::generic_category().message(error); }

// Writes to standard error if its reader takes it now; returns whether it did.
bool write_if_ready(std::string_view text) {
  pollfd look{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&look, 1, 0) != 1 || (look.revents & POLLOUT) == 0) {
    return false;
  }
  const ssize_t count =
      ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
  return count == static_cast<ssize_t>(text.size());
}

// How much of `lines` may be written at once without mixing with what others write: whole lines
// while they fit. 0: the first line alone is too long for that.
std::size_t piece_length(std::string_view lines) {
  if (lines.size() <= PIPE_BUF) {
    return lines.size();
  }
  const auto newline = lines.substr(0, PIPE_BUF).rfind('\n');
  return newline == std::string_view::npos ? 0 : newline + 1;
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) {
    return 80;
  }
  return size.ws_col - 1u;
}

void count(run_counts& counts, outcome how) {
  switch (how) {
    case outcome::succeeded:
      ++counts.succeeded;
      return;
    case outcome::failed:
      ++counts.failed;
      return;
    case outcome::timed_out:
      ++counts.timed_out;
      return;
    case outcome::cancelled:
      ++counts.cancelled;
      return;
  }
  WEIR_ASSERT(false);
}

}  // namespace

reporter::reporter(const run_options& options, std::size_t window, bool bar, joblog_writer* log,
                   const wake_fd& give_up)
    : options_(options),
      window_(window),
      bar_(bar),
      out_(STDOUT_FILENO, give_up),
      err_(STDERR_FILENO, give_up),
      log_(log) {}

bool reporter::wait_for_turn(std::uint64_t place) {
  for (;;) {
    {
      const sync::lock_guard held(state_);
      if (stopped_) {
        return false;
      }
      if (!options_.keep_order || place < next_place_ + window_) {
        return true;
      }
    }
    turn_.park();
  }
}

void reporter::stop_waiting() {
  {
    const sync::lock_guard held(state_);
    stopped_ = true;
  }
  turn_.unpark();
}

void reporter::set_total(std::uint64_t total) {
  const sync::lock_guard held(state_);
  counts_.total = total;
}

void reporter::skipped() {
  const sync::lock_guard held(state_);
  ++counts_.skipped;
}

void reporter::started() {
  const sync::lock_guard held(state_);
  ++counts_.running;
}

void reporter::paused() {
  const sync::lock_guard held(state_);
  --counts_.running;
}

void reporter::account(std::uint64_t place, finished_command&& one) {
  int log_error = 0;
  {
    const sync::lock_guard held(log_lock_);
    if (log_ != nullptr) {
      log_error = log_->write(one);
      if (log_error != 0) {
        log_ = nullptr;
      }
    }
  }
  if (log_error != 0) {
    trouble(options_.joblog + ": cannot write the job log: " + reason(log_error));
  }
  const sync::lock_guard held(state_);
  count(counts_, one.how);
  add_locked(place, entry{true, std::move(one)});
}

reporter::verdict reporter::finished(std::uint64_t place, finished_command&& one) {
  const bool was_started = one.attempts > 0;
  account(place, std::move(one));
  flush();
  const sync::lock_guard held(state_);
  if (was_started) {
    --counts_.running;
  }
  return judge_locked();
}

void reporter::gave_up_retry(std::uint64_t place, finished_command&& one) {
  account(place, std::move(one));
}

void reporter::dropped(std::uint64_t place, std::uint64_t seq) {
  const sync::lock_guard held(state_);
  ++counts_.never_started;
  if (counts_.first_never_started == 0 || seq < counts_.first_never_started) {
    counts_.first_never_started = seq;
  }
  add_locked(place, entry());
}

void reporter::add_locked(std::uint64_t place, entry&& what) {
  waiting_.emplace(place, std::move(what));
}

bool reporter::take_next(entry& next) {
  bool moved_on = false;
  bool found = false;
  {
    const sync::lock_guard held(state_);
    while (!found && !waiting_.empty()) {
      const auto first = waiting_.begin();
      if (options_.keep_order && first->first != next_place_) {
        break;
      }
      next = std::move(first->second);
      waiting_.erase(first);
      ++next_place_;
      moved_on = true;
      found = next.to_print;
    }
    printing_ = found;
    if (found) {
      erase_bar_locked();
    }
  }
  if (moved_on && options_.keep_order) {
    turn_.unpark();
  }
  return found;
}

void reporter::flush() {
  const sync::lock_guard held(output_);
  entry next;
  while (take_next(next)) {
    print(next.record);
  }
  write_unsent();
}

void reporter::print(const finished_command& one) {
  if (options_.json) {
    write_json(one, out_);
  } else {
    print_streams(one);
  }
  if (one.how != outcome::succeeded && !options_.quiet) {
    err_.write("weir: " + describe_failure(one, options_.timeout) + "\n");
  }
  note_port_errors();
}

void reporter::print_streams(const finished_command& one) {
  const std::string* tag = options_.tag ? &one.what.tag : nullptr;
  write_stream(one.out, tag, out_);
  write_stream(one.err, tag, err_);
}

void reporter::note_port_errors() {
  const int error = out_.error() != 0 ? out_.error() : err_.error();
  if (error == 0 || port_error_noted_) {
    return;
  }
  port_error_noted_ = true;
  const std::string name = out_.error() != 0 ? "standard output" : "standard error";
  if (error == ECANCELED) {
    trouble(name + ": its reader does not read, so the rest was let go");
  } else {
    trouble(name + ": " + reason(error) + "; no further command is started");
  }
}

reporter::verdict reporter::judge_locked() const {
  if (options_.halt.reached(counts_.failed + counts_.timed_out, counts_.ended())) {
    return options_.halt.act == halt_rule::when::now ? verdict::stop_now : verdict::stop_starting;
  }
  return trouble_ ? verdict::stop_starting : verdict::go_on;
}

void reporter::complain(std::string_view what) {
  const sync::lock_guard held(state_);
  erase_bar_locked();
  if (unsent_.size() < k_most_unsent) {
    unsent_ += "weir: " + std::string(what) + "\n";
  }
  send_locked();
}

// A line that is too long to be written at once is cut in pieces only while nobody prints.
void reporter::send_locked() {
  std::size_t sent = 0;
  while (sent < unsent_.size()) {
    const std::string_view rest = std::string_view(unsent_).substr(sent);
    std::size_t length = piece_length(rest);
    if (length == 0 && !printing_) {
      length = PIPE_BUF;
    }
    if (length == 0 || !write_if_ready(rest.substr(0, length))) {
      break;
    }
    sent += length;
  }
  unsent_.erase(0, sent);
}

void reporter::answer(std::string_view lines) {
  {
    const sync::lock_guard held(state_);
    erase_bar_locked();
    send_locked();
    if (!answer_waits_ || unsent_.empty()) {
      unsent_ += lines;
      send_locked();
      answer_waits_ = !unsent_.empty();
    }
  }
  draw_progress();
}

void reporter::write_unsent() {
  std::string lines;
  {
    const sync::lock_guard held(state_);
    lines.swap(unsent_);
    printing_ = !lines.empty();
  }
  err_.write(lines);
  const sync::lock_guard held(state_);
  printing_ = false;
}

void reporter::trouble(std::string_view what) {
  {
    const sync::lock_guard held(state_);
    trouble_ = true;
  }
  complain(what);
}

void reporter::erase_bar_locked() {
  if (std::exchange(bar_drawn_, false)) {
    write_if_ready("\r\x1b[K");
  }
}

void reporter::draw_progress() {
  const sync::lock_guard held(state_);
  if (!bar_ || printing_) {
    return;
  }
  const auto elapsed = std::chrono::steady_clock::now() - begin_;
  write_if_ready("\r" + progress_line(counts_, elapsed, terminal_width()) + "\x1b[K");
  bar_drawn_ = true;
}

run_counts reporter::counts() const {
  const sync::lock_guard held(state_);
  return counts_;
}

bool reporter::in_trouble() const {
  const sync::lock_guard held(state_);
  return trouble_;
}

}  // namespace weir::process
