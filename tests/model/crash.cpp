#include "model/crash.hpp"

#include <csignal>
#include <cstdint>

#include "model/engine.hpp"

namespace weir::model {

namespace {

// On a stack of its own, for the program's may be what it has run out of.
alignas(16) char signal_stack[64 << 10];

extern "C" void end_crashed(int number, siginfo_t* about, void*) {
  if (!now_here.running || !program_runs) {
    ::signal(number, SIG_DFL);
    ::raise(number);
    return;
  }
  fail("crash by signal %d at the address %p", number, about->si_addr);
}

}  // namespace

void catch_crashes() {
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = &end_crashed;
  // The handler is left by a jump: nothing stays blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigaction(number, &action, nullptr);
}

}  // namespace weir::model
