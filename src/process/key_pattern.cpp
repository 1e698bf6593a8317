#include "process/key_pattern.hpp"

#include <re2/re2.h>

#include "process/errors.hpp"
#include "process/excerpt.hpp"

namespace weir::process {
namespace {

constexpr std::size_t k_excerpt = 160;

re2::RE2::Options quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

// RE2 names the part that is wrong; where it stands is told if it stands there once.
std::string what_is_wrong(const re2::RE2& expression) {
  const std::string& pattern = expression.pattern();
  const std::string& part = expression.error_arg();
  const auto at = part.empty() ? std::string::npos : pattern.find(part);
  std::string text = excerpt(expression.error(), k_excerpt);
  if (at != std::string::npos && pattern.find(part, at + 1) == std::string::npos) {
    text += " at byte " + std::to_string(at + 1);
  }
  return text;
}

}  // namespace

key_pattern::key_pattern(const std::string& pattern)
    : expression_(std::make_unique<re2::RE2>(pattern, quiet())) {
  if (!expression_->ok()) {
    throw usage_error("--key '" + excerpt(pattern, k_excerpt) +
                      "': not a regular expression: " + what_is_wrong(*expression_));
  }
}

key_pattern::~key_pattern() = default;

std::optional<std::string> key_pattern::key_of(std::string_view text) const {
  const int groups = expression_->NumberOfCapturingGroups() > 0 ? 2 : 1;
  re2::StringPiece found[2];
  const bool matches = expression_->Match({text.data(), text.size()}, 0, text.size(),
                                          re2::RE2::UNANCHORED, found, groups);
  const re2::StringPiece& key = found[groups - 1];
  if (!matches || key.data() == nullptr) {
    return std::nullopt;
  }
  return std::string(key.data(), key.size());
}

}  // namespace weir::process
