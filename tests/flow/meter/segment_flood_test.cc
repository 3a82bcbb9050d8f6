// Nobody can prepare segments that meet in one place of the segment table, under any of 100 seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/flow_hash.h"
#include "flow/meter/segment_table.h"
#include "support/crafted_sequences.h"
#include "support/flow_key_maker.h"

namespace warpmeter::test {
namespace {

// At random, half full: 0.5.
TEST(SegmentFlood, EveryFamilyIsSpreadUnderEverySeed) {
  constexpr std::uint32_t kSegments = 1 << 13;
  for (const CraftedSequences& family : crafted_sequences()) {
    double sum = 0;
    for (std::uint64_t number = 0; number < 100; ++number) {
      const HashSeed seed(number);
      std::vector<std::uint64_t> places;
      for (std::uint32_t n = 0; n < kSegments; ++n) {
        const CraftedSegment s = family.segment(n);
        const std::uint64_t flow_hash = hash_flow(numbered_key(s.flow), seed).hash;
        places.push_back(segment_hash(flow_hash, s.sequence, seed));
      }
      const double of_seed = mean_distance(places, 2 * kSegments);
      EXPECT_LT(of_seed, 4) << family.name << ", seed " << number;
      sum += of_seed;
    }
    EXPECT_LT(sum / 100, 0.8) << family.name;
  }
}

}  // namespace
}  // namespace warpmeter::test
