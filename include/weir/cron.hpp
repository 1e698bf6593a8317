#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "weir/schedule.hpp"

namespace weir {

namespace cron_room {
struct plan;
}

/// What becomes of a local time that the zone skips: 02:30 on the night when clocks go from 02:00
/// to 03:00.
enum class cron_gap {
  shift,  ///< occurs at the first instant after the gap, once, however many times fell into it
  skip,   ///< does not occur
};

/// What becomes of a local time that exists twice.
enum class cron_fold { first, second, both };

/// What an expression leaves open. A value that is not given follows the hours of the expression:
/// where they are a wildcard (they begin with `*`, or name all 24) an occurrence is every instant
/// whose local time matches, so gap is `skip` and fold is `both`; else gap is `shift` and fold is
/// `first`, so that a job at a fixed time runs once a day. `@every` knows neither.
struct cron_options {
  std::optional<cron_gap> gap = std::nullopt;
  std::optional<cron_fold> fold = std::nullopt;
};

/// An expression that cannot be read, never occurs, or names an unknown zone. `what()` says what is
/// wrong and the way out, then shows the text with a caret under the column, in three lines.
class cron_error : public std::invalid_argument {
 public:
  /// `column` counts from 1 and is at most one past the end of `text`.
  cron_error(std::string_view text, std::size_t column, const std::string& trouble);

  /// Where it is wrong, in bytes, from 1. One past the end: something is missing there.
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

  /// The first line of `what()` alone.
  [[nodiscard]] std::string_view trouble() const noexcept;

 private:
  std::size_t column_;
};

/// A recurrence by cron expression and time zone: `30 2 * * MON-FRI` in `Europe/Berlin`.
///
/// Five fields, minute hour day-of-month month day-of-week, or six with seconds before them. A
/// field is a list of values, names (`JAN`, `FRI`), ranges (`9-17`, also `FRI-MON`, `22-2`,
/// `NOV-FEB`), steps (`*/10`, `8-18/2`, `5/15`) or `*`; in both day fields `?` is the same as `*`.
/// A day of the month may be `L` (the last), `L-3` (three days before), `15W` (the workday nearest
/// to the 15th, in the same month), `LW` (the last workday); a day of the week `5L` (the last
/// Friday) or `5#2` (the second). Where both day fields are restricted either is enough; a field
/// that begins with
/// `*`, as in `*/2`, is not restricted, and then both must hold. Also `@yearly`, `@annually`,
/// `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly`, and `@every 1h30m`, which are the
/// multiples of the period since 1970-01-01T00:00:00Z. `CRON_TZ=Zone ` or `TZ=Zone ` before it all
/// names the zone.
///
/// All rules, and what happens where clocks are changed: docs/design/cron.md.
///
/// Pure and immutable: reads no clock; the system's time zones are read when the first expression
/// names them, and kept. Copies are cheap. Distinct objects and shared objects: safe.
class cron final : public schedule {
 public:
  using time_point = std::chrono::system_clock::time_point;

  /// Throws `cron_error`. A zone in the expression beats `zone`, which is a name of the system's
  /// IANA database.
  explicit cron(std::string_view expression, std::string_view zone = "UTC",
                cron_options options = {});

  cron(const cron&) = default;
  cron& operator=(const cron&) = default;
  ~cron() override = default;

  /// The first occurrence strictly after `after`; none when there is none that a `time_point` can
  /// hold, in the year 2262 or so.
  [[nodiscard]] std::optional<time_point> next(time_point after) const override;

  /// The last occurrence strictly before `before`. Inverse to `next`: between an occurrence and
  /// its `next` there is none.
  [[nodiscard]] std::optional<time_point> prev(time_point before) const;

  /// Whether an occurrence is at this very instant.
  [[nodiscard]] bool matches(time_point instant) const;

  /// What it means, in English: `at 02:30, Monday to Friday (Europe/Berlin)`.
  [[nodiscard]] std::string describe() const;

  /// What the change of clocks does to the occurrence at this instant, such as `02:30 does not
  /// exist on this day: runs at 03:00`; empty where it does nothing.
  [[nodiscard]] std::string remark(time_point occurrence) const;

  /// As it was given.
  [[nodiscard]] const std::string& expression() const noexcept;

  /// The name of the zone.
  [[nodiscard]] const std::string& zone() const noexcept;

  /// What holds for local times that do not exist or exist twice.
  [[nodiscard]] cron_gap gap() const noexcept;
  [[nodiscard]] cron_fold fold() const noexcept;

  /// Same expression, zone and options.
  friend bool operator==(const cron& left, const cron& right) noexcept;

 private:
  std::shared_ptr<const cron_room::plan> plan_;
};

}  // namespace weir
