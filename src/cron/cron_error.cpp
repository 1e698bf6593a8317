#include <algorithm>

#include "cron/printable.hpp"
#include "weir/cron.hpp"
#include "weir/detail/assert.hpp"

namespace weir {
namespace {

// Of a text that is far too long, what stands around the column.
std::string with_caret(std::string_view text, std::size_t column) {
  constexpr std::size_t k_width = 72;
  constexpr std::size_t k_before = 48;
  const std::size_t begin = text.size() > k_width && column > k_before ? column - k_before : 0;
  const std::string_view shown = text.substr(begin, k_width);
  return "\n  " + cron_room::printable(shown) + "\n  " + std::string(column - 1 - begin, ' ') + "^";
}

}  // namespace

cron_error::cron_error(std::string_view text, std::size_t column, const std::string& trouble)
    : std::invalid_argument(trouble + with_caret(text, column)), column_(column) {
  WEIR_ASSERT(column >= 1 && column <= text.size() + 1);
}

std::string_view cron_error::trouble() const noexcept {
  const std::string_view all = what();
  return all.substr(0, all.find('\n'));
}

}  // namespace weir
