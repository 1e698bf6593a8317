#pragma once

#include <pthread.h>

#include <cstddef>

namespace weir::testing {

/// While it lives this process can start no thread: the default stack is made larger than the
/// address space, so that pthread_create fails with EAGAIN, for root as well. Threads that exist
/// run on.
class thread_famine {
 public:
  thread_famine() noexcept {
    pthread_attr_t attributes;
    pthread_getattr_default_np(&attributes);
    pthread_attr_getstacksize(&attributes, &usual_);
    set(std::size_t{1} << 47);
    pthread_attr_destroy(&attributes);
  }
  ~thread_famine() { set(usual_); }
  thread_famine(const thread_famine&) = delete;
  thread_famine& operator=(const thread_famine&) = delete;

 private:
  static void set(std::size_t stack_size) noexcept {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_size);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }

  std::size_t usual_ = 0;
};

}  // namespace weir::testing
