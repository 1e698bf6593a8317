#include "cron/source_text.hpp"

#include <algorithm>

#include "cron/printable.hpp"
#include "weir/cron.hpp"

namespace weir::cron_room {

source_text source_text::take_word() noexcept {
  const std::size_t begin = at_;
  while (!done() && !is_blank(all_[at_])) ++at_;
  return part(begin, at_);
}

std::string source_text::take_letters() {
  std::string letters;
  while (!done() && is_letter(all_[at_])) letters += upper(all_[at_++]);
  return letters;
}

long source_text::take_number() noexcept {
  constexpr long k_most = 1'000'000;
  if (done() || !is_digit(all_[at_])) return -1;
  long value = 0;
  while (!done() && is_digit(all_[at_])) value = std::min(k_most, value * 10 + (all_[at_++] - '0'));
  return value;
}

void source_text::fail(std::size_t place, const std::string& trouble) const {
  throw cron_error(all_, place + 1, trouble);
}

std::string quoted(std::string_view text, std::size_t most) {
  const std::string_view shown = text.substr(0, most);
  return "'" + printable(shown) + (shown.size() < text.size() ? "…'" : "'");
}

}  // namespace weir::cron_room
