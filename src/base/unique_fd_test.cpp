#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace weir {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }
unique_fd some_file() { return unique_fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(unique_fd, closes_what_it_owns) {
  int number = -1;
  {
    const unique_fd fd = some_file();
    number = fd.get();
    ASSERT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(unique_fd, a_move_leaves_nothing_behind) {
  unique_fd first = some_file();
  const int number = first.get();
  unique_fd second(std::move(first));
  EXPECT_FALSE(static_cast<bool>(first));
  EXPECT_EQ(second.get(), number);
  unique_fd third = some_file();
  const int replaced = third.get();
  third = std::move(second);
  EXPECT_FALSE(is_open(replaced));
  EXPECT_TRUE(is_open(number));
}

TEST(unique_fd, released_descriptors_stay_open) {
  unique_fd fd = some_file();
  const unique_fd again(fd.release());
  EXPECT_EQ(fd.get(), -1);
  EXPECT_TRUE(is_open(again.get()));
}

TEST(unique_fd, reset_closes_the_old_one) {
  unique_fd fd = some_file();
  const int number = fd.get();
  fd.reset();
  EXPECT_FALSE(is_open(number));
  EXPECT_FALSE(static_cast<bool>(fd));
}

}  // namespace
}  // namespace weir
