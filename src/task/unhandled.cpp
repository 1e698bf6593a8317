#include "task/unhandled.hpp"

#include <cstdio>
#include <string>

namespace weir::detail {

void print_unhandled(const std::exception_ptr& error, const task_info& info) noexcept {
  const char* what = "an exception that is no std::exception";
  std::string text;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    text = known.what();
    what = text.c_str();
  } catch (...) {
  }
  std::fprintf(stderr, "weir: task %llu%s%.*s failed and nobody reads it: %s\n",
               static_cast<unsigned long long>(info.id), info.name.empty() ? "" : " ",
               static_cast<int>(info.name.size()), info.name.data(), what);
}

}  // namespace weir::detail
