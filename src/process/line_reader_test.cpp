#include "process/line_reader.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <string_view>
#include <thread>
#include <vector>

namespace weir::process {
namespace {

using result = line_reader::result;

class LineReader : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe2(pipe_, O_CLOEXEC), 0); }
  void TearDown() override {
    ::close(pipe_[0]);
    finish();
  }
  void put(std::string_view text) {
    ASSERT_EQ(::write(pipe_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void finish() {
    if (pipe_[1] >= 0) {
      ::close(pipe_[1]);
      pipe_[1] = -1;
    }
  }
  int pipe_[2];
};

TEST_F(LineReader, SplitsAtNewlinesAndKeepsBytes) {
  put("one\n\n\xff\xfe\r\nlast");
  finish();
  line_reader reader(pipe_[0], -1, 100);
  std::string line;
  std::vector<std::string> lines;
  while (reader.next(line) == result::line) {
    lines.push_back(line);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "\xff\xfe\r", "last"}));
  EXPECT_EQ(reader.line_number(), 4u);
}

TEST_F(LineReader, AnEmptyInputHasNoLines) {
  finish();
  line_reader reader(pipe_[0], -1, 100);
  std::string line;
  EXPECT_EQ(reader.next(line), result::end);
  EXPECT_EQ(reader.line_number(), 0u);
}

TEST_F(LineReader, AcceptsTheLongestLineAndSkipsALongerOne) {
  put("12345\n123456\nok\n");
  finish();
  line_reader reader(pipe_[0], -1, 5);
  std::string line;
  EXPECT_EQ(reader.next(line), result::line);
  EXPECT_EQ(line, "12345");
  EXPECT_EQ(reader.next(line), result::too_long);
  EXPECT_EQ(reader.line_length(), 6u);
  EXPECT_EQ(reader.line_number(), 2u);
  EXPECT_EQ(reader.next(line), result::line);
  EXPECT_EQ(line, "ok");
  EXPECT_EQ(reader.next(line), result::end);
}

TEST_F(LineReader, SkipsALineOfManyBuffers) {
  constexpr std::size_t k_length = 1'000'000;
  std::thread writer([this] {
    std::string text(k_length, 'x');
    text += "\nnext\n";
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t count = ::write(pipe_[1], text.data() + at, text.size() - at);
      ASSERT_GT(count, 0);
      at += static_cast<std::size_t>(count);
    }
    finish();
  });
  line_reader reader(pipe_[0], -1, 1000);
  std::string line;
  EXPECT_EQ(reader.next(line), result::too_long);
  EXPECT_EQ(reader.line_length(), k_length);
  EXPECT_EQ(reader.next(line), result::line);
  EXPECT_EQ(line, "next");
  writer.join();
}

TEST_F(LineReader, NamesALineWithNul) {
  put(std::string_view("a\0b\nc\n", 6));
  finish();
  line_reader reader(pipe_[0], -1, 100);
  std::string line;
  EXPECT_EQ(reader.next(line), result::has_nul);
  EXPECT_EQ(reader.next(line), result::line);
  EXPECT_EQ(line, "c");
}

TEST_F(LineReader, HearsAStopWhileItWaits) {
  const int stop = ::eventfd(0, EFD_CLOEXEC);
  put("whole\nhalf");
  line_reader reader(pipe_[0], stop, 100);
  std::string line;
  EXPECT_EQ(reader.next(line), result::line);
  std::thread stopper([stop] {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(stop, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  });
  EXPECT_EQ(reader.next(line), result::stopped);
  stopper.join();
  ::close(stop);
}

TEST_F(LineReader, ReportsAReadThatFails) {
  const int folder = ::open("/", O_RDONLY | O_CLOEXEC);
  line_reader reader(folder, -1, 100);
  std::string line;
  EXPECT_EQ(reader.next(line), result::failed);
  EXPECT_EQ(reader.error(), EISDIR);
  ::close(folder);
}

}  // namespace
}  // namespace weir::process
