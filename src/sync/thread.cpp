#include "sync/thread.hpp"

#include <pthread.h>
#include <sys/prctl.h>

#include <cstdio>

namespace weir::sync {

namespace {

constexpr std::size_t k_name_length_max = 15;

}  // namespace

void name_this_thread(const char* name) noexcept {
  char cut[k_name_length_max + 1];
  std::snprintf(cut, sizeof cut, "%s", name);
  ::pthread_setname_np(::pthread_self(), cut);
}

void name_this_thread(const char* name, std::size_t number) noexcept {
  char cut[k_name_length_max + 1];
  std::snprintf(cut, sizeof cut, "%s-%zu", name, number);
  ::pthread_setname_np(::pthread_self(), cut);
}

void use_precise_sleep() noexcept { ::prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

}  // namespace weir::sync
