// Which data segments came before: in this memory block or in the previous one, whatever keys and sequence numbers meet
// in the table; and a plain model.
#include "flow/meter/segment_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include "support/flow_key_maker.h"
#include "support/segment_maker.h"

namespace warpmeter {
namespace {

using test::numbered_key;
using test::test_segment;

constexpr std::uint64_t kHash = 77;

// Packet `number` of one flow, at a time.
bool again(SegmentTable& table, std::uint64_t number, std::int64_t time_ns = 0, std::uint32_t sequence = 5) {
  return table.is_retransmitted(numbered_key(1), kHash, test_segment(time_ns).tcp(sequence, 16, 1), number);
}

TEST(SegmentTable, FindsTheSecondOfItsKind) {
  SegmentTable table({100, 0}, 1);
  EXPECT_FALSE(again(table, 1));
  EXPECT_TRUE(again(table, 2));
  EXPECT_FALSE(again(table, 3, 0, 6));
  EXPECT_TRUE(again(table, 4));
}

TEST(SegmentTable, BlockEndsWithItsLastPacketNumber) {
  SegmentTable table({10, 0}, 1);
  EXPECT_FALSE(again(table, 10));
  EXPECT_TRUE(again(table, 11));   // the previous block
  EXPECT_TRUE(again(table, 30));   // 11 was in the block before
  EXPECT_FALSE(again(table, 41));  // 30 was not
}

TEST(SegmentTable, FirstBlockHasNoPrevious) {
  SegmentTable table({10, 0}, 1);
  EXPECT_FALSE(again(table, 1));
  SegmentTable later({10, 0}, 1);
  EXPECT_FALSE(again(later, 11));
  EXPECT_TRUE(again(later, 12));
}

// Blocks without a packet here: what is held is older than it looks.
TEST(SegmentTable, SkippedBlocksForgetBoth) {
  SegmentTable table({10, 0}, 1);
  EXPECT_FALSE(again(table, 1, 0, 5));
  EXPECT_FALSE(again(table, 11, 0, 6));
  EXPECT_FALSE(again(table, 31, 0, 6));
  EXPECT_FALSE(again(table, 32, 0, 5));
  EXPECT_FALSE(again(table, 1'000'000'000'000, 0, 5));
  EXPECT_TRUE(again(table, 1'000'000'000'001, 0, 5));  // the next block
}

TEST(SegmentTable, GapIncludesItsLastNanosecond) {
  SegmentTable table({100, 10}, 1);
  EXPECT_FALSE(again(table, 1, 0));
  EXPECT_TRUE(again(table, 2, 10));
  EXPECT_FALSE(again(table, 3, 21));
}

TEST(SegmentTable, LatestTimeCountsWhereTimeRunsBack) {
  SegmentTable table({100, 10}, 1);
  EXPECT_FALSE(again(table, 1, 100));
  EXPECT_TRUE(again(table, 2, 50));
  EXPECT_TRUE(again(table, 3, 110));
  EXPECT_FALSE(again(table, 4, 121));
}

TEST(SegmentTable, GapReachesIntoThePreviousBlock) {
  SegmentTable table({10, 10}, 1);
  EXPECT_FALSE(again(table, 9, 0));
  EXPECT_TRUE(again(table, 10, 5));
  EXPECT_TRUE(again(table, 11, 15));
  EXPECT_FALSE(again(table, 12, 26));  // late for both
}

TEST(SegmentTable, GapOfZeroIsAnyTime) {
  SegmentTable table({100, 0}, 1);
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  EXPECT_FALSE(again(table, 1, 1 - kFar));
  EXPECT_TRUE(again(table, 2, kFar - 1));
}

TEST(SegmentTable, KeysOfOneHashAreTwoKeys) {
  SegmentTable table({100, 0}, 1);
  const auto segment = test_segment(0).tcp(5, 16, 1);
  EXPECT_FALSE(table.is_retransmitted(numbered_key(1), kHash, segment, 1));
  EXPECT_FALSE(table.is_retransmitted(numbered_key(2), kHash, segment, 2));
  EXPECT_TRUE(table.is_retransmitted(numbered_key(2), kHash, segment, 3));
}

TEST(BlockSegments, GrowsAndForgetsAll) {
  constexpr std::uint32_t kKeys = 300, kSequences = 40;
  BlockSegments segments(1);
  const auto for_all = [](auto body) {
    for (std::uint32_t key = 0; key < kKeys; ++key) {
      for (std::uint32_t sequence = 0; sequence < kSequences; ++sequence) body(numbered_key(key), key / 3, sequence);
    }
  };
  for (int round = 0; round < 2; ++round) {
    for_all([&](const FlowKey& key, std::uint64_t hash, std::uint32_t sequence) {
      ASSERT_EQ(segments.find(key, hash, sequence), nullptr);
      segments.enter(key, hash, sequence, sequence);
    });
    for_all([&](const FlowKey& key, std::uint64_t hash, std::uint32_t sequence) {
      std::int64_t* latest_ns = segments.find(key, hash, sequence);
      ASSERT_NE(latest_ns, nullptr);
      ASSERT_EQ(*latest_ns, sequence);
    });
    segments.clear();
  }
}

// Every segment of every block, for ever.
class Model {
 public:
  explicit Model(const FiveTupleOptions& options) : options_(options) {}
  bool is_retransmitted(std::uint32_t key, std::uint32_t sequence, std::int64_t time_ns, std::uint64_t number) {
    const std::uint64_t block = (number - 1) / options_.block;
    bool found = false;
    for (const std::uint64_t original : {block, block - 1}) {
      const auto earlier = latest_.find({original, key, sequence});
      found |= earlier != latest_.end() && (!options_.gap_ns || time_ns - earlier->second <= options_.gap_ns);
    }
    std::int64_t& latest = latest_.try_emplace({block, key, sequence}, time_ns).first->second;
    latest = std::max(latest, time_ns);
    return found;
  }

 private:
  const FiveTupleOptions options_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, std::int64_t> latest_;
};

class SegmentTableModel : public testing::TestWithParam<std::tuple<std::uint64_t, std::int64_t>> {};

TEST_P(SegmentTableModel, AgreesWithThePlainModel) {
  const auto [block, gap_ns] = GetParam();
  const FiveTupleOptions options{block, gap_ns};
  constexpr int kPackets = 20'000;
  for (const std::uint32_t different : {3u, 50u}) {
    std::mt19937_64 random(block + different);
    SegmentTable table(options, 1);
    Model model(options);
    std::uint64_t number = 0, found = 0;
    std::int64_t time_ns = 0;
    for (int i = 0; i < kPackets; ++i) {
      number += random() % 500 ? 1 : 1 + random() % (4 * block);
      time_ns += static_cast<std::int64_t>(random() % 20) - 8;
      const auto key = static_cast<std::uint32_t>(random() % different);
      const auto sequence = static_cast<std::uint32_t>(random() % different) * 0x40000001u;
      const auto segment = test_segment(time_ns).tcp(sequence, 16, 1);
      const bool got = table.is_retransmitted(numbered_key(key), key / 2, segment, number);
      ASSERT_EQ(got, model.is_retransmitted(key, sequence, time_ns, number)) << "packet " << i;
      found += got;
    }
    EXPECT_GT(found, 0u);
    EXPECT_LT(found, std::uint64_t{kPackets});
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::uint64_t, std::int64_t>>& info) {
  return "Block" + std::to_string(std::get<0>(info.param)) + "Gap" + std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Blocks, SegmentTableModel,
                         testing::Combine(testing::Values(1, 10, 300, 5000, 100'000), testing::Values(0, 50, 2000)),
                         name_of);

}  // namespace
}  // namespace warpmeter
