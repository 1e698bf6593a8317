#include "process/signal_watch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "sync/event.hpp"

namespace weir::process {
namespace {

class recorder : public signal_listener {
 public:
  explicit recorder(std::size_t expected) : expected_(expected) {}
  void signalled(int number) override {
    seen.push_back(number);
    if (seen.size() == expected_) {
      done.set();
    }
  }
  void ticked() override { ticking.set(); }

  std::vector<int> seen;
  sync::event done;
  sync::event ticking;

 private:
  std::size_t expected_;
};

class SignalWatch : public ::testing::Test {
 protected:
  void SetUp() override {
    ::pthread_sigmask(SIG_SETMASK, nullptr, &before_);
    ::sigaction(SIGINT, nullptr, &interrupt_);
    ::signal(SIGINT, SIG_DFL);
  }
  void TearDown() override {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  sigset_t before_;
  struct sigaction interrupt_;
};

TEST_F(SignalWatch, HandsOnEachSignal) {
  const sigset_t set = take_signals();
  recorder heard(2);
  {
    signal_watch watch(set, std::chrono::milliseconds(0), heard);
    ::kill(::getpid(), SIGINT);
    ::kill(::getpid(), SIGTERM);
    heard.done.wait();
  }
  std::sort(heard.seen.begin(), heard.seen.end());
  EXPECT_EQ(heard.seen, (std::vector<int>{SIGINT, SIGTERM}));
}

TEST_F(SignalWatch, TicksIfAskedTo) {
  const sigset_t set = take_signals();
  recorder heard(1);
  signal_watch watch(set, std::chrono::milliseconds(1), heard);
  heard.ticking.wait();
}

TEST_F(SignalWatch, LeavesAnIgnoredSignalIgnored) {
  ::signal(SIGINT, SIG_IGN);
  const sigset_t set = take_signals();
  EXPECT_FALSE(sigismember(&set, SIGINT));
  EXPECT_TRUE(sigismember(&set, SIGTERM));
}

}  // namespace
}  // namespace weir::process
