// Nobody can prepare flows or segments that meet in one place of the device's tables, under any of 100 seeds.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kernels/device_flow_table.h"
#include "kernels/host_device.h"
#include "segment_table.cuh"
#include "support/crafted_keys.h"
#include "support/crafted_sequences.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kFloodSeeds = 100;

class FlowFloodDevice : public testing::TestWithParam<CraftedKeys> {
 protected:
  // Makes a table anew, half full of them, and looks how far they lie from their buckets. At random: 3.9 slots, of
  // which 3.5 within the bucket.
  void check(std::uint32_t flows) {
    const std::uint32_t slots = 2 * flows;
    DeviceFlowTable table(slots, 1024, flows);
    HostDevice device({.threads = 1});
    for (std::uint32_t id = 0; id < flows; ++id) {
      table.state(id).key = GetParam().key(id);
      table.state(id).bits = kInUse;
    }
    double sum = 0;
    for (std::uint64_t seed = 0; seed < kFloodSeeds; ++seed) {
      table.rehash(device, false, seed, 1);
      ASSERT_EQ(table.room.lost, 0u) << "seed " << seed;
      const double of_seed = mean_distance_in(table, seed);
      ASSERT_LT(of_seed, 6) << "seed " << seed;
      sum += of_seed;
    }
    EXPECT_LT(sum / kFloodSeeds, 4.2);
  }

 private:
  static double mean_distance_in(DeviceFlowTable& table, const HashSeed& seed) {
    const FlowTableRef ref = table.ref();
    std::uint64_t distance = 0;
    for (std::uint32_t at = 0; at < ref.slots; ++at) {
      if (ref.slot[at] == 0) continue;
      const FlowKey& key = table.state(FlowTableRef::number_in(ref.slot[at])).key;
      distance += (at - ref.bucket_of(hash_flow(key, seed).hash)) & (ref.slots - 1);
    }
    return static_cast<double>(distance) / table.capacity();
  }
};

TEST_P(FlowFloodDevice, IsSpreadUnderEverySeed) { check(4'096); }

INSTANTIATE_TEST_SUITE_P(Families, FlowFloodDevice, testing::ValuesIn(crafted_key_families()),
                         [](const auto& family) { return "family" + std::to_string(family.index); });

class LargeFlowFloodDevice : public FlowFloodDevice {};

TEST_P(LargeFlowFloodDevice, Of65536FlowsIsSpreadUnderEverySeed) { check(65'536); }
TEST_P(LargeFlowFloodDevice, Of131072FlowsIsSpreadUnderEverySeed) { check(131'072); }

INSTANTIATE_TEST_SUITE_P(InterfaceIds, LargeFlowFloodDevice, testing::Values(zero_factor(kHashConstants[1], false)),
                         [](const auto& family) { return "family" + std::to_string(family.index); });

// Half full; from the beginning of a bucket of four: at random 2.1.
TEST(SegmentFloodDevice, EveryFamilyIsSpreadUnderEverySeed) {
  constexpr std::uint32_t kSegments = 1 << 13;
  for (const CraftedSequences& family : crafted_sequences()) {
    double sum = 0;
    for (std::uint64_t number = 0; number < kFloodSeeds; ++number) {
      const SegmentTableRef table{nullptr, nullptr, 2 * kSegments, SegmentSeed(HashSeed(number))};
      std::vector<std::uint64_t> places;
      for (std::uint32_t n = 0; n < kSegments; ++n) {
        const CraftedSegment s = family.segment(n);
        places.push_back(table.bucket_of(SegmentTableRef::key_of(s.flow, s.sequence)));
      }
      const double of_seed = mean_distance(places, 2 * kSegments);
      EXPECT_LT(of_seed, 20) << family.name << ", seed " << number;
      sum += of_seed;
    }
    EXPECT_LT(sum / kFloodSeeds, 3) << family.name;
  }
}

}  // namespace
}  // namespace warpmeter::test
