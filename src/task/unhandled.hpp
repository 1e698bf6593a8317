#pragma once

#include <exception>

#include "weir/observer.hpp"

namespace weir::detail {

/// One line on stderr about a failure that nobody reads.
void print_unhandled(const std::exception_ptr& error, const task_info& info) noexcept;

}  // namespace weir::detail
