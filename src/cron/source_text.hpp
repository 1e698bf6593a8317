#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::cron_room {

/// The expression under the parser, and a place in it. Whoever reads on from here up to `end` fails
/// with the column of what is wrong.
class source_text {
 public:
  explicit source_text(std::string_view all) noexcept : all_(all), end_(all.size()) {}

  /// A part of the same text, with the same columns.
  [[nodiscard]] source_text part(std::size_t begin, std::size_t end) const noexcept {
    source_text piece = *this;
    piece.at_ = begin;
    piece.end_ = end;
    return piece;
  }

  [[nodiscard]] bool done() const noexcept { return at_ == end_; }
  [[nodiscard]] std::size_t at() const noexcept { return at_; }
  [[nodiscard]] std::size_t end() const noexcept { return end_; }
  [[nodiscard]] std::string_view rest() const noexcept { return all_.substr(at_, end_ - at_); }

  /// The next character, in upper case; 0 at the end.
  [[nodiscard]] char peek() const noexcept { return done() ? '\0' : upper(all_[at_]); }

  /// Steps over `wanted` (in upper case) if it comes next.
  bool take(char wanted) noexcept {
    if (done() || peek() != wanted) return false;
    ++at_;
    return true;
  }

  /// Steps over a run of blanks.
  void skip_blanks() noexcept {
    while (!done() && is_blank(all_[at_])) ++at_;
  }

  /// Steps over the next word, up to a blank, and returns it.
  source_text take_word() noexcept;

  /// Steps over letters and returns them in upper case.
  std::string take_letters();

  /// Steps over digits and returns their value, at most 1 000 000; -1 where there is no digit.
  long take_number() noexcept;

  /// Throws `cron_error` that points at `place`, or at where the reader stands.
  [[noreturn]] void fail(std::size_t place, const std::string& trouble) const;
  [[noreturn]] void fail(const std::string& trouble) const { fail(at_, trouble); }

  static char upper(char c) noexcept {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  static bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
  static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) noexcept { return upper(c) >= 'A' && upper(c) <= 'Z'; }

 private:
  std::string_view all_;
  std::size_t at_ = 0;
  std::size_t end_;
};

/// What an error shows of a text that may hold anything: at most `most` bytes of it, in quotes.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t most = 40);

}  // namespace weir::cron_room
