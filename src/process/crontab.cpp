#include "process/crontab.hpp"

#include <optional>
#include <unordered_map>
#include <utility>

#include "process/command_source.hpp"
#include "process/crontab_line.hpp"
#include "process/errors.hpp"

namespace weir::process {
namespace {

constexpr std::string_view k_byte_order_mark = "\xef\xbb\xbf";

std::uint64_t hash(std::string_view salt, const crontab_setting& one) {
  std::string text(salt);
  text += one.name;
  text += '\0';
  text += one.value;
  return std::hash<std::string>()(text);
}

bool is_reboot(std::string_view when) {
  constexpr std::string_view k_name = "@reboot";
  if (when.size() != k_name.size()) {
    return false;
  }
  for (std::size_t i = 0; i < when.size(); ++i) {
    const char c = when[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != k_name[i]) {
      return false;
    }
  }
  return true;
}

class reader {
 public:
  explicit reader(const crontab_options& options) : options_(options), zone_(options.zone) {
    check_zone(options.zone);
  }

  crontab read(std::string_view text) {
    if (text.starts_with(k_byte_order_mark)) {
      text.remove_prefix(k_byte_order_mark.size());
    }
    while (!text.empty()) {
      const auto newline = text.find('\n');
      take_line(text.substr(0, newline));
      text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    }
    return std::move(found_);
  }

 private:
  static void check_zone(const std::string& zone) {
    try {
      const cron sound("* * * * *", zone);
    } catch (const cron_error& error) {
      throw usage_error("--tz: " + std::string(error.trouble()));
    }
  }

  void take_line(std::string_view line) {
    ++line_;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    const std::size_t begin = skip_blanks(line, 0);
    if (begin == line.size() || line[begin] == '#') {
      return;
    }
    try {
      if (const auto nul = line.find('\0'); nul != std::string_view::npos) {
        throw line_error{nul, "the line has a NUL byte, which no command can be given; remove it"};
      }
      if (auto setting = read_setting(line)) {
        take_setting(std::move(*setting));
      } else {
        take_entry(line);
      }
    } catch (const line_error& error) {
      add_problem(line, error);
    }
  }

  void take_setting(setting_parts&& parts) {
    if (parts.name == "CRON_TZ") {
      take_zone(parts);
    }
    if (parts.name == "SHELL" && parts.value.empty()) {
      throw line_error{parts.value_place,
                       "SHELL needs the path of a shell, as in SHELL = "
                       "/bin/bash"};
    }
    found_.settings.push_back(
        {std::move(parts.name), std::move(parts.value), line_, parts.value_place + 1});
    add_to_digest(found_.settings.size() - 1);
  }

  // What the old value of the same name has added is taken away again.
  void add_to_digest(std::size_t place) {
    const crontab_setting& now = found_.settings[place];
    const auto [before, is_new] = last_.try_emplace(now.name, place);
    for (std::size_t word = 0; word < 2; ++word) {
      const char* const salt = word == 0 ? "" : "second ";
      if (!is_new) {
        digest_.words[word] -= hash(salt, found_.settings[before->second]);
      }
      digest_.words[word] += hash(salt, now);
    }
    before->second = place;
  }

  void take_zone(const setting_parts& parts) {
    zone_.reset();
    try {
      const cron sound("* * * * *", parts.value);
      zone_ = parts.value;
    } catch (const cron_error& error) {
      throw line_error{parts.value_place, std::string(error.trouble()) +
                                              "; the lines below, up to the next CRON_TZ, do not "
                                              "run"};
    }
  }

  void take_entry(std::string_view line) {
    const schedule_parts parts = read_schedule(line, options_.seconds);
    crontab_entry entry;
    entry.line = line_;
    entry.when = line.substr(parts.begin, parts.end - parts.begin);
    if (!is_reboot(entry.when)) {
      entry.schedule = schedule_of(entry.when, parts.begin);
    }
    split_command split = split_at_percent(line.substr(parts.command));
    if (skip_blanks(split.text, 0) == split.text.size()) {
      throw line_error{parts.command,
                       "there is no command before the %, which begins its input; "
                       "a percent sign in a command is written \\%"};
    }
    if (split.text.size() > longest_argument()) {
      throw line_error{parts.command, "the command has " + std::to_string(split.text.size()) +
                                          " bytes, the system takes at most " +
                                          std::to_string(longest_argument()) +
                                          "; put it in a script and run that"};
    }
    entry.command = std::move(split.text);
    entry.input = std::move(split.input);
    entry.settings = found_.settings.size();
    entry.digest = digest_;
    add(std::move(entry));
  }

  void add(crontab_entry&& entry) {
    // Its zone is unknown, and the line that sets it has been reported.
    if (!zone_ && entry.schedule == nullptr && !is_reboot(entry.when)) {
      return;
    }
    if (found_.entries.size() == crontab::k_most_entries) {
      throw usage_error("line " + std::to_string(line_) + ": the crontab has more than " +
                        std::to_string(crontab::k_most_entries) +
                        " lines that run something; let one line run a script that does more");
    }
    found_.entries.push_back(std::move(entry));
  }

  // Lines with the same schedule share it. Without a zone the schedule is checked only.
  std::shared_ptr<const cron> schedule_of(const std::string& when, std::size_t place) {
    const std::string key = zone_.value_or("") + '\0' + when;
    if (const auto known = schedules_.find(key); known != schedules_.end()) {
      return known->second;
    }
    try {
      auto made = std::make_shared<const cron>(when, zone_.value_or("UTC"));
      if (!zone_) {
        made.reset();
      }
      schedules_.emplace(key, made);
      return made;
    } catch (const cron_error& error) {
      const char* const hint =
          options_.seconds ? " (with --seconds the first of six fields is the second)" : "";
      throw line_error{place + error.column() - 1, std::string(error.trouble()) + hint};
    }
  }

  void add_problem(std::string_view line, const line_error& error) {
    if (found_.problems.size() == crontab::k_most_problems) {
      ++found_.further_problems;
      return;
    }
    const cron_error shown(line, error.place + 1, error.trouble);
    const std::string_view all = shown.what();
    found_.problems.push_back({line_, error.place + 1, error.trouble,
                               std::string(all.substr(shown.trouble().size() + 1))});
  }

  const crontab_options& options_;
  crontab found_;
  std::uint64_t line_ = 0;
  std::optional<std::string> zone_;  // none: the one that was set is unknown
  settings_digest digest_;
  std::unordered_map<std::string, std::size_t> last_;  // of each name, its last setting
  std::unordered_map<std::string, std::shared_ptr<const cron>> schedules_;
};

}  // namespace

crontab read_crontab(std::string_view text, const crontab_options& options) {
  return reader(options).read(text);
}

std::string describe_problem(std::string_view file, const crontab_problem& one) {
  return std::string(file) + ":" + std::to_string(one.line) + ":" + std::to_string(one.column) +
         ": " + one.trouble + "\n" + one.excerpt;
}

split_command split_at_percent(std::string_view command) {
  split_command split;
  std::string* into = &split.text;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    const char next = at + 1 < command.size() ? command[at + 1] : '\0';
    if (c == '\\' && next == '%') {
      into->push_back('%');
      ++at;
    } else if (c == '\\' && next == '\\') {
      into->append("\\\\");
      ++at;
    } else if (c == '%' && into == &split.text) {
      into = &split.input;
    } else {
      into->push_back(c == '%' ? '\n' : c);
    }
  }
  if (!split.input.empty() && split.input.back() != '\n') {
    split.input.push_back('\n');
  }
  return split;
}

}  // namespace weir::process
