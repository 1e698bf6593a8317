#include "process/output_port.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>

#include "base/unique_fd.hpp"

namespace weir::process {
namespace {

struct test_pipe {
  test_pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  unique_fd read;
  unique_fd write;
};

TEST(OutputPort, WritesMoreThanAPipeHolds) {
  test_pipe pipe;
  const wake_fd never;
  const std::string text(1'000'000, 'x');
  std::string seen;
  std::thread reader([&] {
    char piece[65'536];
    for (ssize_t count = 1; count > 0;) {
      count = ::read(pipe.read.get(), piece, sizeof piece);
      seen.append(piece, static_cast<std::size_t>(count));
    }
  });
  output_port port(pipe.write.get(), never);
  EXPECT_TRUE(port.write(text));
  pipe.write.reset();
  reader.join();
  EXPECT_EQ(seen, text);
}

TEST(OutputPort, RemembersThatItsReaderLeft) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  test_pipe pipe;
  const wake_fd never;
  pipe.read.reset();
  output_port port(pipe.write.get(), never);
  EXPECT_FALSE(port.write("x"));
  EXPECT_EQ(port.error(), EPIPE);
  EXPECT_FALSE(port.write("y"));
  ::signal(SIGPIPE, before);
}

TEST(OutputPort, NamesAFullDisk) {
  const unique_fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const wake_fd never;
  output_port port(full.get(), never);
  EXPECT_FALSE(port.write("x"));
  EXPECT_EQ(port.error(), ENOSPC);
}

TEST(OutputPort, GivesUpOnAReaderThatDoesNotRead) {
  test_pipe pipe;
  wake_fd give_up;
  output_port port(pipe.write.get(), give_up);
  std::thread stopper([&] { give_up.set(); });
  EXPECT_FALSE(port.write(std::string(10'000'000, 'x')));
  EXPECT_EQ(port.error(), ECANCELED);
  stopper.join();
}

TEST(OutputPort, NothingIsAlwaysWritten) {
  const wake_fd never;
  output_port port(-1, never);
  EXPECT_TRUE(port.write(""));
}

}  // namespace
}  // namespace weir::process
