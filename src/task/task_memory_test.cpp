#include "task/task_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {
namespace {

TEST(task_memory, blocks_are_aligned_and_apart) {
  for (const std::size_t bytes : {1u, 64u, 80u, 96u, 511u, 512u, 513u, 5000u}) {
    std::vector<void*> blocks;
    for (int at = 0; at < 500; ++at) {
      void* block = allocate_task(bytes, 16);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0u);
      std::memset(block, at & 0xFF, bytes);
      blocks.push_back(block);
    }
    for (int at = 0; at < 500; ++at) {
      const auto* first = static_cast<const unsigned char*>(blocks[static_cast<std::size_t>(at)]);
      for (std::size_t byte = 0; byte < bytes; ++byte) ASSERT_EQ(first[byte], at & 0xFF);
    }
    for (void* block : blocks) deallocate_task(block, bytes, 16);
  }
}

TEST(task_memory, an_unusual_alignment_is_kept) {
  void* block = allocate_task(100, 128);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 128, 0u);
  deallocate_task(block, 100, 128);
}

TEST(task_memory, a_freed_block_is_used_again) {
  void* first = allocate_task(96, 16);
  deallocate_task(first, 96, 16);
  if (task_memory_bytes() == 0) GTEST_SKIP() << "a sanitizer has the plain allocator";
  void* second = allocate_task(96, 16);
  EXPECT_EQ(first, second);
  deallocate_task(second, 96, 16);
}

TEST(task_memory, a_burst_goes_back_to_the_system) {
  const std::size_t before = task_memory_bytes();
  std::vector<void*> blocks;
  for (int at = 0; at < 200'000; ++at) blocks.push_back(allocate_task(96, 16));
  const std::size_t during = task_memory_bytes();
  // Freed where they were not made, as tasks are.
  std::thread([&] {
    for (void* block : blocks) deallocate_task(block, 96, 16);
  }).join();
  trim_task_memory();
  if (during == 0) GTEST_SKIP() << "a sanitizer has the plain allocator";
  EXPECT_GT(during, 200'000u * 96);
  EXPECT_LE(task_memory_bytes(), before + 4 * 64 * 1024);
}

// A canceller, say, while all workers sleep: nobody would come to give it back.
TEST(task_memory, a_thread_that_never_trims_leaves_little) {
  std::thread([] {
    std::vector<void*> blocks;
    for (int at = 0; at < 400'000; ++at) blocks.push_back(allocate_task(96, 16));
    for (void* block : blocks) deallocate_task(block, 96, 16);
  }).join();
  EXPECT_LE(task_memory_bytes(), 8'000'000u) << "of 38 MB";
  trim_task_memory();
}

// Timers that are cancelled in random order: few blocks that are kept would hold every page.
TEST(task_memory, case_49_what_is_freed_in_no_order_goes_back_as_well) {
  std::thread([] {
    std::vector<void*> blocks;
    for (int at = 0; at < 400'000; ++at) blocks.push_back(allocate_task(96, 16));
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937_64(49));
    for (void* block : blocks) deallocate_task(block, 96, 16);
  }).join();
  EXPECT_LE(task_memory_bytes(), 8'000'000u) << "of 38 MB";
  trim_task_memory();
}

TEST(task_memory, what_an_ended_thread_had_spare_serves_others) {
  const std::size_t before = task_memory_bytes();
  for (int round = 0; round < 200; ++round) {
    std::thread([] { deallocate_task(allocate_task(48, 16), 48, 16); }).join();
  }
  EXPECT_LE(task_memory_bytes(), before + 4 * 64 * 1024);
}

// Two threads always hold the lock of some size, or are about to.
TEST(task_memory, R26_no_lock_is_held_in_a_child) {
  WEIR_NO_FORK_HERE;
  std::atomic<bool> over{false};
  const auto look = [&over] {
    while (!over) static_cast<void>(task_memory_bytes());
  };
  std::thread first(look);
  std::thread second(look);
  for (int round = 0; round < 30 && !::testing::Test::HasFailure(); ++round) {
    weir::testing::in_child([] {
      static_cast<void>(task_memory_bytes());
      trim_task_memory();
      deallocate_task(allocate_task(96, 16), 96, 16);
    });
  }
  over = true;
  first.join();
  second.join();
}

}  // namespace
}  // namespace weir::detail
