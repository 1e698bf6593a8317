#include "task/unhandled.hpp"

#include <cstdio>

#include "sync/thread.hpp"

namespace weir::detail {

namespace {

void print(const char* what, const task_info& info) noexcept {
  const sync::cancellation_hold hold;
  std::fprintf(stderr, "weir: task %llu%s%.*s failed and nobody reads it: %s\n",
               static_cast<unsigned long long>(info.id), info.name.empty() ? "" : " ",
               static_cast<int>(info.name.size()), info.name.data(), what);
}

}  // namespace

void print_unhandled(const std::exception_ptr& error, const task_info& info) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    print(known.what(), info);
  } catch (...) {
    print("an exception that is no std::exception", info);
  }
}

}  // namespace weir::detail
