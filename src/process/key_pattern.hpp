#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace weir::process {

/// The regular expression of `--key`: which commands must not run at the same time. RE2, so its
/// time is linear in the text and its memory bounded, whatever the pattern and the line; see
/// docs/decisions/0007-regular-expressions.md. Shared objects: safe.
class key_pattern {
 public:
  /// Throws `usage_error` that shows which part of `pattern` is wrong and where.
  explicit key_pattern(const std::string& pattern);
  ~key_pattern();
  key_pattern(const key_pattern&) = delete;
  key_pattern& operator=(const key_pattern&) = delete;

  /// The first group of the first match, or all of the match where the pattern has no group.
  /// Nothing when `text` does not match or the group took no part in it.
  [[nodiscard]] std::optional<std::string> key_of(std::string_view text) const;

 private:
  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace weir::process
