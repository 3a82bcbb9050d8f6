// The mirror port's copies that the device finds in batches are those that the CPU's filter finds packet by packet.
#include "mark_segments.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <tuple>

#include "flow/meter/duplicate_filter.h"
#include "kernels/device_batch.h"
#include "kernels/host_device.h"
#include "support/flow_key_maker.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kFlows = 3;
constexpr std::uint8_t kOtherMarks = kRepeated | kRetransmitted;  // none of this kernel's business

Packet random_packet(std::mt19937_64& random, std::uint32_t identities) {
  const auto draw = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Packet packet;
  const std::uint32_t flow = draw(kFlows);
  packet.key = numbered_key(flow);
  packet.hash = flow / 2 * std::uint64_t{0x9e3779b97f4a7c15};  // two flows of one hash
  const std::uint32_t identity = draw(identities);
  SegmentMaker segment = test_segment(0).tcp(identity / 4, identity % 4 ? 16 : kSyn, 1);
  if (draw(12)) segment.identified(identity / 2, identity);
  if (identity % 2) segment.anonymous();
  if (draw(30) == 0) segment.window = 0;
  packet.segment = segment;
  return packet;
}

std::vector<Packet> random_packets(std::size_t count, std::uint32_t identities, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Packet> packets;
  std::uint64_t number = (std::uint64_t{1} << 32) - count / 2;  // numbers need more than 32 bits in the middle
  std::int64_t time_ns = 0;
  while (packets.size() < count) {
    packets.push_back(random_packet(random, identities));
    number += std::array{0, 1, 1, 1, 1, 3, 3}[random() % 7];  // a frame may hold several packets
    time_ns += static_cast<std::int64_t>(random() % 400) - 100;
    packets.back().number = number;
    packets.back().segment.time_ns = time_ns;
  }
  return packets;
}

std::uint32_t hash_of_identity(const BatchView& view, std::uint32_t p) {
  const std::int64_t i = static_cast<std::int64_t>(p) - view.before;
  return static_cast<std::uint32_t>(identity_hash(view.hash[i], view.segment[i], IdentitySeed(1)) >> 32);
}

// Brings a trace to the kernel, batch by batch, as the Engine does.
class DeviceDuplicates {
 public:
  // Of the identities' hashes only `hash_mask` is left, so that those of different packets are equal.
  DeviceDuplicates(const DuplicateOptions& options, std::uint32_t hash_mask, std::uint64_t seed)
      : options_(options), hash_mask_(hash_mask), device_({.threads = 3}), random_(seed) {}

  std::vector<bool> duplicates(const std::vector<Packet>& packets, std::size_t largest_batch) {
    std::vector<bool> found;
    for (std::size_t begin = 0, end; begin < packets.size(); begin = end) {
      end = std::min(packets.size(), begin + 1 + random_() % largest_batch);
      std::uint32_t before = 0;
      while (before < begin && packets[begin].number - packets[begin - before - 1].number <= options_.window) ++before;
      DeviceBatch batch(packets, begin, end, before, 1);
      find(batch.view());
      for (std::size_t i = 0; i < end - begin; ++i) {
        found.push_back(batch.mark[i] & kDuplicate);
        EXPECT_EQ(batch.mark[i] & ~kDuplicate, i % 2 ? kOtherMarks : 0);
      }
    }
    return found;
  }

 private:
  void find(const BatchView& view) {
    const std::uint32_t n = view.before + view.count;
    for (std::uint32_t i = 0; i < view.count; ++i) {
      view.mark[i] = i % 2 ? kOtherMarks : 0;
    }
    std::vector<std::uint32_t> hash(n), position(n), sorted_hash(n), sorted_position(n);
    for (std::uint32_t p = 0; p < n; ++p) {
      hash[p] = hash_of_identity(view, p) & hash_mask_;
      position[p] = p;
    }
    device_.sort({hash.data(), position.data(), sorted_hash.data(), sorted_position.data()}, n, 32);
    device_.launch(FindDuplicates{view, sorted_hash.data(), sorted_position.data(), options_}, n);
  }

  const DuplicateOptions options_;
  const std::uint32_t hash_mask_;
  HostDevice device_;
  std::mt19937_64 random_;
};

constexpr std::size_t kPackets = 500;

// Window, largest batch.
class FindDuplicatesModel : public testing::TestWithParam<std::tuple<std::uint64_t, std::size_t>> {};

TEST_P(FindDuplicatesModel, AgreesWithTheFilterOfTheCpu) {
  const auto [window, largest_batch] = GetParam();
  const DuplicateOptions options{window, 2000, 300};
  for (const std::uint32_t identities : {3u, 12u}) {
    const std::vector<Packet> packets = random_packets(kPackets, identities, window + largest_batch);
    std::vector<bool> expected;
    DuplicateFilter filter(options, 1);
    for (const Packet& p : packets) expected.push_back(filter.is_duplicate(p.key, p.hash, p.segment, p.number));
    const auto found = static_cast<std::size_t>(std::count(expected.begin(), expected.end(), true));
    EXPECT_GT(found, 0u);  // with a window of 0 in one frame
    EXPECT_LT(found, kPackets * 9 / 10);
    for (const std::uint32_t hash_mask : {UINT32_MAX, 3u, 0u}) {  // all hashes, few, one
      EXPECT_EQ(DeviceDuplicates(options, hash_mask, 1).duplicates(packets, largest_batch), expected) << hash_mask;
    }
  }
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<std::uint64_t, std::size_t>>& info) {
  return "Window" + std::to_string(std::get<0>(info.param)) + "Batch" + std::to_string(std::get<1>(info.param));
}

// Windows smaller and larger than batches, and than the trace.
INSTANTIATE_TEST_SUITE_P(All, FindDuplicatesModel,
                         testing::Combine(testing::Values(0, 1, 5, 70, 1000), testing::Values(3, 20, 100, 600)),
                         name_of_case);

TEST(FindDuplicates, SortsSoManyBitsThatFewOfAWindowAreAlike) {
  EXPECT_EQ(identity_bits(0), 16u);
  EXPECT_EQ(identity_bits(8 * 1024), 16u);
  EXPECT_EQ(identity_bits((1u << 18) - 1), 16u);
  EXPECT_EQ(identity_bits(1u << 18), 24u);
  EXPECT_EQ(identity_bits(UINT32_MAX), 24u);  // next to numbers of flows in 32
}

// Two copies on the two sides of where a batch ends: the window to its last packet number, the gap to its last
// nanosecond.
bool second_is_duplicate(const DuplicateOptions& options, std::uint64_t apart, std::int64_t apart_ns) {
  std::vector<Packet> packets(2);
  for (Packet& packet : packets) packet.segment = test_segment(50).identified(5);
  packets[0].number = 100;
  packets[1].number = 100 + apart;
  packets[1].segment.time_ns += apart_ns;
  return DeviceDuplicates(options, UINT32_MAX, 1).duplicates(packets, 1).at(1);
}

TEST(FindDuplicates, WindowIncludesItsLastPacketNumber) {
  EXPECT_TRUE(second_is_duplicate({10, 1000, 10}, 10, 0));
  EXPECT_FALSE(second_is_duplicate({10, 1000, 10}, 11, 0));
}

TEST(FindDuplicates, GapIncludesItsLastNanosecondBothWays) {
  for (const std::int64_t sign : {-1, 1}) {
    EXPECT_TRUE(second_is_duplicate({10, 1000, 10}, 1, sign * 1000));
    EXPECT_FALSE(second_is_duplicate({10, 1000, 10}, 1, sign * 1001));
  }
}

// What was found for the packets before the batch is not to be touched: their marks are gone.
TEST(FindDuplicates, PacketsBeforeTheBatchAreOnlyLookedAt) {
  std::vector<Packet> packets(3);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    packets[i].segment = test_segment(0).identified(5);
    packets[i].number = i + 1;
  }
  DeviceBatch batch(packets, 2, 3, 2, 1);
  batch.mark[0] = 0;
  const BatchView view = batch.view();
  const std::vector<std::uint32_t> hash(3, hash_of_identity(view, 0)), position = {0, 1, 2};
  EXPECT_EQ(hash[0], hash_of_identity(view, 2));
  HostDevice device({});
  device.launch(FindDuplicates{view, hash.data(), position.data(), {}}, 3);
  EXPECT_EQ(batch.mark[0], kDuplicate);
  EXPECT_EQ(view.number[-2], 1u);
}

}  // namespace
}  // namespace warpmeter::test
