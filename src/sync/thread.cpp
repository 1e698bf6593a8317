#include "sync/thread.hpp"

#include <pthread.h>
#include <sys/prctl.h>

namespace weir::sync {

namespace {

constexpr std::size_t k_name_length_max = 15;

}  // namespace

void name_this_thread(const std::string& name) noexcept {
  char cut[k_name_length_max + 1] = {};
  name.copy(cut, k_name_length_max);
  ::pthread_setname_np(::pthread_self(), cut);
}

void use_precise_sleep() noexcept { ::prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

}  // namespace weir::sync
