#include "process/joblog.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <functional>
#include <system_error>

#include "process/errors.hpp"

namespace weir::process {
namespace {

constexpr std::string_view k_header =
    "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
constexpr std::size_t k_columns = 9;
enum column { k_seq, k_exit = 6, k_signal = 7, k_command = 8 };

std::string reason(int error) { return std::generic_category().message(error); }

// The command is the last column and may hold tabs of its own.
bool split_row(std::string_view text, std::array<std::string_view, k_columns>& columns) {
  for (std::size_t i = 0; i + 1 < k_columns; ++i) {
    const auto tab = text.find('\t');
    if (tab == std::string_view::npos) {
      return false;
    }
    columns[i] = text.substr(0, tab);
    text.remove_prefix(tab + 1);
  }
  columns[k_command] = text;
  return true;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && rest == end && !text.empty();
}

// An earlier run that was killed in the middle of a row leaves a part of it, which is no row for
// the next reader. Returns an errno.
int cut_unfinished_row(int file) {
  struct stat state {};
  if (::fstat(file, &state) != 0 || !S_ISREG(state.st_mode)) {
    return 0;
  }
  char piece[4096];
  off_t end = state.st_size;
  while (end > 0) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(sizeof piece));
    const ssize_t count = ::pread(file, piece, static_cast<std::size_t>(end - begin), begin);
    if (count != end - begin) {
      return count < 0 ? errno : EIO;
    }
    const std::string_view text(piece, static_cast<std::size_t>(count));
    if (const auto newline = text.rfind('\n'); newline != std::string_view::npos) {
      end = begin + static_cast<off_t>(newline) + 1;
      break;
    }
    end = begin;
  }
  return end == state.st_size || ::ftruncate(file, end) == 0 ? 0 : errno;
}

double seconds(std::chrono::nanoseconds length) {
  return std::chrono::duration<double>(length).count();
}

}  // namespace

joblog_history joblog_history::read(const std::string& path) {
  joblog_history history;
  history.path_ = path;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    if (errno == ENOENT) {
      return history;
    }
    throw usage_error(path + ": cannot read the job log: " + reason(errno));
  }
  std::string text;
  for (std::uint64_t line = 1; std::getline(file, text); ++line) {
    if (file.eof()) {
      break;
    }
    if (line > 1 || text + '\n' != k_header) {
      history.add(text, line);
    }
  }
  if (file.bad()) {
    throw usage_error(path + ": cannot read the job log: " + reason(errno));
  }
  return history;
}

void joblog_history::add(std::string_view text, std::uint64_t line) {
  std::array<std::string_view, k_columns> columns;
  std::uint64_t seq = 0;
  int exit_value = 0;
  int signal = 0;
  if (!split_row(text, columns) || !parse_number(columns[k_seq], seq) ||
      !parse_number(columns[k_exit], exit_value) || !parse_number(columns[k_signal], signal)) {
    throw usage_error(path_ + ":" + std::to_string(line) +
                      ": not a row of a job log; give --resume the log of an earlier run");
  }
  std::string command(columns[k_command]);
  std::replace(command.begin(), command.end(), '\0', '\n');
  rows_[seq] = {line, std::hash<std::string>{}(command), exit_value == 0 && signal == 0};
}

bool joblog_history::succeeded(std::uint64_t seq, std::string_view text) const {
  const auto found = rows_.find(seq);
  if (found == rows_.end()) {
    return false;
  }
  if (found->second.text_hash != std::hash<std::string_view>{}(text)) {
    throw usage_error(path_ + ":" + std::to_string(found->second.line) + ": command " +
                      std::to_string(seq) +
                      " was another one in that run; the input has changed, so start a new log "
                      "without --resume");
  }
  return found->second.success;
}

joblog_writer::joblog_writer(const std::string& path, bool go_on)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (go_on ? 0 : O_TRUNC),
                   0666)) {
  if (!file_) {
    throw usage_error(path + ": cannot write the job log: " + reason(errno));
  }
  int error = cut_unfinished_row(file_.get());
  struct stat state {};
  if (error == 0 && (::fstat(file_.get(), &state) != 0 || state.st_size == 0)) {
    error = put(k_header);
  }
  if (error != 0) {
    throw run_error(path + ": cannot write the job log: " + reason(error));
  }
}

int joblog_writer::put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file_.get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return 0;
}

int joblog_writer::write(const finished_command& ended) {
  char numbers[160];
  const double start = seconds(ended.started.time_since_epoch());
  std::snprintf(numbers, sizeof numbers, "%llu\t:\t%.3f\t%10.3f\t0\t%llu\t%d\t%d\t",
                static_cast<unsigned long long>(ended.what.seq), start, seconds(ended.run_time),
                static_cast<unsigned long long>(ended.out.size()), ended.log_code(),
                ended.log_signal());
  std::string row = numbers + ended.what.text;
  std::replace(row.begin(), row.end(), '\n', '\0');
  row.push_back('\n');
  return put(row);
}

}  // namespace weir::process
