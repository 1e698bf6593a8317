#include "process/capture.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace weir::process {
namespace {

std::string all(const capture& from) {
  std::string out;
  EXPECT_TRUE(from.for_each_piece([&](std::string_view piece) {
    out += piece;
    return true;
  }));
  return out;
}

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>(i * 2654435761u >> 13);
  }
  return text;
}

unique_fd memory_file() { return unique_fd(::memfd_create("mirror", MFD_CLOEXEC)); }

TEST(Capture, StartsEmpty) {
  capture out;
  EXPECT_TRUE(out.empty());
  EXPECT_TRUE(out.ends_with_newline());
  EXPECT_EQ(all(out), "");
}

TEST(Capture, KeepsBytesOnBothSidesOfTheBound) {
  for (const std::size_t size : {1u, 99u, 100u, 101u, 70'000u, 300'000u}) {
    for (const std::size_t step : {1u, 7u, 65'536u}) {
      capture out(100);
      const std::string text = pattern(size);
      for (std::size_t at = 0; at < size; at += step) {
        out.append(std::string_view(text).substr(at, step));
      }
      EXPECT_EQ(out.size(), size);
      EXPECT_EQ(all(out), text) << size << " by " << step;
      EXPECT_EQ(out.lost_error(), 0);
    }
  }
}

TEST(Capture, KnowsItsLastByte) {
  capture out(2);
  out.append("abc\n");
  EXPECT_TRUE(out.ends_with_newline());
  out.append("x");
  EXPECT_FALSE(out.ends_with_newline());
}

TEST(Capture, WritesThroughToItsMirrorAndReadsTheRestBack) {
  unique_fd mirror = memory_file();
  const int look = ::dup(mirror.get());
  capture out(10);
  out.set_mirror(std::move(mirror));
  const std::string text = pattern(200'000);
  out.append(std::string_view(text).substr(0, 5));
  struct stat state {};
  ASSERT_EQ(::fstat(look, &state), 0);
  EXPECT_EQ(state.st_size, 5);
  out.append(std::string_view(text).substr(5));
  ASSERT_EQ(::fstat(look, &state), 0);
  EXPECT_EQ(state.st_size, 200'000);
  EXPECT_EQ(all(out), text);
  ::close(look);
}

TEST(Capture, LosesNothingWhenTheMirrorIsFull) {
  // A sealed size stands for a full disk: growing it fails, what is there stays readable.
  unique_fd sealed(::memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(sealed.get(), 50'000), 0);
  ASSERT_EQ(::fcntl(sealed.get(), F_ADD_SEALS, F_SEAL_GROW), 0);
  capture out(1000);
  out.set_mirror(std::move(sealed));
  const std::string text = pattern(150'000);
  for (std::size_t at = 0; at < text.size(); at += 10'000) {
    out.append(std::string_view(text).substr(at, 10'000));
  }
  EXPECT_NE(out.mirror_error(), 0);
  EXPECT_EQ(out.lost_error(), 0);
  EXPECT_EQ(all(out), text);
}

TEST(Capture, AMirrorThatTakesNothingLeavesMemoryAlone) {
  capture out(1000);
  out.set_mirror(unique_fd(::open("/dev/full", O_RDWR | O_CLOEXEC)));
  out.append("hello\n");
  EXPECT_EQ(out.mirror_error(), ENOSPC);
  EXPECT_EQ(all(out), "hello\n");
}

TEST(Capture, SaysWhatItCouldNotKeep) {
  const char* before = std::getenv("TMPDIR");
  const std::string saved = before == nullptr ? "" : before;
  ASSERT_EQ(::setenv("TMPDIR", "/nowhere/at/all", 1), 0);
  capture out(4);
  out.append("123456");
  out.append("789");
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", saved.c_str(), 1);
  EXPECT_EQ(out.lost_error(), ENOENT);
  EXPECT_EQ(out.size(), 9u);
  EXPECT_EQ(out.kept(), 4u);
  EXPECT_EQ(all(out), "1234");
}

TEST(Capture, ASinkMayStop) {
  capture out(4);
  out.append(pattern(300'000));
  int calls = 0;
  EXPECT_FALSE(out.for_each_piece([&](std::string_view) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace weir::process
