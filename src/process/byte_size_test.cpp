#include "process/byte_size.hpp"

#include <gtest/gtest.h>

namespace weir::process {
namespace {

TEST(ByteSize, ReadsWhatPeopleType) {
  EXPECT_EQ(parse_byte_size("0"), 0u);
  EXPECT_EQ(parse_byte_size("4096"), 4096u);
  EXPECT_EQ(parse_byte_size("64K"), 65536u);
  EXPECT_EQ(parse_byte_size("64k"), 65536u);
  EXPECT_EQ(parse_byte_size("10MiB"), 10u << 20);
  EXPECT_EQ(parse_byte_size("1G"), std::size_t{1} << 30);
  EXPECT_EQ(parse_byte_size("2T"), std::size_t{2} << 40);
}

TEST(ByteSize, RefusesAllElse) {
  for (const char* text : {"", "K", "-1", "+1", "1.5M", "64kB", "64KB", "1 K", " 1", "1Ki", "1X",
                           "0x10", "1KiBx", "ten"}) {
    EXPECT_EQ(parse_byte_size(text), std::nullopt) << text;
  }
}

TEST(ByteSize, RefusesWhatDoesNotFit) {
  EXPECT_EQ(parse_byte_size("18446744073709551615"), std::size_t{18446744073709551615u});
  EXPECT_EQ(parse_byte_size("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_byte_size("16777215T"), std::size_t{16777215} << 40);
  EXPECT_EQ(parse_byte_size("16777216T"), std::nullopt);
}

TEST(ByteSize, WritesForPeople) {
  EXPECT_EQ(byte_size_text(0), "0 bytes");
  EXPECT_EQ(byte_size_text(1), "1 byte");
  EXPECT_EQ(byte_size_text(1023), "1023 bytes");
  EXPECT_EQ(byte_size_text(65536), "64 KiB");
  EXPECT_EQ(byte_size_text(1536u << 10), "1.5 MiB");
  EXPECT_EQ(byte_size_text(std::size_t{5000} << 40), "5000 TiB");
}

}  // namespace
}  // namespace weir::process
