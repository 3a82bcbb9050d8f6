// The Metering Process on devices that are played here: what they are given, and what becomes of what they give back.
#include "pipeline/metering/device_metering.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "pipeline/metering/played_device.h"

namespace warpmeter::test {
namespace {

using DeviceMeteringTest = PlayedMetering;

// What is compared of a partial.
using Part = std::tuple<std::uint16_t, std::uint64_t, std::uint64_t>;  // port, first packet, packets

// A device ends a flow with every packet, the CPU with the last one.
std::vector<Part> expected_parts(const std::vector<Packet>& packets) {
  std::vector<Part> parts;
  std::map<std::uint16_t, std::size_t> on_cpu;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const std::uint16_t port = packets[i].port;
    if (port >= kOverflowPort && on_cpu.contains(port)) ++std::get<2>(parts[on_cpu[port]]);
    else if (port) {
      on_cpu[port] = parts.size();
      parts.emplace_back(port, i + 1, 1);
    }
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

std::vector<Part> parts_of(const std::vector<Partial>& partials) {
  std::vector<Part> parts;
  for (const Partial& r : partials) parts.emplace_back(port_number(r.key.source_port), r.arrival, r.packets);
  return parts;
}

struct Borders {
  unsigned threads;
  std::uint32_t batch;
  std::uint64_t block;
  unsigned packets;
  unsigned devices = 1;
};

class DeviceMeteringBorders : public PlayedMetering, public testing::WithParamInterface<Borders> {
 protected:
  // Of all devices, ascending.
  std::vector<std::uint64_t> submitted() const {
    std::vector<std::uint64_t> all;
    for (const Played& played : played_) {
      for (const PlayedPiece& piece : played.pieces) all.insert(all.end(), piece.packets.begin(), piece.packets.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
};

// The played devices check each piece: its size, its memory block, its shards, its place in the trace.
TEST_P(DeviceMeteringBorders, PiecesAreWhatADeviceTakes) {
  const auto [threads, batch, block, packets, devices] = GetParam();
  options_.threads = threads;
  options_.batch = batch;
  played_[0].block = block;
  const bool fills = devices == 1 && packets > 3 * batch;  // of several, one may wait for what another has no room for
  played_[0].first_waits = fills;
  play(devices);
  const std::vector<Packet> all = mixed_packets(packets, devices > 1 ? 200 : 5);
  write_trace(all);
  run_and_drain();
  std::vector<std::uint64_t> metered;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].port) metered.push_back(i + 1);
  }
  EXPECT_EQ(submitted(), metered);
  EXPECT_TRUE(!fills || played_[0].most_in_flight == DeviceMeter::kMostInFlight);
  EXPECT_EQ(metering_->block(), block);
  EXPECT_EQ(metering_->decode_counters().frames, packets);
  EXPECT_EQ(metering_->decode_counters().metered, metered.size());
}

INSTANTIATE_TEST_SUITE_P(DeviceMetering, DeviceMeteringBorders,
                         testing::Values(Borders{1, 7, 100, 250}, Borders{3, 7, 10, 500}, Borders{2, 50, 7, 60},
                                         Borders{1, 7, 7, 49}, Borders{2, 8, 16, 64}, Borders{3, 1, 1, 40},
                                         Borders{8, 16, 1 << 30, 333}, Borders{1, 5, 3, 1}, Borders{3, 5, 3, 0},
                                         Borders{1, 7, 10, 500, 2}, Borders{3, 50, 13, 600, 3},
                                         Borders{8, 16, 1 << 30, 333, 5}, Borders{3, 100, 99, 2000, 64},
                                         Borders{2, 5, 3, 1, 3}, Borders{3, 5, 3, 0, 2}));

// How many frames a batch has is only known when they are there: small ones behind large ones are more than was wanted.
class DeviceMeteringLargeBatch : public PlayedMetering, public testing::WithParamInterface<unsigned> {
 protected:
  DeviceMeteringLargeBatch() {
    // Once flows of the device come first, once those of the CPU.
    const std::vector<Packet> small = mixed_packets(1720, 200);
    packets_.insert(packets_.begin() + 200, small.begin(), small.begin() + 800);
    packets_.insert(packets_.end(), small.begin() + 920, small.end());
    options_.threads = GetParam();
    write_trace(packets_);
  }
  // The device's pieces of the largest batch.
  static std::vector<PlayedPiece> largest_batch(const Played& played) {
    std::map<std::uint64_t, std::vector<PlayedPiece>> batches;
    for (const PlayedPiece& piece : played.pieces) batches[piece.batch].push_back(piece);
    return std::max_element(batches.begin(), batches.end(),
                            [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); })
        ->second;
  }

  std::vector<Packet> packets_ = std::vector<Packet>(400, Packet{.port = 0, .size = 1500});
};

INSTANTIATE_TEST_SUITE_P(DeviceMetering, DeviceMeteringLargeBatch, testing::Values(1, 3));

TEST_P(DeviceMeteringLargeBatch, GoesInFullPieces) {
  played_[0].block = 1 << 20;
  run_and_drain();
  const std::vector<PlayedPiece> pieces = largest_batch(played_[0]);
  ASSERT_GE(pieces.size(), 3u);
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) EXPECT_EQ(pieces[i].packets.size(), options_.batch) << i;
}

TEST_P(DeviceMeteringLargeBatch, GoesInPiecesThatEndWithTheirBlock) {
  played_[0].block = 6;  // less than a piece could be
  run_and_drain();
  const std::vector<PlayedPiece> pieces = largest_batch(played_[0]);
  ASSERT_GE(pieces.size(), 3u);
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    end += pieces[i].packets.size();
    if (end % options_.batch == 0) continue;  // a piece is of one section
    EXPECT_NE(block_of(pieces[i].packets.back(), 6), block_of(pieces[i + 1].packets.front(), 6)) << i;
  }
}

TEST_P(DeviceMeteringLargeBatch, GoesInPiecesToEachDevice) {
  play(2);
  run_and_drain();
  for (const Played& played : played_) EXPECT_GE(largest_batch(played).size(), 3u);
  EXPECT_EQ(parts_of(partials()), expected_parts(packets_));
}

// Records that become a twentieth smaller, which nobody knows before they are read.
TEST_F(DeviceMeteringTest, BatchesThatAreALittleTooLargeGoInOnePiece) {
  std::vector<Packet> packets;
  for (unsigned i = 0; i < 8000; ++i) {
    const bool is_large = i % 2000 < 1000 ? i % 2 == 0 : i % 10 < 3;
    packets.push_back({i, static_cast<std::uint16_t>(1 + i % 50)});
    if (is_large) packets.back().sequence = i;
  }
  options_.batch = 160;
  played_[0].block = 1 << 20;
  for (const unsigned threads : {1u, 3u}) {
    options_.threads = threads;
    play(1);
    write_trace(packets);
    run_and_drain();
    std::map<std::uint64_t, std::size_t> pieces;
    std::size_t largest = 0;
    for (const PlayedPiece& piece : played_[0].pieces) {
      EXPECT_EQ(++pieces[piece.batch], 1u) << piece.batch;
      largest = std::max(largest, piece.packets.size());
    }
    EXPECT_GT(largest, 150u);  // as many as were wanted
    EXPECT_EQ(parts_of(partials()).size(), packets.size());
  }
}

struct Crowd {
  unsigned threads, devices;
};

class DeviceMeteringCrowd : public PlayedMetering, public testing::WithParamInterface<Crowd> {
 protected:
  DeviceMeteringCrowd() {
    options_.threads = GetParam().threads;
    play(GetParam().devices);
  }
};

INSTANTIATE_TEST_SUITE_P(DeviceMetering, DeviceMeteringCrowd,
                         testing::Values(Crowd{1, 1}, Crowd{3, 1}, Crowd{1, 2}, Crowd{3, 3}, Crowd{4, 8}));

TEST_P(DeviceMeteringCrowd, EveryPacketComesOutOnce) {
  const std::vector<Packet> packets = mixed_packets(997, 100);
  write_trace(packets);
  run_and_drain();
  EXPECT_EQ(parts_of(partials()), expected_parts(packets));
}

// Several threads take what is left there, in turn.
TEST_P(DeviceMeteringCrowd, EveryPacketComesOutOnceOfLargeDevices) {
  const std::vector<Packet> packets = mixed_packets(997, 100);
  played_[0].flows = 8 * DeviceMeter::kMostDrained;
  for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{8} << 20}) {  // flows stay there; and not
    options_.meter.flow_memory = memory;
    play(GetParam().devices);
    write_trace(packets);
    run_and_drain();
    EXPECT_EQ(metering_->meter_counters().duplicate_packets + metering_->meter_counters().on_cpu, packets.size() - 90);
    EXPECT_EQ(parts_of(partials()), expected_parts(packets));
  }
}

TEST_P(DeviceMeteringCrowd, CountersAreThoseOfAllSides) {
  const unsigned devices = GetParam().devices;
  write_trace(mixed_packets(110));
  run_and_drain();
  EXPECT_EQ(metering_->decode_counters().frames, 110u);
  EXPECT_EQ(metering_->decode_counters().metered, 100u);
  const MeterCounters counters = metering_->meter_counters();
  EXPECT_EQ(counters.on_cpu, 40u);             // two ports of five
  EXPECT_EQ(counters.duplicate_packets, 60u);  // the devices say so of each of their packets, drained or not
  EXPECT_EQ(counters.peak_live_flows, 17 * devices + devices * (devices - 1) / 2 + 2);
  ASSERT_EQ(metering_->device_stages().size(), static_cast<std::size_t>(kDeviceStages));
  const double together = devices * (devices + 1) / 2;
  for (int i = 0; i < kDeviceStages; ++i) {
    EXPECT_EQ(metering_->device_stages()[i], std::pair(std::string(kDeviceStageNames[i]), (i + 1) * together));
  }
}

TEST_P(DeviceMeteringCrowd, InterruptedItEndsWhatItHasRead) {
  write_trace(mixed_packets(5000, 100));
  played_[0].on_submit = [this](std::size_t pieces) { interrupted_ = interrupted_ || pieces == 3; };
  run_and_drain();
  EXPECT_GT(played_[0].pieces.size(), 3u);
  std::uint64_t packets = 0, submitted = 0;
  for (const Partial& partial : partials()) packets += partial.packets;
  for (const Played& played : played_) {
    for (const PlayedPiece& piece : played.pieces) submitted += piece.packets.size();
  }
  EXPECT_EQ(packets, metering_->decode_counters().metered);
  EXPECT_EQ(packets, submitted);
  EXPECT_GT(packets, 0u);
  EXPECT_LT(packets, 2500u);
}

// Nothing but one flow, so that there is nothing to do for all others but its device, the last one or all but it.
TEST_F(DeviceMeteringTest, DevicesWithoutSegmentsAreLeftAlone) {
  for (const unsigned device : {0u, 1u, 2u}) {
    play(3);
    write_trace(std::vector<Packet>(300, {0, port_of_device(device, 3, 1)}));
    run_and_drain();
    EXPECT_EQ(partials().size(), 300u);
    for (const Played& played : played_) {
      std::size_t packets = 0;
      for (const PlayedPiece& piece : played.pieces) packets += piece.packets.size();
      EXPECT_EQ(packets, played.number == device ? 300u : 0u);
      EXPECT_EQ(played.pieces.empty(), played.number != device);
    }
  }
}

TEST_F(DeviceMeteringTest, BatchesWithoutSegmentsAreBatchesToo) {
  write_trace(std::vector<Packet>(35, {0, 0}));
  run_and_drain();
  EXPECT_TRUE(played_[0].pieces.empty());
  EXPECT_EQ(metering_->decode_counters().frames, 35u);
  EXPECT_TRUE(partials().empty());
}

// Ids of flows that have left give few flows at a time; the memory for that many more is not kept for them.
TEST_F(DeviceMeteringTest, FlowsThatCameFewAtATimeTakeNoMoreMemory) {
  options_.meter.flow_memory = 1000;  // they do not stay
  runs_options_.memory_limit = 400 * sizeof(Partial);
  write_trace(std::vector<Packet>(300, {0, 1}));
  run_and_drain();
  EXPECT_EQ(runs_->runs_written(), 0u);
  EXPECT_EQ(partials().size(), 300u);
}

// With those of the CPU, which find no room in memory, flows of the device would go to a file.
TEST_F(DeviceMeteringTest, FlowsThatStayInMemoryComeBehindThoseOfTheCpu) {
  runs_options_.memory_limit = 1;
  write_trace({{0, 1}, {1, 1}, {2, 1}, {3, kOverflowPort}});
  std::uint64_t written_before = 0;
  played_[0].on_drain = [&] { written_before = runs_->runs_written(); };
  run_and_drain();
  EXPECT_GT(written_before, 0u);
  EXPECT_EQ(runs_->runs_written(), written_before);
  EXPECT_EQ(partials().size(), 4u);
}

// Their states lie in memory still.
TEST_F(DeviceMeteringTest, FlowsOfTheCpuLeaveLessMemoryToStayIn) {
  played_[0].flows = options_.meter.flow_memory / 2 / sizeof(Partial);
  runs_options_.memory_limit = 1;
  for (const std::uint16_t port : {std::uint16_t{1}, kOverflowPort}) {
    write_trace({{0, 1}, {1, 1}, {2, 1}, {3, port}});
    std::uint64_t written_before = 0;
    played_[0].on_drain = [&] { written_before = runs_->runs_written(); };
    run_and_drain();
    EXPECT_EQ(runs_->runs_written() > written_before, port == kOverflowPort);
  }
}

TEST_F(DeviceMeteringTest, FlowsThatTheDeviceLetGoAreCounted) {
  write_trace({{0, kIdlePort}, {1, 1}, {2, 1}, {3, kIdlePort}, {4, 1}});
  run_and_drain();
  EXPECT_EQ(metering_->meter_counters().expired, 2u);
}

// It saw all packets of the trace, the CPU only those that it meters.
TEST_F(DeviceMeteringTest, DuplicatesOnTheCpuAreThoseThatTheDeviceFound) {
  played_[0].duplicates = {2, 5};
  const auto other = static_cast<std::uint16_t>(kOverflowPort + 1);
  write_trace(
      {{0, kOverflowPort, {}, 9}, {1, kOverflowPort, {}, 8}, {2, kOverflowPort, {}, 9}, {3, other, 1}, {4, other, 2}});
  run_and_drain();
  EXPECT_EQ(metering_->meter_counters().duplicate_packets, 2u);
  const std::vector<Partial> flows = partials();
  ASSERT_EQ(flows.size(), 2u);
  for (const Partial& flow : flows) EXPECT_EQ(flow.duplicate_packets, 1u);
}

TEST_F(DeviceMeteringTest, CpuRemembersSegmentsForTheDevicesBlocks) {
  options_.meter.five_tuple.block = 100;
  played_[0].block = 4;
  std::vector<Packet> packets(9, {0, 0});
  packets[0] = packets[4] = {0, kOverflowPort, 100};  // memory blocks 0 and 1
  packets[1] = packets[8] = {0, kOverflowPort, 200};  // memory blocks 0 and 2
  write_trace(packets);
  run_and_drain();
  const Partial flow = partials().at(0);
  EXPECT_EQ(flow.data_segments, 4u);
  EXPECT_EQ(flow.retransmitted_segments, 1u);
}

TEST_F(DeviceMeteringTest, TraceEndsForTheCpuWhereADeviceSawItsLastPacket) {
  for (const unsigned device : {0u, 1u}) {
    play(2);
    write_trace({{0, kOverflowPort}, {500'000, port_of_device(device, 2, 1)}});
    run_and_drain();
    EXPECT_EQ(partials().back().end_reason, EndReason::idle);
  }
}

TEST_F(DeviceMeteringTest, TraceEndsForTheDevicesWhereTheCpuSawItsLastPacket) {
  play(2);
  write_trace({{0, 1}, {500'000, kOverflowPort}});
  run_and_drain();
  for (const Played& played : played_) {
    ASSERT_FALSE(played.trace_ends.empty());
    for (const std::int64_t end : played.trace_ends) EXPECT_EQ(end, 500'000 * kMs);
  }
}

TEST_F(DeviceMeteringTest, TraceEndsForOneDeviceWhereAnotherSawItsLastPacket) {
  for (const unsigned last : {0u, 1u}) {
    play(2);
    write_trace({{0, port_of_device(1 - last, 2, 1)}, {500'000, port_of_device(last, 2, 1)}});
    run_and_drain();
    for (const Played& played : played_) {
      ASSERT_FALSE(played.trace_ends.empty());
      for (const std::int64_t end : played.trace_ends) EXPECT_EQ(end, 500'000 * kMs);
    }
  }
}

}  // namespace
}  // namespace warpmeter::test
