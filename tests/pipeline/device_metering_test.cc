// The Metering Process on a device that is played here: what it is given, and what becomes of what it gives back.
#include "pipeline/device_metering.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <map>

#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;
using test::Bytes;

constexpr std::uint64_t kHashSeed = 7;
constexpr std::uint16_t kOverflowPort = 5000;  // flows from here on find no room on the device
constexpr std::int64_t kMs = 1'000'000;

// What the device is like, and what it saw; outlives it.
struct Played {
  std::uint64_t block = 1000;
  std::uint64_t waits_until_submitted = 0;          // collect() waits for a second batch, unless so many were submitted
  std::function<void(std::size_t)> on_submit = {};  // told how many batches came before

  std::vector<std::uint64_t> first_numbers;  // of the batches
  std::vector<std::uint32_t> counts;
  unsigned most_under_way = 0;
  std::vector<std::int64_t> trace_ends;
  std::vector<std::string> mistakes;
};

// Ends every flow with every packet, but those with numbers divisible by 3 only when drained.
class PlayedDevice : public DeviceMeter {
 public:
  explicit PlayedDevice(Played& played) : played_(played) {}

  std::string name() const override { return "played"; }
  std::uint64_t block() const override { return played_.block; }
  std::pmr::memory_resource& batch_memory() override { return *std::pmr::new_delete_resource(); }

  void submit(const SegmentBatch& batch) override {
    if (played_.on_submit) played_.on_submit(played_.first_numbers.size());
    const std::lock_guard lock(mutex_);
    if (under_way_.size() >= kMostUnderWay) played_.mistakes.push_back("too many under way");
    under_way_.push_back({&batch, checksum(batch)});
    played_.first_numbers.push_back(batch.first_number);
    played_.counts.push_back(batch.count);
    played_.most_under_way = std::max(played_.most_under_way, static_cast<unsigned>(under_way_.size()));
    submitted_.notify_all();
  }

  void collect(Result& result) override {
    std::unique_lock lock(mutex_);
    if (played_.waits_until_submitted && !submitted_.wait_for(lock, 10s, [this] {
          return under_way_.size() == kMostUnderWay || played_.first_numbers.size() == played_.waits_until_submitted;
        })) {
      played_.mistakes.push_back("no second batch came");
      played_.waits_until_submitted = 0;  // once is enough
    }
    if (under_way_.empty()) throw std::logic_error("collected what was not submitted");
    const auto [batch, sum] = under_way_.front();
    if (checksum(*batch) != sum) played_.mistakes.push_back("a batch changed under way");
    under_way_.pop_front();
    result.finished.clear();
    result.overflow.clear();
    for (std::uint32_t i = 0; i < batch->count; ++i) meter(*batch, i, result);
  }

  std::int64_t latest_ns() override { return latest_ns_; }
  bool drain(std::int64_t trace_end_ns, std::vector<FlowRecord>& ended) override {
    played_.trace_ends.push_back(trace_end_ns);
    if (!ended.empty()) played_.mistakes.push_back("drained into what was not taken away");
    if (kept_.empty()) return false;
    for (int i = 0; i < 2 && !kept_.empty(); ++i) {
      ended.push_back(kept_.back());
      kept_.pop_back();
    }
    return true;
  }
  std::uint64_t flows() override { return 17; }
  std::array<double, kDeviceStages> stage_seconds() const override { return {1, 2, 3, 4, 5, 6}; }

 private:
  struct UnderWay {
    const SegmentBatch* batch;
    std::uint64_t sum;
  };

  static std::uint64_t checksum(const SegmentBatch& batch) {
    std::uint64_t sum = batch.first_number * 31 + batch.count;
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      sum = sum * 31 + (batch.hash[i] ^ batch.segment[i].frame ^ static_cast<std::uint64_t>(batch.segment[i].time_ns));
    }
    return sum;
  }
  void meter(const SegmentBatch& batch, std::uint32_t i, Result& result) {
    if (port_number(batch.key[i].source_port) >= kOverflowPort) return result.overflow.push_back(i);
    const Segment& segment = batch.segment[i];
    FlowRecord record;
    record.key = batch.key[i];
    record.start_ns = record.end_ns = record.first_ns = segment.time_ns;
    record.arrival = batch.first_number + segment.frame;
    record.packets = record.duplicate_packets = 1;
    latest_ns_ = std::max(latest_ns_, segment.time_ns);
    (record.arrival % 3 ? result.finished : kept_).push_back(record);
  }

  Played& played_;
  std::mutex mutex_;
  std::condition_variable submitted_;
  std::deque<UnderWay> under_way_;
  std::vector<FlowRecord> kept_;
  std::int64_t latest_ns_ = std::numeric_limits<std::int64_t>::min();
};

struct Packet {
  std::int64_t time_ms = 0;
  std::uint16_t port = 1;                      // 0: no IP packet
  std::optional<std::uint32_t> sequence = {};  // TCP with one byte, else UDP
  std::uint16_t id = 0;                        // of IP; 0: one of its own
};

// Flows on both sides of kOverflowPort, and now and then a packet that is not metered.
std::vector<Packet> mixed_packets(unsigned count) {
  std::vector<Packet> packets;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned port = i % 11 == 10 ? 0 : kOverflowPort - 3 + i % 5;
    packets.push_back({i, static_cast<std::uint16_t>(port)});
  }
  return packets;
}

class DeviceMeteringTest : public testing::Test {
 protected:
  DeviceMeteringTest() {
    options_.meter.method = Method::five_tuple;
    options_.meter.flow_memory = 64 << 20;
    options_.threads = 2;
    options_.batch = 10;
    runs_options_ = {folder_.path(), arrival_order, 1 << 20};
  }

  // In two files, so that some batches take frames of both.
  void write_trace(const std::vector<Packet>& packets) {
    const test::PcapDialect raw_ip{.link = kLinkRaw};
    test::PcapFile files[2] = {test::PcapFile(raw_ip), test::PcapFile(raw_ip)};
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const auto [time_ms, port, sequence, given_id] = packets[i];
      const auto id = static_cast<std::uint16_t>(given_id ? given_id : i + 1);
      Bytes bytes = {0, 0, 0, 0};
      if (sequence) bytes = test::ip4({.id = id}, test::tcp({.source_port = port, .sequence = *sequence}, {1}));
      else if (port) bytes = test::ip4({.protocol = 17, .id = id}, test::udp(port, 53));
      files[i * 2 / packets.size()].record(static_cast<std::uint32_t>(time_ms / 1000),
                                           static_cast<std::uint32_t>(time_ms % 1000 * 1000), bytes);
    }
    trace_ = std::make_unique<Trace>(
        std::vector{folder_.write("a", files[0].data()), folder_.write("b", files[1].data())}, interrupted_);
  }

  void make() {
    runs_ = std::make_unique<RunStore>(runs_options_);
    metering_ = std::make_unique<DeviceMetering>(options_, std::make_unique<PlayedDevice>(played_), kHashSeed, *trace_,
                                                 *runs_, clock_);
  }
  void run_and_drain() {
    make();
    metering_->run();
    metering_->drain();
    EXPECT_EQ(played_.mistakes, std::vector<std::string>());
  }
  // Once.
  std::vector<FlowRecord> partials() { return test::all_of(*runs_->merged(1)); }

  const test::ScratchFolder folder_;
  Played played_;
  MeteringOptions options_;
  RunStoreOptions runs_options_;
  std::atomic<bool> interrupted_ = false;
  StageClock clock_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<RunStore> runs_;
  std::unique_ptr<DeviceMetering> metering_;
};

struct Borders {
  unsigned threads;
  std::uint32_t batch;
  std::uint64_t block;
  unsigned packets;
};

class DeviceMeteringBorders : public DeviceMeteringTest, public testing::WithParamInterface<Borders> {};

TEST_P(DeviceMeteringBorders, BatchesAreFullOrEndWithTheirBlock) {
  const auto [threads, batch, block, packets] = GetParam();
  options_.threads = threads;
  options_.batch = batch;
  played_.block = block;
  const std::vector<Packet> all = mixed_packets(packets);
  write_trace(all);
  std::vector<std::uint64_t> first_numbers;
  std::vector<std::uint32_t> counts;
  for (std::uint64_t at = 0; at < packets;) {
    const std::uint64_t end = std::min({at + batch, at - at % block + block, std::uint64_t{packets}});
    first_numbers.push_back(at + 1);
    counts.push_back(0);
    for (; at < end; ++at) counts.back() += all[at].port != 0;
  }
  played_.waits_until_submitted = first_numbers.size();
  run_and_drain();
  EXPECT_EQ(played_.first_numbers, first_numbers);
  EXPECT_EQ(played_.counts, counts);
  EXPECT_EQ(played_.most_under_way, std::min<std::size_t>(first_numbers.size(), DeviceMeter::kMostUnderWay));
  EXPECT_EQ(metering_->block(), block);
  EXPECT_EQ(metering_->decode_counters().frames, packets);
}

INSTANTIATE_TEST_SUITE_P(DeviceMetering, DeviceMeteringBorders,
                         testing::Values(Borders{1, 7, 100, 250}, Borders{3, 7, 10, 500}, Borders{2, 50, 7, 60},
                                         Borders{1, 7, 7, 49}, Borders{2, 8, 16, 64}, Borders{3, 1, 1, 40},
                                         Borders{8, 16, 1 << 30, 333}, Borders{1, 5, 3, 1}, Borders{3, 5, 3, 0}));

class DeviceMeteringThreads : public DeviceMeteringTest, public testing::WithParamInterface<unsigned> {
 protected:
  DeviceMeteringThreads() { options_.threads = GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(DeviceMetering, DeviceMeteringThreads, testing::Values(1, 3));

// What is compared of a partial.
using Part = std::tuple<std::uint16_t, std::uint64_t, std::uint64_t>;  // port, first packet, packets

TEST_P(DeviceMeteringThreads, EveryPacketComesOutOnce) {
  const std::vector<Packet> packets = mixed_packets(997);
  write_trace(packets);
  run_and_drain();
  std::vector<Part> expected, got;
  std::map<std::uint16_t, std::size_t> on_cpu;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const std::uint16_t port = packets[i].port;
    if (port >= kOverflowPort && on_cpu.contains(port)) ++std::get<2>(expected[on_cpu[port]]);
    else if (port) {
      on_cpu[port] = expected.size();
      expected.emplace_back(port, i + 1, 1);
    }
  }
  for (const FlowRecord& r : partials()) got.emplace_back(port_number(r.key.source_port), r.arrival, r.packets);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(got, expected);
}

TEST_F(DeviceMeteringTest, CountersAreThoseOfBothSides) {
  write_trace(mixed_packets(110));
  run_and_drain();
  EXPECT_EQ(metering_->decode_counters().frames, 110u);
  EXPECT_EQ(metering_->decode_counters().metered, 100u);
  const MeterCounters counters = metering_->meter_counters();
  EXPECT_EQ(counters.on_cpu, 40u);             // two ports of five
  EXPECT_EQ(counters.duplicate_packets, 60u);  // the device says so of each of its packets, drained or not
  EXPECT_EQ(counters.peak_live_flows, 17u + 2u);
  ASSERT_EQ(metering_->device_stages().size(), static_cast<std::size_t>(kDeviceStages));
  EXPECT_EQ(metering_->device_stages().front(), std::pair(std::string("copy in"), 1.0));
  EXPECT_EQ(metering_->device_stages().back(), std::pair(std::string("clear flows"), 6.0));
}

TEST_F(DeviceMeteringTest, DuplicatesFoundOnTheCpuCount) {
  write_trace({{0, kOverflowPort, {}, 9}, {1, kOverflowPort, {}, 9}, {2, kOverflowPort, {}, 8}});
  run_and_drain();
  EXPECT_EQ(metering_->meter_counters().duplicate_packets, 1u);
  EXPECT_EQ(partials().at(0).duplicate_packets, 1u);
}

TEST_F(DeviceMeteringTest, CpuRemembersSegmentsForTheDevicesBlocks) {
  options_.meter.five_tuple.block = 100;
  played_.block = 4;
  std::vector<Packet> packets(9, {0, 0});
  packets[0] = packets[4] = {0, kOverflowPort, 100};  // memory blocks 0 and 1
  packets[1] = packets[8] = {0, kOverflowPort, 200};  // memory blocks 0 and 2
  write_trace(packets);
  run_and_drain();
  const FlowRecord flow = partials().at(0);
  EXPECT_EQ(flow.data_segments, 4u);
  EXPECT_EQ(flow.retransmitted_segments, 1u);
}

TEST_F(DeviceMeteringTest, TraceEndsForTheCpuWhereTheDeviceSawItsLastPacket) {
  write_trace({{0, kOverflowPort}, {500'000, 1}});
  run_and_drain();
  EXPECT_EQ(partials().back().end_reason, EndReason::idle);
}

TEST_F(DeviceMeteringTest, TraceEndsForTheDeviceWhereTheCpuSawItsLastPacket) {
  write_trace({{0, 1}, {500'000, kOverflowPort}});
  run_and_drain();
  ASSERT_FALSE(played_.trace_ends.empty());
  for (const std::int64_t end : played_.trace_ends) EXPECT_EQ(end, 500'000 * kMs);
}

TEST_F(DeviceMeteringTest, BatchesWithoutSegmentsAreBatchesToo) {
  write_trace(std::vector<Packet>(35, {0, 0}));
  run_and_drain();
  EXPECT_EQ(played_.counts, std::vector<std::uint32_t>(4, 0));
  EXPECT_EQ(metering_->decode_counters().frames, 35u);
  EXPECT_TRUE(partials().empty());
}

TEST_P(DeviceMeteringThreads, InterruptedItEndsWhatItHasRead) {
  write_trace(mixed_packets(5000));
  played_.on_submit = [this](std::size_t batch) { interrupted_ = interrupted_ || batch == 3; };
  run_and_drain();
  std::uint64_t packets = 0;
  for (const FlowRecord& partial : partials()) packets += partial.packets;
  EXPECT_EQ(packets, metering_->decode_counters().metered);
  EXPECT_GE(packets, 30u);
  EXPECT_LT(packets, 2500u);
}

}  // namespace
}  // namespace warpmeter
