// Which graph a batch takes, and that there are none where they cannot be made.
#include "batch_graphs.cuh"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace warpmeter::test {
namespace {

// Keeps what is captured; from some capture on it fails.
struct CapturingDevice {
  struct Graph {};

  void capture(Graph&, const std::function<void()>& work) {
    if (captured.size() == most) throw DeviceError("no memory");
    captured.push_back(work);
  }

  std::size_t most = 100;
  std::vector<std::function<void()>> captured;
};

constexpr std::uint32_t kKeptBefore = 100, kMostSegments = 1000;

TEST(BatchGraphs, AreOfThreeSizesForEachSlot) {
  CapturingDevice device;
  BatchGraphs<CapturingDevice> graphs;
  std::vector<std::pair<unsigned, std::uint32_t>> made;
  graphs.make(device, kKeptBefore, kMostSegments, [&](unsigned slot, std::uint32_t size) {
    made.push_back({slot, size});
  });
  for (const auto& work : device.captured) work();
  const std::vector<std::pair<unsigned, std::uint32_t>> expected = {{0, 1000}, {0, 250}, {0, 63},
                                                                    {1, 1000}, {1, 250}, {1, 63}};
  EXPECT_EQ(made, expected);
  EXPECT_EQ(graphs.why_none(), "");
}

TEST(BatchGraphs, SmallestWithRoomIsTaken) {
  CapturingDevice device;
  BatchGraphs<CapturingDevice> graphs;
  graphs.make(device, kKeptBefore, kMostSegments, [](unsigned, std::uint32_t) {});
  const auto size = [&](std::uint32_t before, std::uint32_t count) {
    const auto* graph = graphs.of(3, before, count);
    return graph ? graph->size : 0;
  };
  EXPECT_EQ(size(100, 1000), 1000u);
  EXPECT_EQ(size(100, 251), 1000u);
  EXPECT_EQ(size(100, 250), 250u);
  EXPECT_EQ(size(100, 64), 250u);
  EXPECT_EQ(size(100, 63), 63u);
  EXPECT_EQ(size(100, 1), 63u);
  EXPECT_EQ(size(0, 1001), 0u);
  EXPECT_EQ(size(100, 0), 0u);
  EXPECT_NE(graphs.of(0, 100, 63), graphs.of(1, 100, 63));
  EXPECT_EQ(graphs.of(0, 100, 63), graphs.of(2, 100, 63));
}

TEST(BatchGraphs, BatchOfMostlyPaddingTakesNone) {
  CapturingDevice device;
  BatchGraphs<CapturingDevice> graphs;
  graphs.make(device, kKeptBefore, kMostSegments, [](unsigned, std::uint32_t) {});
  EXPECT_TRUE(graphs.of(0, 0, 33));  // of 163
  EXPECT_FALSE(graphs.of(0, 0, 32));
}

TEST(BatchGraphs, TinyBatchesHaveOnes) {
  CapturingDevice device;
  BatchGraphs<CapturingDevice> graphs;
  graphs.make(device, 0, 1, [](unsigned, std::uint32_t) {});
  ASSERT_TRUE(graphs.of(0, 0, 1));
  EXPECT_EQ(graphs.of(0, 0, 1)->size, 1u);
}

TEST(BatchGraphs, ThereAreNoneWhereOneCannotBeMade) {
  for (const std::size_t most : {0u, 1u, 5u}) {
    CapturingDevice device{.most = most, .captured = {}};
    BatchGraphs<CapturingDevice> graphs;
    graphs.make(device, kKeptBefore, kMostSegments, [](unsigned, std::uint32_t) {});
    EXPECT_EQ(graphs.why_none(), "no memory");
    EXPECT_FALSE(graphs.of(0, kKeptBefore, kMostSegments));
  }
}

}  // namespace
}  // namespace warpmeter::test
