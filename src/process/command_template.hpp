#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::process {

/// Returns `value` as one word of a POSIX shell: itself where that is safe, else in single quotes.
std::string shell_quote(std::string_view value);

/// A command with holes, as in `weir run -- convert {} {.}.png ::: a.jpg b.jpg`.
///
/// The holes: `{}` the value, `{.}` without its extension, `{/}` its last path component, `{//}`
/// its directory, `{/.}` the last component without extension, `{#}` the number of the command.
/// A template without a hole gets ` {}` appended.
///
/// One word is shell text: values are quoted as they are put in. Several words are an argument
/// vector: each word, its values put in, reaches the program exactly as it is.
class command_template {
 public:
  /// `words` must not be empty.
  explicit command_template(std::vector<std::string> words);

  /// Returns the shell text for one value; `number` counts from 1.
  std::string expand(std::string_view value, std::uint64_t number) const;

 private:
  std::vector<std::string> words_;
};

}  // namespace weir::process
