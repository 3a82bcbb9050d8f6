// Retransmissions by the segment tables are those that a plain reading of the rule finds, packet by packet, whatever
// the batches, the tile size and the threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <tuple>

#include "core/options.h"
#include "kernels/device_segment_tables.h"
#include "kernels/host_device.h"
#include "kernels/tile_sizes.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kNoFlow = 1000;

struct Arrival {
  Packet packet;
  std::uint32_t flow = 0;
  bool duplicate = false;
};
using ArrivalTrace = std::vector<Arrival>;

// docs/definitions.md, "Method five-tuple", read once more.
class PlainRule {
 public:
  PlainRule(std::uint64_t block, std::int64_t gap_ns) : block_(block), gap_ns_(gap_ns) {}

  bool is_retransmitted(const Arrival& a) {
    const Segment& s = a.packet.segment;
    const bool data = (s.kind & kTcpSegment) && !(s.flags & kRst) && s.payload_length > 0;
    if (a.duplicate || a.flow == kNoFlow || !data) return false;
    const std::uint64_t block = (a.packet.number - 1) / block_;
    bool again = false;
    for (std::uint64_t original : {block, block - 1}) {
      const auto found = latest_.find({original, a.flow, s.sequence});
      if (found != latest_.end() && (gap_ns_ == 0 || s.time_ns - found->second <= gap_ns_)) again = true;
    }
    const auto [place, is_new] = latest_.try_emplace({block, a.flow, s.sequence}, s.time_ns);
    if (!is_new) place->second = std::max(place->second, s.time_ns);
    return again;
  }

 private:
  const std::uint64_t block_;
  const std::int64_t gap_ns_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, std::int64_t> latest_;
};

struct Shape {
  std::uint64_t block;
  std::int64_t gap_ns;
  std::uint32_t flows;
  std::uint32_t sequences;
};

Arrival random_arrival(std::mt19937_64& random, const Shape& shape) {
  const auto draw = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Arrival a;
  Segment& s = a.packet.segment;
  s.kind = draw(20) ? kTcpSegment : 0;
  s.flags = static_cast<std::uint8_t>(draw(20) ? 16 : kSyn | kFin);
  if (draw(20) == 0) s.flags |= kRst;
  s.payload_length = draw(10) ? 1 + draw(1000) : 0;
  s.sequence = draw(shape.sequences) * 0x10000001u - 5;  // around 0 too
  a.flow = draw(15) ? draw(shape.flows) : kNoFlow;
  a.duplicate = draw(10) == 0;
  return a;
}

// Numbers with gaps, sometimes of whole blocks; times that run back, sometimes far.
ArrivalTrace random_arrivals(std::size_t count, const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ArrivalTrace trace;
  std::uint64_t number = random() % shape.block;
  // From before 1970 and from today, where the distance to no time at all does not fit into 64 bits.
  std::int64_t time_ns = seed % 2 ? -5000 : 1'700'000'000'000'000'000;
  while (trace.size() < count) {
    const bool same_frame = !trace.empty() && random() % 5 == 0;
    if (!same_frame) number += 1 + (random() % 50 ? random() % 4 / 3 : random() % (3 * shape.block));
    const std::uint64_t step = random() % 10 ? 8 : 400;
    time_ns += static_cast<std::int64_t>(random() % step) - 3;
    trace.push_back(random_arrival(random, shape));
    trace.back().packet.number = number;
    trace.back().packet.segment.time_ns = random() % 100 ? time_ns : time_ns - (std::int64_t{1} << 61);
  }
  return trace;
}

// Brings a trace to segment tables in batches that end with blocks.
class DeviceRule {
 public:
  DeviceRule(const Shape& shape, unsigned tile, std::uint64_t seed)
      : shape_(shape),
        tile_(tile),
        tables_(slots_for(shape.block), shape.gap_ns, seed),
        device_({.threads = 3, .seed = seed, .tiles = 4}),
        random_(seed) {}

  std::vector<bool> retransmitted(const ArrivalTrace& trace) {
    std::vector<Packet> packets;
    for (const Arrival& a : trace) packets.push_back(a.packet);
    std::vector<bool> found;
    std::optional<std::uint64_t> current;
    for (std::size_t begin = 0, end; begin < trace.size(); begin = end) {
      const std::uint64_t block = block_of(packets[begin].number, shape_.block);
      if (block != current) tables_.turn_to(block);
      current = block;
      const std::size_t most = begin + 1 + random_() % 60;
      for (end = begin; end < std::min(most, trace.size()); ++end) {
        if (block_of(packets[end].number, shape_.block) != block) break;
      }
      batch(trace, packets, begin, end, found);
    }
    return found;
  }

 private:
  // A small table whose load limit the block does not exceed, though some frames hold several packets.
  static std::uint64_t slots_for(std::uint64_t block) {
    std::uint64_t slots = 4;
    while (static_cast<double>(slots) * kSegmentLoad < static_cast<double>(3 * block + 20)) slots *= 2;
    return slots;
  }

  void batch(const ArrivalTrace& trace, const std::vector<Packet>& packets, std::size_t begin, std::size_t end,
             std::vector<bool>& found) {
    DeviceBatch batch(packets, begin, end, 0, kNoFlow);
    for (std::size_t i = begin; i < end; ++i) {
      batch.flow[i - begin] = trace[i].flow;
      batch.mark[i - begin] = trace[i].duplicate ? kDuplicate : 0;
    }
    tables_.find_retransmissions(device_, batch, tile_);
    for (std::size_t i = begin; i < end; ++i) {
      found.push_back(batch.mark[i - begin] & kRetransmitted);
      ASSERT_EQ((batch.mark[i - begin] & kDuplicate) != 0, trace[i].duplicate);
    }
  }

  const Shape shape_;
  const unsigned tile_;
  DeviceSegmentTables tables_;
  HostDevice device_;
  std::mt19937_64 random_;
};

class FindRetransmissions : public testing::TestWithParam<unsigned> {
 protected:
  void check(std::uint64_t block, std::uint32_t flows, std::uint32_t sequences, std::size_t count) {
    for (const std::int64_t gap_ns : {0, 20, 1000}) {
      SCOPED_TRACE(gap_ns);
      const Shape shape{block, gap_ns, flows, sequences};
      std::size_t again = 0;
      for (std::uint64_t seed = 1; seed <= 3; ++seed) again += check_one(shape, count, seed);
      EXPECT_GT(again, 20u);
      EXPECT_LT(again, 3 * count * 9 / 10);
    }
  }

 private:
  // Returns how many were retransmitted.
  std::size_t check_one(const Shape& shape, std::size_t count, std::uint64_t seed) {
    const ArrivalTrace trace = random_arrivals(count, shape, seed);
    PlainRule rule(shape.block, shape.gap_ns);
    std::vector<bool> expected;
    for (const Arrival& arrival : trace) expected.push_back(rule.is_retransmitted(arrival));
    EXPECT_EQ(DeviceRule(shape, GetParam(), seed).retransmitted(trace), expected) << "seed " << seed;
    return static_cast<std::size_t>(std::count(expected.begin(), expected.end(), true));
  }
};

TEST_P(FindRetransmissions, InManySmallBlocks) { check(9, 2, 4, 500); }
TEST_P(FindRetransmissions, OfFewKeys) { check(153, 2, 5, 700); }
TEST_P(FindRetransmissions, OfManyKeysInFullTables) { check(153, 10, 40, 1000); }
TEST_P(FindRetransmissions, InBlocksOfOnePacket) { check(1, 1, 2, 200); }

INSTANTIATE_TEST_SUITE_P(Sizes, FindRetransmissions, testing::ValuesIn(tile_sizes()));

// A trace of one key.
ArrivalTrace times_of_one_key(const std::vector<std::pair<std::uint64_t, std::int64_t>>& numbers_and_times) {
  ArrivalTrace trace;
  for (const auto& [number, time_ns] : numbers_and_times) {
    Arrival a;
    a.packet.number = number;
    a.packet.segment.time_ns = time_ns;
    a.packet.segment.kind = kTcpSegment;
    a.packet.segment.payload_length = 1;
    trace.push_back(a);
  }
  return trace;
}

std::vector<bool> judged(std::int64_t gap_ns, const std::vector<std::pair<std::uint64_t, std::int64_t>>& trace) {
  return DeviceRule({100, gap_ns, 1, 1}, 1, 1).retransmitted(times_of_one_key(trace));
}

TEST(FindRetransmissionsByTime, GapIncludesItsLastNanosecond) {
  EXPECT_EQ(judged(10, {{1, 0}, {2, 10}, {3, 21}}), (std::vector<bool>{false, true, false}));
}

TEST(FindRetransmissionsByTime, LatestTimeCountsNotTheLatestPacket) {
  EXPECT_EQ(judged(10, {{1, 100}, {2, 50}, {3, 105}, {4, 115}, {5, 126}}),
            (std::vector<bool>{false, true, true, true, false}));
}

TEST(FindRetransmissionsByTime, PreviousBlockCountsAndTheOneBeforeDoesNot) {
  EXPECT_EQ(judged(10, {{100, 0}, {101, 10}, {102, 21}}), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(judged(10, {{100, 0}, {201, 5}}), (std::vector<bool>{false, false}));
  EXPECT_EQ(judged(0, {{100, 0}, {200, 5}, {201, 6}, {401, 7}}), (std::vector<bool>{false, true, true, false}));
}

// The first of a block, too late after the previous one: an original again, and the later ones are judged by it.
TEST(FindRetransmissionsByTime, LateRepetitionIsTheNextOriginal) {
  EXPECT_EQ(judged(10, {{100, 0}, {101, 50}, {102, 55}, {103, 70}}), (std::vector<bool>{false, false, true, false}));
}

TEST(FindRetransmissionsByTime, NoTimeIsFarFromAnyTime) {
  for (const std::int64_t now : {-(std::int64_t{1} << 61), std::int64_t{0}, 1'700'000'000'000'000'000}) {
    EXPECT_EQ(judged(10, {{100, now}, {101, now + 50}, {102, now + 60}}), (std::vector<bool>{false, false, true}));
  }
}

TEST(FindRetransmissionsByTime, EarliestTimesAreTimes) {
  constexpr std::int64_t kFirst = -(std::int64_t{1} << 62) + 1;
  EXPECT_EQ(judged(10, {{1, kFirst}, {2, kFirst + 5}, {101, kFirst + 15}, {102, kFirst + 30}}),
            (std::vector<bool>{false, true, true, false}));
}

}  // namespace
}  // namespace warpmeter::test
