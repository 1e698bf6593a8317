#include "cron/occurrences.hpp"

#include <algorithm>

namespace weir::cron_room {

// The local times of a span that may occur in it: all, but for the pass of a fold that the policy
// leaves out. A fold is the first pass at the end of one span, the second at the start of the next.
occurrences::window occurrences::admitted(std::size_t place) const noexcept {
  const auto& spans = zone_->spans();
  const zone_span& span = spans[place];
  window found{span.local(span.begin), span.local(span.end)};
  if (fold_ == cron_fold::first && place > 0) {
    found.begin = std::max(found.begin, spans[place - 1].local(span.begin));
  }
  if (fold_ == cron_fold::second && place + 1 < spans.size()) {
    found.end = std::min(found.end, spans[place + 1].local(span.end));
  }
  return found;
}

// The local times that are skipped where the span begins.
std::optional<occurrences::window> occurrences::gap_before(std::size_t place) const noexcept {
  const auto& spans = zone_->spans();
  if (place == 0) return std::nullopt;
  const zone_span& span = spans[place];
  const window skipped{spans[place - 1].local(span.begin), span.local(span.begin)};
  return skipped.begin < skipped.end ? std::optional(skipped) : std::nullopt;
}

bool occurrences::shifted_into(std::size_t place) const noexcept {
  if (gap_ != cron_gap::shift) return false;
  const std::optional<window> skipped = gap_before(place);
  return skipped && pattern_.first(skipped->begin, skipped->end).has_value();
}

std::optional<utc_second> occurrences::first(utc_second from) const noexcept {
  const auto& spans = zone_->spans();
  for (std::size_t place = zone_->at(from); place < spans.size(); ++place) {
    const zone_span& span = spans[place];
    if (from > k_last_instant || span.begin > k_last_instant) return std::nullopt;
    if (from <= span.begin && shifted_into(place)) return span.begin;
    const window open = admitted(place);
    const local_second begin = std::max(open.begin, span.local(std::max(from, span.begin)));
    const local_second end = std::min(open.end, span.local(k_last_instant + 1));
    if (const auto found = pattern_.first(begin, end)) return *found - span.offset;
  }
  return std::nullopt;
}

std::optional<utc_second> occurrences::last(utc_second upto) const noexcept {
  const auto& spans = zone_->spans();
  for (std::size_t place = zone_->at(upto) + 1; place-- > 0;) {
    const zone_span& span = spans[place];
    if (upto < k_first_instant || span.end <= k_first_instant) return std::nullopt;
    const window open = admitted(place);
    const local_second begin = std::max(open.begin, span.local(k_first_instant));
    const local_second end = std::min(open.end, span.local(std::min(upto, span.end - 1)) + 1);
    if (const auto found = pattern_.last(begin, end)) return *found - span.offset;
    if (span.begin >= k_first_instant && shifted_into(place)) return span.begin;
  }
  return std::nullopt;
}

bool occurrences::at(utc_second instant) const noexcept {
  const std::size_t place = zone_->at(instant);
  const zone_span& span = zone_->spans()[place];
  if (instant == span.begin && shifted_into(place)) return true;
  const window open = admitted(place);
  const local_second local = span.local(instant);
  return local >= open.begin && local < open.end && pattern_.matches(local);
}

std::optional<std::pair<local_second, local_second>> occurrences::shifted_to(
    utc_second instant) const noexcept {
  const std::size_t place = zone_->at(instant);
  if (instant != zone_->spans()[place].begin || !shifted_into(place)) return std::nullopt;
  const std::optional<window> skipped = gap_before(place);
  const auto first = pattern_.first(skipped->begin, skipped->end);
  const auto last = pattern_.last(skipped->begin, skipped->end);
  return std::pair(*first, *last);
}

std::optional<occurrences::omission> occurrences::left_out(utc_second after,
                                                           utc_second upto) const noexcept {
  std::optional<omission> found;
  if (gap_ != cron_gap::skip) return found;
  const auto& spans = zone_->spans();
  for (std::size_t place = zone_->at(after) + 1; place < spans.size() && spans[place].begin <= upto;
       ++place) {
    const std::optional<window> skipped = gap_before(place);
    if (!skipped) continue;
    const auto first = pattern_.first(skipped->begin, skipped->end);
    if (!first) continue;
    if (found) {
      ++found->further;
    } else {
      found = omission{*first, *pattern_.last(skipped->begin, skipped->end)};
    }
  }
  return found;
}

std::optional<cron_fold> occurrences::pass(utc_second instant) const noexcept {
  const auto& spans = zone_->spans();
  const std::size_t place = zone_->at(instant);
  const zone_span& span = spans[place];
  const local_second local = span.local(instant);
  if (place > 0 && local < spans[place - 1].local(span.begin)) return cron_fold::second;
  if (place + 1 < spans.size() && local >= spans[place + 1].local(span.end)) {
    return cron_fold::first;
  }
  return std::nullopt;
}

}  // namespace weir::cron_room
