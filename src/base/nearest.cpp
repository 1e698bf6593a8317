#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weir {
namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// Levenshtein's distance, one row at a time.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const bool same = upper(one[i]) == upper(other[j]);
      const std::size_t swap = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({swap, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  word = word.substr(0, 100);
  std::size_t best = word.size() / 3 + 2;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (const std::size_t apart = distance(word, candidate); apart < best) {
      best = apart;
      found = candidate;
    }
  }
  return found;
}

}  // namespace weir
