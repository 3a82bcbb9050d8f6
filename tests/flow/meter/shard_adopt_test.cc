// A shard beside a device: it goes on with flows that were metered elsewhere as if it had metered them from the first
// packet on, takes the device's word for duplicates, and tells which flows live.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "core/partial_of_state.h"
#include "flow/meter/duplicate_filter.h"
#include "flow/meter/shard_driver.h"
#include "support/count_segment.h"
#include "support/lower_full_counter.h"

namespace warpmeter {
namespace {

using test::FullCounter;
using test::meter_options;
using test::numbered_key;
using test::ShardDriver;
using test::ShardPacket;
using test::test_segment;

// Holes as judge.h and apply.h want them, in a map.
class MappedHoles {
 public:
  MappedHoles(FlowState& flow, std::map<std::int64_t, std::int64_t>& end_of) : flow_(flow), end_of_(end_of) {}

  std::int64_t missing(std::int64_t begin, std::int64_t end) const {
    std::int64_t missing = 0;
    for (const auto& [from, to] : end_of_) {
      missing += std::max<std::int64_t>(0, std::min(to, end) - std::max(from, begin));
    }
    return missing;
  }
  std::int64_t total() const { return missing(INT64_MIN, INT64_MAX); }
  void clear() {
    end_of_.clear();
    flow_.holes = 0;
  }
  void add_highest(std::int64_t begin, std::int64_t end) { add(begin, end); }
  void add_lowest(std::int64_t begin, std::int64_t end) { add(begin, end); }
  void fill(std::int64_t begin, std::int64_t end) {
    std::map<std::int64_t, std::int64_t> left;
    for (const auto& [from, to] : end_of_) {
      if (from < std::min(to, begin)) left[from] = std::min(to, begin);
      if (std::max(from, end) < to) left[std::max(from, end)] = to;
    }
    end_of_ = left;
    flow_.holes = !end_of_.empty();
  }

 private:
  void add(std::int64_t begin, std::int64_t end) {
    end_of_[begin] = end;
    flow_.holes = 1;
  }

  FlowState& flow_;
  std::map<std::int64_t, std::int64_t>& end_of_;
};

// One flow as somebody else meters it, by a plain loop; no duplicates.
class Elsewhere {
 public:
  explicit Elsewhere(const MeterOptions& options) : options_(options) {}

  void packet(const Segment& s, std::uint64_t number) {
    const NextPacket next = next_packet(s, false);
    MappedHoles holes(flow_.state, end_of_);
    if (!(flow_.state.bits & kInUse)) {
      flow_.state.key = numbered_key(1);
      start_flow(flow_.state, next, number);
    } else {
      cross(boundary_before(flow_.state, next, options_.timeouts), next, number);
    }
    count_packet(flow_.state, s);
    if (is_tcp(s)) test::count_tcp_segment(flow_.state, s, holes, stray_);
  }

  CpuTakeover handed_over() const {
    CpuTakeover flow = flow_;
    if (flow.state.strays) flow.stray = stray_;
    flow.state.holes = 4711;  // these mean nothing
    flow.state.strays = 4712;
    for (const auto& [begin, end] : end_of_) {
      if (!flow.holes.empty() && flow.holes.back().end == begin) flow.holes.back().end = end;
      else flow.holes.push_back({begin, end});
    }
    return flow;
  }
  const std::vector<Partial>& ended() const { return ended_; }

 private:
  void cross(Boundary boundary, const NextPacket& next, std::uint64_t number) {
    FlowState& f = flow_.state;
    if (boundary == Boundary::none) {
      if (f.packets >= test::full_counter_now) add_spilled();
    } else if (boundary == Boundary::active) {
      finish(end_reason_of(boundary), 0);
      stray_.segments = 0;
      start_part(f, next, number);
    } else {
      const std::int64_t before = f.strays ? stray_.missing_before : 0;
      finish(end_reason_of(boundary), MappedHoles(f, end_of_).total() + before);
      end_of_.clear();
      start_flow(f, next, number);
    }
  }
  void add_spilled() {
    const Partial counters = partial_of(flow_.state, EndReason::forced, Removal::none, {});
    if (flow_.spilled_counters) add_counters(*flow_.spilled_counters, counters);
    else flow_.spilled_counters = counters;
    zero_counters(flow_.state);
    flow_.state.bits |= kCountersSpilled;
  }
  void finish(EndReason reason, std::int64_t missing) {
    const std::uint64_t strays = flow_.state.strays ? stray_.segments : 0;
    ended_.push_back(partial_of(flow_.state, reason, Removal::none, {missing, strays}));
    if (flow_.spilled_counters) add_counters(ended_.back(), *flow_.spilled_counters);
    flow_.spilled_counters.reset();
  }

  const MeterOptions options_;
  CpuTakeover flow_{};
  StrayState stray_{};
  std::map<std::int64_t, std::int64_t> end_of_;
  std::vector<Partial> ended_;
};

// One flow that loses, reorders and repeats segments, opens again, falls silent now and then, and wraps.
std::vector<ShardPacket> random_flow(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  const auto draw = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<ShardPacket> packets;
  std::int64_t time = 0;
  std::uint32_t next = 0u - draw(3000);
  while (packets.size() < count) {
    time += draw(100) ? draw(15) : 1500;
    const std::uint32_t payload = draw(4) ? draw(60) : 0;
    std::uint32_t sequence = next;
    if (draw(4) == 0) sequence -= draw(800);
    else next += payload + (draw(4) ? 0 : draw(100));
    std::uint8_t flags = kAck;
    if (draw(150) == 0) flags |= kSyn;
    if (draw(100) == 0) flags |= kFin;
    if (draw(100) == 0) flags |= kRst;
    auto segment = test_segment(time - draw(5));
    if (draw(20)) segment.tcp(sequence, flags, payload);
    packets.push_back({numbered_key(1), segment});
  }
  return packets;
}

void expect_same(const std::vector<Partial>& expected, const std::vector<Partial>& got) {
  ASSERT_EQ(expected.size(), got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(std::memcmp(&expected[i], &got[i], sizeof(Partial)), 0) << "record " << i;
  }
}

// Another takes the first `handed_over_at` packets.
void check_adoption(const MeterOptions& options, std::uint64_t seed, std::size_t handed_over_at, bool old_flow) {
  const std::vector<ShardPacket> packets = random_flow(seed, 300);
  const auto cut = packets.begin() + static_cast<std::ptrdiff_t>(handed_over_at);
  ShardDriver whole(options), adopting(options);
  Elsewhere elsewhere(options);
  whole.meter(packets);
  std::uint64_t number = 0;
  for (auto p = packets.begin(); p < cut; ++p) elsewhere.packet(p->segment, ++number);
  adopting.skip(number - old_flow);
  if (old_flow) adopting.packet(1, test_segment(-1'000'000).tcp(5, kAck, 1));
  adopting.shard().adopt(elsewhere.handed_over());
  adopting.meter({cut, packets.end()});
  std::vector<Partial> got = elsewhere.ended(), expected = whole.drain();
  const std::vector<Partial>& own = adopting.drain(whole.shard().latest_ns());
  got.insert(got.end(), own.begin() + old_flow, own.end());
  ASSERT_NO_FATAL_FAILURE(expect_same(expected, got)) << "seed " << seed << ", at " << handed_over_at;
  if (!old_flow) return;
  EXPECT_EQ(own[0].packets, 1u);
  EXPECT_EQ(own[0].end_reason, EndReason::idle);
  EXPECT_EQ(own[0].removal, Removal::expired);
}

TEST(ShardAdopt, GoesOnAsIfItHadMeteredFromTheFirstPacket) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    for (const bool old_flow : {false, true}) check_adoption(meter_options(), seed, 1 + seed * 7 % 299, old_flow);
  }
}

TEST(ShardAdopt, GoesOnAcrossActiveTimeouts) {
  MeterOptions options = meter_options();
  options.timeouts = {0, 100};
  for (std::uint64_t seed = 0; seed < 50; ++seed) check_adoption(options, seed, 1 + seed * 7 % 299, seed % 2);
}

TEST(ShardAdopt, GoesOnWithSpilledCounters) {
  for (const std::uint32_t full_counter : {1u, 7u, 50u}) {
    const FullCounter lower(full_counter);
    for (std::uint64_t seed = 0; seed < 30; ++seed) check_adoption(meter_options(), seed, 1 + seed * 7 % 299, seed % 2);
  }
}

// More holes than the CPU keeps in an array.
TEST(ShardAdopt, TakesAllHoles) {
  ShardDriver driver(meter_options());
  CpuTakeover flow{};
  flow.state.key = numbered_key(1);
  start_flow(flow.state, {10, 0, false}, 1);
  flow.state.bits |= kRangeKnown;
  flow.state.packets = 1024;
  flow.state.end_ns = 20;
  for (std::int64_t i = 0; i < 1023; ++i) flow.holes.push_back({10 * i + 1, 10 * i + 5});
  flow.state.highest = 10'300;
  driver.shard().adopt(flow);
  driver.packet(1, test_segment(30).tcp(1, kAck, 2));   // of the first hole
  driver.packet(1, test_segment(30).tcp(11, kAck, 4));  // the second
  ASSERT_EQ(driver.drain().size(), 1u);
  EXPECT_EQ(driver.ended()[0].packets, 1026u);
  EXPECT_EQ(driver.ended()[0].missing_bytes, 1023u * 4 - 6);
  EXPECT_EQ(driver.shard().counters().dropped_holes, 0u);
}

TEST(ShardAdopt, CountsTheDuplicatesThatComeWithAFlow) {
  ShardDriver driver(meter_options());
  CpuTakeover flow{};
  flow.state.key = numbered_key(1);
  start_flow(flow.state, {10, 0, false}, 1);
  flow.state.duplicate_packets = 3;
  driver.shard().adopt(flow);
  flow.state.key = numbered_key(2);
  flow.state.bits |= kCountersSpilled;
  flow.spilled_counters = partial_of(flow.state, EndReason::forced, Removal::none, {});
  flow.spilled_counters->duplicate_packets = 100;
  driver.shard().adopt(flow);
  EXPECT_EQ(driver.shard().counters().duplicate_packets, 106u);
  EXPECT_EQ(driver.shard().counters().peak_live_flows, 2u);
}

// Where there is no room, adopting makes some as a packet would.
TEST(ShardAdopt, MakesRoom) {
  constexpr std::uint64_t kRoomFor52 = 9'120;  // as worked out in flow_table_test.cc
  ShardDriver driver(meter_options(test::flow_memory_for(kRoomFor52)));
  for (std::uint32_t i = 0; i < 52; ++i) driver.packet(i, test_segment(i));
  CpuTakeover flow{};
  flow.state.key = numbered_key(100);
  start_flow(flow.state, {50, 0, false}, 60);
  driver.shard().adopt(flow);
  EXPECT_EQ(driver.shard().counters().evicted, 6u);
  EXPECT_EQ(driver.drain().size(), 53u);
}

// ---- duplicates that the device found

std::vector<ShardPacket> repeated_traffic(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ShardPacket> packets;
  std::int64_t time = 0;
  for (int i = 0; i < 2000; ++i) {
    time += static_cast<std::int64_t>(random() % 20);
    const auto flow = static_cast<std::uint32_t>(random() % 5), id = static_cast<std::uint32_t>(random() % 4);
    packets.push_back({numbered_key(flow), test_segment(time).tcp(1000 + 50 * id, kAck, 50).identified(id)});
  }
  return packets;
}

class ShardWithDuplicates : public testing::TestWithParam<Method> {};

TEST_P(ShardWithDuplicates, DoesAsItsOwnFilterWould) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    MeterOptions options = meter_options();
    options.method = GetParam();
    options.five_tuple.block = 300;
    const auto packets = repeated_traffic(seed);
    ShardDriver filtering(options), told(options);
    filtering.meter(packets, 64);
    DuplicateFilter filter(options.duplicates, 1);
    std::vector<std::uint8_t> duplicate;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const ShardPacket& p = packets[i];
      duplicate.push_back(filter.is_duplicate(p.key, hash_flow(p.key, 1).hash, p.segment, i + 1));
    }
    told.meter(packets, 64, duplicate);
    EXPECT_GT(filtering.shard().counters().duplicate_packets, 100u);
    EXPECT_EQ(told.shard().counters().duplicate_packets, filtering.shard().counters().duplicate_packets);
    expect_same(filtering.drain(), told.drain());
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ShardWithDuplicates, testing::Values(Method::exact, Method::five_tuple));

// It is told, so nothing else counts: neither what it would find, nor anything but 0 for none.
TEST(ShardWithDuplicates, FindsNoneItself) {
  ShardDriver driver(meter_options());
  const ShardPacket packet{numbered_key(1), test_segment(0).tcp(1000, kAck, 10).identified(1)};
  driver.meter({packet, packet, packet, packet}, 8, {0, 0, 255, 1});
  EXPECT_EQ(driver.shard().counters().duplicate_packets, 2u);
  EXPECT_EQ(driver.drain().at(0).retransmitted_segments, 1u);
}

// ---- flows that live

std::map<std::uint32_t, std::int64_t> live(Shard& shard, std::int64_t trace_ns) {
  std::vector<FlowOnCpu> flows;
  shard.list_live(trace_ns, flows);
  std::map<std::uint32_t, std::int64_t> ends;
  for (const FlowOnCpu& flow : flows) ends[flow.key.source[3]] = flow.end_ns;
  EXPECT_EQ(ends.size(), flows.size());
  return ends;
}

TEST(ShardLive, ListsFlowsWithTheirEndsAndLetsIdleOnesGo) {
  ShardDriver driver(meter_options());
  for (std::uint32_t i = 0; i < 5; ++i) driver.packet(i, test_segment(100 * i));
  driver.packet(1, test_segment(450));
  EXPECT_EQ(live(driver.shard(), 1000),
            (std::map<std::uint32_t, std::int64_t>{{0, 0}, {1, 450}, {2, 200}, {3, 300}, {4, 400}}));
  EXPECT_TRUE(driver.ended().empty());
  EXPECT_EQ(live(driver.shard(), 1201), (std::map<std::uint32_t, std::int64_t>{{1, 450}, {3, 300}, {4, 400}}));
  ASSERT_EQ(driver.ended().size(), 2u);
  for (const Partial& r : driver.ended()) {
    EXPECT_EQ(r.end_reason, EndReason::idle);
    EXPECT_EQ(r.removal, Removal::expired);
  }
  EXPECT_EQ(driver.shard().counters().expired, 2u);
  driver.packet(3, test_segment(1200));  // those that live are still found
  EXPECT_EQ(live(driver.shard(), 1200).at(3), 1200);
  EXPECT_EQ(driver.drain().size(), 5u);
}

TEST(ShardLive, AddsToWhatIsThereAlready) {
  ShardDriver driver(meter_options());
  std::vector<FlowOnCpu> flows(3);
  driver.shard().list_live(0, flows);
  EXPECT_EQ(flows.size(), 3u);
  driver.packet(1, test_segment(0));
  driver.shard().list_live(0, flows);
  EXPECT_EQ(flows.size(), 4u);
}

TEST(ShardLive, WithoutIdleTimeoutNoneGoes) {
  MeterOptions options = meter_options();
  options.timeouts.idle_ns = 0;
  ShardDriver driver(options);
  driver.packet(1, test_segment(0));
  EXPECT_EQ(live(driver.shard(), INT64_MAX / 2).size(), 1u);
  EXPECT_TRUE(driver.ended().empty());
}

}  // namespace
}  // namespace warpmeter
