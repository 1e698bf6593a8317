#include "oracle/session.hpp"

namespace weir::testing {

const char* word(cancel_result answer) noexcept {
  switch (answer) {
    case cancel_result::cancelled:
      return "cancelled";
    case cancel_result::requested:
      return "requested";
    case cancel_result::too_late:
      break;
  }
  return "too late";
}

const char* word(const std::optional<cancellation>& how) noexcept {
  if (!how) return "";
  switch (*how) {
    case cancellation::never_started:
      return " (never started)";
    case cancellation::threw:
      return " (threw)";
    case cancellation::returned:
      break;
  }
  return " (returned)";
}

}  // namespace weir::testing
