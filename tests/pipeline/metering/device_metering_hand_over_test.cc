// Flows that move from a device to the CPU and do not come back: in the middle of a batch, with all that the device
// knew of them; and when a device may take new flows again.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/partial_of_state.h"
#include "flow/meter/duplicate_filter.h"
#include "packet/file/trace.h"
#include "pipeline/metering/cpu_metering.h"
#include "pipeline/metering/played_device.h"
#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kNever = 1 << 30;

// What the test wants of it, and what it saw beside Played.
struct DeviceOutput {
  std::uint64_t closes_every = kNever;  // packets, by number: then it is out of room
  std::uint32_t room = 0;               // again, at once

  std::size_t handed_over = 0;
  std::vector<std::size_t> looked_at = {};  // when the trace's time was asked for: pieces before
  std::vector<std::vector<FlowOnCpu>> taken_again = {};
};

struct KeyLess {
  bool operator()(const FlowKey& a, const FlowKey& b) const { return compare(a, b) < 0; }
};

// Meters as the CPU does. While it is out of room, it hands every second flow over with the next packet, and leaves new
// keys to the CPU.
class LeavingDevice : public PlayedDevice {
 public:
  LeavingDevice(Played& played, DeviceOutput& leaving)
      : PlayedDevice(played),
        leaving_(leaving),
        next_close_(leaving.closes_every),
        duplicates_(DuplicateOptions{}, 1) {}

  std::uint32_t room_again() override {
    const std::lock_guard lock(mutex_);
    return closed_ ? leaving_.room : 0;
  }
  void take_again(std::span<const FlowOnCpu> flows) override {
    const std::lock_guard lock(mutex_);
    check(closed_, "nothing to take again");
    check(nothing_in_flight(), "taken again in flight");
    leaving_.taken_again.emplace_back(flows.begin(), flows.end());
    std::map<FlowKey, std::int64_t, KeyLess> still_there;
    for (const FlowOnCpu& flow : flows) {
      const auto known = on_cpu_.find(flow.key);
      check(known != on_cpu_.end() && known->second == flow.end_ns, "this flow does not live on the CPU");
      check(still_there.emplace(flow.key, flow.end_ns).second, "a flow twice");
    }
    on_cpu_ = std::move(still_there);
    closed_ = false;
  }
  std::int64_t latest_ns() override {
    leaving_.looked_at.push_back(played_.pieces.size());
    return latest_ns_;
  }
  bool drain(std::int64_t, std::vector<Partial>& ended) override {
    for (auto& [key, flow] : flows_) {
      ended.push_back(partial_of(flow.state, EndReason::forced, Removal::none, {flow.holes.total(), 0}));
    }
    flows_.clear();
    return false;
  }

 private:
  struct Flow {
    FlowState state{};
    ArrayHoles holes;
    StrayState stray{};
  };

  void meter(const SegmentSpan& piece, std::uint32_t i, Result& result) override {
    const KeyedSegment keyed = piece.at(i);
    const FlowKey key = flow_key(keyed.key);
    const Segment& segment = keyed.segment;
    const std::uint64_t number = piece.number(i);
    latest_ns_ = std::max(latest_ns_, segment.time_ns);
    const bool duplicate = duplicates_.is_duplicate(key, seeded_hash_of(keyed.key, kHashSeed), segment, number);
    if (number >= next_close_) {
      closed_ = true;
      next_close_ += leaving_.closes_every;
    }
    if (closed_) leave(key, result);
    if (const auto there = on_cpu_.find(key); there != on_cpu_.end()) {
      there->second = std::max(there->second, segment.time_ns);
      return overflow(i, duplicate, result);
    }
    const bool first = !flows_.contains(key);
    Flow& flow = flows_[key];
    if (first) {
      start_flow(flow.state, next_packet(segment, duplicate), number);
      flow.state.key = key;
    }
    count_packet(flow.state, segment);
    if (duplicate) count_duplicate(flow.state, segment);
    else count_tcp_segment(flow.state, segment, flow.holes, flow.stray);
    flow.state.holes = flow.holes.any();
  }

  void leave(const FlowKey& key, Result& result) {
    const auto flow = flows_.find(key);
    if (flow == flows_.end()) {
      on_cpu_.try_emplace(key, std::numeric_limits<std::int64_t>::min());
    } else if (port_number(key.source_port) % 2) {
      result.handed_over.push_back({flow->second.state, holes_of(flow->second), std::nullopt, {}});
      if (flow->second.state.strays) result.handed_over.back().stray = flow->second.stray;
      ++leaving_.handed_over;
      on_cpu_.emplace(key, flow->second.state.end_ns);
      flows_.erase(flow);
    }
  }
  // Number by number: there are few.
  static std::vector<Hole> holes_of(const Flow& flow) {
    std::vector<Hole> holes;
    for (std::int64_t n = flow.state.lowest; n < flow.state.highest; ++n) {
      if (!flow.holes.missing(n, n + 1)) continue;
      if (!holes.empty() && holes.back().end == n) ++holes.back().end;
      else holes.push_back({n, n + 1});
    }
    return holes;
  }

  DeviceOutput& leaving_;
  bool closed_ = false;
  std::uint64_t next_close_;
  DuplicateFilter duplicates_;
  std::map<FlowKey, Flow, KeyLess> flows_;
  std::map<FlowKey, std::int64_t, KeyLess> on_cpu_;  // with the latest time
};

class HandOver : public PlayedMetering {
 protected:
  HandOver() : leaving_(1) { options_.meter.method = Method::exact; }

  std::unique_ptr<DeviceMeter> device(Played& played) override {
    return std::make_unique<LeavingDevice>(played, leaving_[played.number]);
  }
  void play_leaving(unsigned devices, const DeviceOutput& leaving) {
    play(devices);
    leaving_.assign(devices, leaving);
  }

  std::vector<DeviceOutput> leaving_;  // a device
};

// New flows come all the time; every flow has bytes out of order, again, and not at all; some packets come twice.
std::vector<Packet> lossy_packets(unsigned count) {
  std::mt19937 random(3);
  std::vector<Packet> packets;
  for (unsigned i = 0; i < count; ++i) {
    if (i > 0 && random() % 10 == 0) {
      packets.push_back(packets.back());
      continue;
    }
    const auto port = static_cast<std::uint16_t>(1000 + i / 50 + random() % 40);
    const auto sequence = static_cast<std::uint32_t>(5000 + i / 8 + random() % 30);
    packets.push_back({i / 10, port, sequence, static_cast<std::uint16_t>(i + 1)});
  }
  return packets;
}

struct Case {
  unsigned threads, devices;
  std::uint64_t closes_every;
  std::uint32_t room;
};

class HandOverCase : public HandOver, public testing::WithParamInterface<Case> {
 protected:
  // Of the same trace, without a device.
  std::vector<Partial> records_of_the_cpu() {
    Trace trace(files_, interrupted_);
    RunStore runs(runs_options_);
    StageClock clock;
    CpuMetering metering(options_, trace, runs, clock);
    metering.run();
    metering.drain();
    cpu_counters_ = metering.meter_counters();
    return all_of(*runs.sorted(1)->in({}));
  }

  MeterCounters cpu_counters_;
};

TEST_P(HandOverCase, FlowsAreThoseOfTheCpuAlone) {
  const auto [threads, devices, closes_every, room] = GetParam();
  options_.threads = threads;
  play_leaving(devices, {.closes_every = closes_every, .room = room});
  write_trace(lossy_packets(3000));
  run_and_drain();
  EXPECT_TRUE(same_records(records_of_the_cpu(), partials()));
  const MeterCounters counters = metering_->meter_counters();
  EXPECT_GT(cpu_counters_.duplicate_packets, 100u);
  EXPECT_EQ(counters.duplicate_packets, cpu_counters_.duplicate_packets);
  for (const DeviceOutput& leaving : leaving_) {
    EXPECT_EQ(leaving.handed_over > 0, closes_every < 3000);
    EXPECT_EQ(leaving.taken_again.size() > 0, room > 0);
  }
  EXPECT_EQ(counters.on_cpu > 0, closes_every < 3000);
  EXPECT_LT(counters.on_cpu, metering_->decode_counters().metered);
}

INSTANTIATE_TEST_SUITE_P(DeviceMetering, HandOverCase,
                         testing::Values(Case{1, 1, kNever, 0}, Case{1, 1, 777, 0}, Case{3, 1, 777, 0},
                                         Case{3, 3, 1234, 0}, Case{1, 1, 500, 1000}, Case{3, 1, 431, 1000},
                                         Case{3, 3, 700, 1000}, Case{2, 2, 1499, 1 << 20}));

std::vector<std::uint16_t> ports_of(const std::vector<FlowOnCpu>& flows) {
  std::vector<std::uint16_t> ports;
  for (const FlowOnCpu& flow : flows) ports.push_back(port_number(flow.key.source_port));
  std::sort(ports.begin(), ports.end());
  return ports;
}

// So many of each of these flows, by turns.
void add_packets(std::vector<Packet>& packets, std::int64_t time_ms, std::initializer_list<std::uint16_t> ports,
                 unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    for (const std::uint16_t port : ports) packets.push_back({time_ms + i, port, i});
  }
}

// Each device is out of room at any time, and has room again at once: all that comes lives on the CPU.
TEST_F(HandOver, DeviceTakesAgainAllButTheFlowsOfItsShardsOnTheCpu) {
  play_leaving(3, {.closes_every = 1, .room = 1000});
  std::vector<Packet> packets;
  for (unsigned i = 0; i < 3000; ++i) packets.push_back({i, static_cast<std::uint16_t>(1 + i % 60), i});
  write_trace(packets);
  run_and_drain();
  std::vector<std::uint16_t> ports[3];
  for (std::uint16_t port = 1; port <= 60; ++port) ports[device_of_port(port, 3, kProtocolTcp)].push_back(port);
  for (unsigned d = 0; d < 3; ++d) {
    ASSERT_GT(leaving_[d].taken_again.size(), 1u);
    EXPECT_EQ(ports_of(leaving_[d].taken_again.back()), ports[d]);
  }
  EXPECT_EQ(metering_->meter_counters().on_cpu, 3000u);
}

TEST_F(HandOver, NobodyIsTakenAgainWithoutRoom) {
  play_leaving(1, {.closes_every = 1, .room = 0});
  std::vector<Packet> packets;
  add_packets(packets, 0, {2, 4}, 500);
  write_trace(packets);
  run_and_drain();
  EXPECT_TRUE(leaving_[0].taken_again.empty());
  EXPECT_EQ(leaving_[0].looked_at.size(), 1u);  // at the end
  EXPECT_EQ(metering_->meter_counters().on_cpu, 1000u);
}

// Two flows are more than half of the room: not yet, and not with every piece, as that waits for all that is in flight.
TEST_F(HandOver, WhereTooManyLiveOnTheCpuItIsTriedAgainLater) {
  play_leaving(1, {.closes_every = 1, .room = 3});
  std::vector<Packet> packets;
  add_packets(packets, 0, {2, 4}, 5000);
  write_trace(packets);
  run_and_drain();
  const std::vector<std::size_t>& looked_at = leaving_[0].looked_at;
  EXPECT_TRUE(leaving_[0].taken_again.empty());
  ASSERT_GT(looked_at.size(), 5u);
  EXPECT_LT(looked_at.size(), played_[0].pieces.size() / 20);
  for (std::size_t i = 1; i + 1 < looked_at.size(); ++i) EXPECT_GT(looked_at[i], looked_at[i - 1] + 20) << i;
}

// They are idle by then, and let go; the one that is not stays where it is.
TEST_F(HandOver, WhereTheFlowsOnTheCpuHaveEndedNewOnesAreTakenAgain) {
  play_leaving(1, {.closes_every = kNever, .room = 3});
  leaving_[0].closes_every = 5;
  std::vector<Packet> packets(4, {0, 0});
  add_packets(packets, 0, {2, 4}, 100);
  add_packets(packets, 1'000'000, {6}, 5000);
  write_trace(packets);
  run_and_drain();
  ASSERT_FALSE(leaving_[0].taken_again.empty());
  for (const auto& flows : leaving_[0].taken_again) EXPECT_EQ(ports_of(flows), std::vector<std::uint16_t>{6});
  const std::vector<Partial> flows = partials();
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].end_reason, EndReason::idle);
  EXPECT_EQ(flows[0].packets, 100u);
  EXPECT_EQ(flows[1].end_reason, EndReason::idle);
  EXPECT_EQ(flows[2].packets, 5000u);
  EXPECT_EQ(metering_->meter_counters().expired, 2u);
  EXPECT_EQ(metering_->meter_counters().on_cpu, 5200u);
}

// Another device may be ahead by a batch: its time says nothing about flows whose packets of that batch are still to
// come.
TEST_F(HandOver, TimeOfAnotherDeviceMakesNoFlowIdle) {
  play_leaving(2, {.closes_every = kNever, .room = 3});
  const auto port_of = [](unsigned device, std::uint16_t from) {
    while (from % 2 || device_of_port(from, 2, kProtocolTcp) != device) ++from;
    return from;
  };
  leaving_[0].closes_every = 1;
  std::vector<Packet> packets;
  const std::uint16_t first = port_of(0, 2), second = port_of(0, first + 1);
  add_packets(packets, 0, {first, second}, 100);
  add_packets(packets, 1'000'000, {port_of(1, 2)}, 5000);
  write_trace(packets);
  run_and_drain();
  EXPECT_GT(leaving_[0].looked_at.size(), 1u);
  EXPECT_TRUE(leaving_[0].taken_again.empty());  // two flows are too many for its room, as long as they live
  EXPECT_EQ(metering_->meter_counters().expired, 0u);
}

}  // namespace
}  // namespace warpmeter::test
