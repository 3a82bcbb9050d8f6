// Memory for holes: so much of it is memory, the rest lies in a file, and all of it can be written.
#include "pipeline/metering/hole_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr std::size_t kSlab = 16 << 10;

MeterOptions with_flow_memory(std::uint64_t bytes) {
  MeterOptions options;
  options.flow_memory = bytes;
  return options;
}

TEST(HoleMemory, IsASixteenthOfTheFlowMemory) {
  EXPECT_EQ(hole_memory_of(with_flow_memory(std::uint64_t{1} << 30)), std::uint64_t{64} << 20);
  EXPECT_EQ(hole_memory_of(with_flow_memory(std::uint64_t{64} << 30)), std::uint64_t{4} << 30);
  EXPECT_EQ(hole_memory_of(with_flow_memory(1 << 20)), std::uint64_t{4} << 20);  // 64 KiB a shard
}

TEST(HoleMemory, BeyondItsLimitLiesInAFile) {
  HoleMemory memory(4 * kSlab, std::filesystem::temp_directory_path());
  std::set<void*> slabs;
  const auto take = [&] {
    void* const slab = memory.allocate(kSlab, 16);
    std::memset(slab, 0xab, kSlab);
    EXPECT_TRUE(slabs.insert(slab).second);
  };
  for (int i = 0; i < 4; ++i) take();
  EXPECT_EQ(memory.in_file(), 0u);
  for (int i = 0; i < 1025; ++i) take();  // a region of 16 MiB and one slab
  EXPECT_EQ(memory.in_file(), std::uint64_t{32} << 20);
  for (void* slab : slabs) EXPECT_EQ(static_cast<unsigned char*>(slab)[kSlab - 1], 0xab);
}

TEST(HoleMemory, ThreadsGetDifferentPlaces) {
  HoleMemory memory(64 * kSlab, std::filesystem::temp_directory_path());
  std::vector<std::vector<void*>> slabs(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : slabs) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) own.push_back(std::memset(memory.allocate(kSlab, 16), 1, kSlab));
      });
    }
  }
  std::set<void*> all;
  for (const auto& own : slabs) all.insert(own.begin(), own.end());
  EXPECT_EQ(all.size(), 200u);
}

TEST(HoleMemory, SaysWhichFolderHasNoRoom) {
  HoleMemory memory(0, "/no/such/folder");
  try {
    std::ignore = memory.allocate(kSlab, 16);
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/folder"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpmeter
