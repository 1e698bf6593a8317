#include "process/halt_rule.hpp"

#include <charconv>
#include <system_error>

namespace weir::process {
namespace {

constexpr std::string_view k_fail = "fail=";

bool parse_limit(std::string_view text, halt_rule& rule) {
  rule.percent = text.ends_with('%');
  if (rule.percent) {
    text.remove_suffix(1);
  }
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, rule.limit);
  const bool in_range = rule.limit > 0 && (!rule.percent || rule.limit <= 100);
  return error == std::errc{} && rest == end && in_range;
}

}  // namespace

bool halt_rule::reached(std::uint64_t failed, std::uint64_t finished) const {
  if (act == when::never || failed == 0) {
    return false;
  }
  if (!percent) {
    return failed >= limit;
  }
  return finished >= k_least_finished && failed * 100 >= limit * finished;
}

std::optional<halt_rule> parse_halt_rule(std::string_view text) {
  halt_rule rule;
  const auto comma = text.find(',');
  const std::string_view word = text.substr(0, comma);
  if (word == "soon") {
    rule.act = halt_rule::when::soon;
  } else if (word == "now") {
    rule.act = halt_rule::when::now;
  } else if (text != "never") {
    return std::nullopt;
  }
  if (comma == std::string_view::npos) {
    return rule;
  }
  const std::string_view limit = text.substr(comma + 1);
  if (!limit.starts_with(k_fail) || !parse_limit(limit.substr(k_fail.size()), rule)) {
    return std::nullopt;
  }
  return rule;
}

}  // namespace weir::process
