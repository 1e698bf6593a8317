#include <gtest/gtest.h>
#include <sched.h>

#include <sstream>
#include <thread>

#include "pool/cpu_quota.hpp"
#include "weir/pool_options.hpp"

namespace weir {
namespace {

std::optional<double> quota(const char* cpu_max) {
  std::istringstream text(cpu_max);
  return detail::quota_from_cpu_max(text);
}

TEST(cpu_quota, reads_what_the_kernel_writes) {
  EXPECT_EQ(quota("150000 100000\n"), 1.5);
  EXPECT_EQ(quota("50000 100000\n"), 0.5);
  EXPECT_EQ(quota("max 100000\n"), std::nullopt);
}

TEST(cpu_quota, takes_nothing_else_for_a_quota) {
  EXPECT_EQ(quota(""), std::nullopt);
  EXPECT_EQ(quota("100000"), std::nullopt);
  EXPECT_EQ(quota("100000 0"), std::nullopt);
  EXPECT_EQ(quota("100000 -1"), std::nullopt);
  EXPECT_EQ(quota("many 100000"), std::nullopt);
}

TEST(cpu_quota, is_rounded_up_and_never_below_one) {
  EXPECT_EQ(detail::workers_for(8, std::nullopt), 8u);
  EXPECT_EQ(detail::workers_for(8, 1.5), 2u);
  EXPECT_EQ(detail::workers_for(8, 2.0), 2u);
  EXPECT_EQ(detail::workers_for(8, 0.1), 1u);
  EXPECT_EQ(detail::workers_for(8, 64.0), 8u);
  EXPECT_EQ(detail::workers_for(0, std::nullopt), 1u);
}

// Section 3: default_concurrency() respects affinity.
TEST(default_concurrency, counts_what_this_thread_may_use) {
  const std::size_t all = default_concurrency();
  EXPECT_GE(all, 1u);
  EXPECT_LE(all, std::max(1u, std::thread::hardware_concurrency()));
  std::size_t pinned = 0;
  std::thread([&pinned] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(::sched_getcpu()), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    pinned = default_concurrency();
  }).join();
  EXPECT_EQ(pinned, 1u);
}

}  // namespace
}  // namespace weir
