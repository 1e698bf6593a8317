#include "process/cron_table.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <system_error>
#include <utility>

#include "base/unique_fd.hpp"
#include "process/errors.hpp"

namespace weir::process {
namespace {

constexpr const char* k_default_shell = "/bin/sh";

// Finds each shell once.
class shell_finder {
 public:
  shell_finder(const std::vector<crontab_setting>& settings, const spawner& starter,
               cron_table& into)
      : settings_(settings), starter_(starter), into_(into) {}

  // Null: it is not there, and a problem says so. Entries come in the order of their lines.
  std::shared_ptr<const shell> of(const crontab_entry& entry) {
    for (; seen_ < entry.settings; ++seen_) {
      if (settings_[seen_].name == "SHELL") {
        now_ = &settings_[seen_];
      }
    }
    if (const auto known = found_.find(now_); known != found_.end()) {
      return known->second;
    }
    return found_[now_] = find();
  }

 private:
  std::shared_ptr<const shell> find() {
    if (now_ == nullptr) {
      return std::make_shared<const shell>(k_default_shell, false, starter_);
    }
    try {
      return std::make_shared<const shell>(now_->value, false, starter_);
    } catch (const usage_error& error) {
      report(error.what());
      return nullptr;
    }
  }

  void report(const std::string& why) {
    if (into_.problems.size() == crontab::k_most_problems) {
      ++into_.further_problems;
      return;
    }
    const std::string trouble = why + "; the lines below, up to the next SHELL, do not run";
    const std::string text = "SHELL = " + now_->value;
    const cron_error shown(text, sizeof "SHELL =", trouble);
    const std::string_view all = shown.what();
    into_.problems.push_back(
        {now_->line, now_->column, trouble, std::string(all.substr(shown.trouble().size() + 1))});
  }

  const std::vector<crontab_setting>& settings_;
  const spawner& starter_;
  cron_table& into_;
  std::size_t seen_ = 0;
  const crontab_setting* now_ = nullptr;  // null: the default
  std::map<const crontab_setting*, std::shared_ptr<const shell>> found_;
};

[[noreturn]] void cannot_read(const std::string& name, int error) {
  throw usage_error(name + ": cannot read the crontab: " + std::generic_category().message(error));
}

// Not to wait for somebody who opens a named pipe for writing.
unique_fd open_file(const std::string& file) {
  const bool standard = file == "-";
  unique_fd fd(standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                        : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat state {};
  if (!fd || ::fstat(fd.get(), &state) != 0) {
    cannot_read(file, errno);
  }
  if (S_ISDIR(state.st_mode)) {
    cannot_read(file, EISDIR);
  }
  return fd;
}

void wait_for_bytes(const unique_fd& fd, const wake_fd& stop) {
  pollfd waits[] = {{fd.get(), POLLIN, 0}, {stop.fd(), POLLIN, 0}};
  while (::poll(waits, 2, -1) < 0) {
  }
  if (waits[1].revents != 0) {
    throw run_error("stopped while the crontab was read");
  }
}

}  // namespace

std::vector<std::string> cron_job::variables() const {
  std::vector<std::string> all;
  all.reserve(entry.settings);
  for (std::size_t i = 0; i < entry.settings; ++i) {
    all.push_back((*settings)[i].name + "=" + (*settings)[i].value);
  }
  return all;
}

std::string cron_job::identity() const {
  std::string all;
  const auto add = [&all](const std::string& part) { all += part + '\0'; };
  add(entry.when);
  add(entry.schedule == nullptr ? "" : entry.schedule->zone());
  add(entry.command);
  add(entry.input);
  add(shell->path());
  add(std::to_string(entry.digest.words[0]));
  add(std::to_string(entry.digest.words[1]));
  return all;
}

cron_table make_cron_table(crontab&& read, const spawner& starter) {
  cron_table made;
  made.problems = std::move(read.problems);
  made.further_problems = read.further_problems;
  const auto settings =
      std::make_shared<const std::vector<crontab_setting>>(std::move(read.settings));
  shell_finder shells(*settings, starter, made);
  for (crontab_entry& entry : read.entries) {
    if (auto shell = shells.of(entry)) {
      made.jobs.push_back({std::move(entry), settings, std::move(shell)});
    }
  }
  return made;
}

std::string read_crontab_file(const std::string& file, const wake_fd& stop) {
  const unique_fd fd = open_file(file);
  std::string text;
  char piece[64 * 1024];
  for (;;) {
    wait_for_bytes(fd, stop);
    const ssize_t count = ::read(fd.get(), piece, sizeof piece);
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR && errno != EAGAIN) {
      cannot_read(file, errno);
    }
    text.append(piece, count > 0 ? static_cast<std::size_t>(count) : 0);
    if (text.size() > crontab::k_most_bytes) {
      throw usage_error(file + ": the crontab has more than " +
                        std::to_string(crontab::k_most_bytes) +
                        " bytes; let its lines run scripts, or start a second weir cron");
    }
  }
}

}  // namespace weir::process
