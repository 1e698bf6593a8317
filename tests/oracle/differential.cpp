#include "oracle/differential.hpp"

namespace weir::testing {

std::optional<std::string> weir_differs(const program& of) {
  return first_difference<weir_subject, oracle_subject>(of);
}

}  // namespace weir::testing
