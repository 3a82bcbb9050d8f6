// How many segments a second the insert kernels take, at several load factors of the tables and for every tile size.
//
// Memory: one batch of segments, resident on the device; nothing is copied while the clock runs. Every figure is the
// best of `repeat` runs over cleared tables (the first one warms up).
#pragma once

#include <algorithm>
#include <cstdio>

#include "bench_traffic.cuh"
#include "device_memory.cuh"
#include "find_flows.cuh"
#include "find_retransmissions.cuh"
#include "rehash_flow_table.cuh"

namespace warpmeter::bench {

struct InsertBenchOptions {
  std::uint32_t slots = 1 << 25;  // of the segment table; as many segments come as give it a load
  unsigned repeat = 4;
};

constexpr double kHighestLoad = 0.8;

template <class Device>
class InsertBench {
 public:
  InsertBench(Device& device, const InsertBenchOptions& options)
      : device_(device), options_(options), n_(segments_at(kHighestLoad)), memory_(device, n_, options.slots) {}

  void run() {
    std::printf("| load | flows | lanes | flow table, G segments/s | segment table | both tables |\n");
    std::printf("|---|---|---|---|---|---|\n");
    for (const std::uint32_t flow_slots : {options_.slots / 16, options_.slots}) {
      for (const double load : {0.2, 0.4, 0.6, kHighestLoad}) {
        for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u}) measure(flow_slots, load, lanes);
      }
    }
    const double clear_s = best([this] { clear(options_.slots, options_.slots); });
    std::printf("\nclearing both tables (%u slots each): %.3f ms\n\n", options_.slots, clear_s * 1e3);
  }

 private:
  struct Memory {
    Memory(Device& device, std::uint32_t n, std::uint32_t slots)
        : key(device, n),
          hash(device, n),
          segment(device, n),
          number(device, n),
          flow(device, n),
          slot(device, n),
          slot_of(device, n),
          new_flow(device, n),
          mark(device, n),
          free_id(device, n),
          states(device, n),
          room(device, 1),
          flow_slots(device, slots),
          segment_slots(device, slots) {}
    DeviceArray<Device, FlowKey> key;
    DeviceArray<Device, std::uint64_t> hash;
    DeviceArray<Device, Segment> segment;
    DeviceArray<Device, std::uint64_t> number;
    DeviceArray<Device, std::uint32_t> flow, slot, slot_of, new_flow;
    DeviceArray<Device, std::uint8_t> mark;
    DeviceArray<Device, std::uint32_t> free_id;
    DeviceArray<Device, FlowState> states;
    DeviceArray<Device, FlowRoom> room;
    DeviceArray<Device, std::uint64_t> flow_slots;
    DeviceArray<Device, SegmentSlot> segment_slots;
  };

  std::uint32_t segments_at(double load) const { return static_cast<std::uint32_t>(options_.slots * load); }

  BatchView view() const {
    return {memory_.key.data(),
            memory_.hash.data(),
            memory_.segment.data(),
            memory_.number.data(),
            n_,
            0,
            1,
            memory_.flow.data(),
            memory_.slot.data(),
            memory_.mark.data(),
            n_};
  }

  FlowTableRef flow_table(std::uint32_t slots) const {
    return {memory_.flow_slots.data(), slots, std::min(slots, 1024u), n_, memory_.states.data(), memory_.free_id.data(),
            memory_.room.data()};
  }

  void clear(std::uint32_t flow_slots, std::uint32_t segment_slots) {
    device_.fill(memory_.flow_slots.data(), 0, flow_slots * sizeof(std::uint64_t));
    device_.fill(memory_.segment_slots.data(), 0xff, segment_slots * sizeof(SegmentSlot));
  }

  template <class Work>
  double seconds_of(Work work) {
    device_.record(Queue::compute, begin_);
    work();
    device_.record(Queue::compute, end_);
    device_.wait_on_host(end_);
    return device_.seconds_between(begin_, end_);
  }

  template <class Work>
  double best(Work work) {
    double best = 1e9;
    for (unsigned r = 0; r <= options_.repeat; ++r) {
      const double seconds = seconds_of(work);
      if (r) best = std::min(best, seconds);
    }
    return best;
  }

  double rate(double seconds) const { return seconds > 0 ? n_ / seconds / 1e9 : 0; }

  void insert_flows(const FlowTableRef& table, unsigned lanes) {
    const FlowClaims claims{memory_.slot_of.data(), memory_.new_flow.data()};
    device_.launch(ClaimFlows{view(), table, claims}, n_, lanes);
    device_.launch(SettleFlows{view(), table, claims}, n_);
  }

  void insert_segments(const SegmentTables& tables, unsigned lanes) {
    device_.launch(InsertSegments{view(), tables}, n_, lanes);
    device_.launch(JudgeSegments{view(), tables.current}, n_);
  }

  void measure(std::uint32_t flow_slots, double load, unsigned lanes) {
    n_ = segments_at(load);
    const auto flows = std::max(1u, static_cast<std::uint32_t>(flow_slots * load));
    const FlowTableRef table = flow_table(flow_slots);
    SegmentTables tables{{memory_.segment_slots.data(), nullptr, options_.slots, SegmentSeed(kHashSeed)}, {}};
    tables.previous.slots = 0;
    device_.launch(MakeSegments{memory_.key.data(), memory_.hash.data(), memory_.segment.data(), flows}, n_);
    double flow_s = 1e9, segment_s = 1e9, both_s = 1e9;
    for (unsigned r = 0; r <= options_.repeat; ++r) {
      clear(flow_slots, options_.slots);
      device_.launch(ListAllIds{table}, n_);
      const double first = seconds_of([&] { insert_flows(table, lanes); });
      const double second = seconds_of([&] { insert_segments(tables, lanes); });
      if (r == 0) continue;
      flow_s = std::min(flow_s, first);
      segment_s = std::min(segment_s, second);
      both_s = std::min(both_s, first + second);
    }
    std::printf("| %.1f | %u | %u | %.2f | %.2f | %.2f |\n", load, flows, lanes, rate(flow_s), rate(segment_s),
                rate(both_s));
    std::fflush(stdout);
  }

  Device& device_;
  const InsertBenchOptions options_;
  std::uint32_t n_;
  Memory memory_;
  typename Device::Event begin_, end_;
};

}  // namespace warpmeter::bench
