#pragma once

#include <span>
#include <string_view>

#include "cli/request.hpp"

namespace weir::cli {

/// What an argument is, so that a shell can complete it.
enum class completes { nothing, files, folders, words };

/// One flag. From this the parser, `--help`, the man page and the completion are made.
struct flag {
  char letter;             ///< 0: none
  std::string_view name;   ///< without dashes
  std::string_view value;  ///< what stands for the value; empty: the flag takes none
  std::string_view help;
  /// Takes the value in; throws `process::usage_error` for one that is none.
  void (*apply)(request& into, const std::string& value);
  completes kind = completes::nothing;
  std::string_view words = {};  ///< for `completes::words`, separated by blanks
};

struct example {
  std::string_view command;
  std::string_view what;
};

/// One verb.
struct verb {
  std::string_view name;
  std::string_view summary;                   ///< one line
  std::span<const std::string_view> usage;    ///< what follows `weir <name>`, one form a line
  std::span<const std::string_view> details;  ///< paragraphs
  std::span<const flag> flags;
  std::span<const example> examples;
  /// Whether `--` and `:::` begin a template and its values.
  bool takes_template;
  completes words_kind;
  std::string_view words;
  int (*act)(request& asked);
};

struct exit_meaning {
  std::string_view code;
  std::string_view meaning;
};

std::span<const verb> verbs();
std::span<const exit_meaning> exit_meanings();

/// Returns the verb of that name, or null.
const verb* find_verb(std::string_view name);

// The verbs, one file each.
extern const verb k_run_verb;
extern const verb k_cron_verb;
extern const verb k_next_verb;
extern const verb k_help_verb;

}  // namespace weir::cli
