#include "cron/fields.hpp"

namespace weir::cron_room {
namespace {

constexpr std::array<std::string_view, 12> k_month_names{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                         "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> k_weekday_names{"SUN", "MON", "TUE", "WED",
                                                          "THU", "FRI", "SAT"};

// A range of minutes or of days of the month that runs backwards is nearly always a slip, while
// nights, winters and week-ends are meant to wrap.
constexpr std::array<field_kind, 6> k_kinds{
    field_kind{unit::second, "second", "seconds", 0, 59, 0, {}},
    field_kind{unit::minute, "minute", "minutes", 0, 59, 0, {}},
    field_kind{unit::hour, "hour", "hours", 0, 23, 24, {}},
    field_kind{unit::month_day, "day of the month", "days of the month", 1, 31, 0, {}},
    field_kind{unit::month, "month", "months", 1, 12, 12, k_month_names},
    field_kind{unit::weekday, "day of the week", "days of the week", 0, 7, 7, k_weekday_names},
};

}  // namespace

const std::array<field_kind, 6>& field_kinds() noexcept { return k_kinds; }

}  // namespace weir::cron_room
