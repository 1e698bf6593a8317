#include "process/command_template.hpp"

#include <array>
#include <utility>

#include "weir/detail/assert.hpp"

namespace weir::process {
namespace {

std::string_view last_component(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view directory(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string_view without_extension(std::string_view path) {
  const auto dot = path.rfind('.');
  const auto slash = path.rfind('/');
  const bool in_last =
      slash == std::string_view::npos || (dot != std::string_view::npos && dot > slash);
  return dot == std::string_view::npos || !in_last ? path : path.substr(0, dot);
}

enum class hole { value, no_extension, name, parent, name_no_extension, number };

struct hole_name {
  std::string_view text;
  hole meaning;
};

constexpr std::array k_holes{
    hole_name{"{}", hole::value},   hole_name{"{.}", hole::no_extension},
    hole_name{"{/}", hole::name},   hole_name{"{//}", hole::parent},
    hole_name{"{#}", hole::number}, hole_name{"{/.}", hole::name_no_extension},
};

const hole_name* hole_at(std::string_view text) {
  for (const hole_name& candidate : k_holes) {
    if (text.starts_with(candidate.text)) {
      return &candidate;
    }
  }
  return nullptr;
}

std::string fill(hole meaning, std::string_view value, std::uint64_t number) {
  switch (meaning) {
    case hole::value:
      return std::string(value);
    case hole::no_extension:
      return std::string(without_extension(value));
    case hole::name:
      return std::string(last_component(value));
    case hole::parent:
      return std::string(directory(value));
    case hole::name_no_extension:
      return std::string(without_extension(last_component(value)));
    case hole::number:
      return std::to_string(number);
  }
  WEIR_ASSERT(false);
  return {};
}

bool has_hole(std::string_view word) {
  for (auto at = word.find('{'); at != std::string_view::npos; at = word.find('{', at + 1)) {
    if (hole_at(word.substr(at)) != nullptr) {
      return true;
    }
  }
  return false;
}

std::string expand_word(std::string_view word, std::string_view value, std::uint64_t number,
                        bool quote) {
  std::string out;
  while (!word.empty()) {
    const hole_name* found = hole_at(word);
    if (found == nullptr) {
      out.push_back(word.front());
      word.remove_prefix(1);
      continue;
    }
    const std::string text = fill(found->meaning, value, number);
    out += quote ? shell_quote(text) : text;
    word.remove_prefix(found->text.size());
  }
  return out;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./,:+@%^").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quote(std::string_view value) {
  bool plain = !value.empty();
  for (const char c : value) {
    plain = plain && is_plain(c);
  }
  if (plain) {
    return std::string(value);
  }
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out.push_back(c);
    }
  }
  out.push_back('\'');
  return out;
}

command_template::command_template(std::vector<std::string> words) : words_(std::move(words)) {
  WEIR_ASSERT(!words_.empty());
  for (const std::string& word : words_) {
    if (has_hole(word)) {
      return;
    }
  }
  if (words_.size() == 1) {
    words_.front() += " {}";
  } else {
    words_.emplace_back("{}");
  }
}

std::string command_template::expand(std::string_view value, std::uint64_t number) const {
  if (words_.size() == 1) {
    return expand_word(words_.front(), value, number, true);
  }
  std::string out;
  for (const std::string& word : words_) {
    if (!out.empty()) {
      out.push_back(' ');
    }
    out += shell_quote(expand_word(word, value, number, false));
  }
  return out;
}

}  // namespace weir::process
