// How many segments a second the kernels take, at several load factors of the tables and for every tile size. A
// template over the device: the bench proper runs on a GPU, its smoke values on the CPU, so that it works when there is
// one.
//
// Memory: one batch of `segments`, resident on the device; nothing is copied while the clock runs. Every figure is the
// best of `repeat` runs over cleared tables (the first one warms up).
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include "bench_traffic.cuh"
#include "device_memory.cuh"
#include "find_duplicates.cuh"
#include "find_flows.cuh"
#include "find_retransmissions.cuh"
#include "meter_flows.cuh"
#include "queue.h"

namespace warpmeter::bench {

struct KernelsBenchOptions {
  std::uint32_t slots = 1 << 25;  // of the segment table; as many segments come as give it a load
  unsigned repeat = 4;
};

constexpr double kHighestLoad = 0.8;

template <class Device>
class KernelsBench {
 public:
  KernelsBench(Device& device, const KernelsBenchOptions& options)
      : device_(device), options_(options), n_(segments_at(kHighestLoad)), memory_(device, n_, options.slots) {
    device_.prepare_sort(n_);
  }

  void run() {
    std::printf("| load | flows | lanes | flow table, G segments/s | segment table | both tables | metering |\n");
    std::printf("|---|---|---|---|---|---|---|\n");
    for (const std::uint32_t flow_slots : {options_.slots / 16, options_.slots}) {
      for (const double load : {0.2, 0.4, 0.6, kHighestLoad}) {
        for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u}) measure(flow_slots, load, lanes);
      }
    }
    measure_the_rest();
  }

 private:
  static constexpr std::uint32_t kPiece = 64;  // as in the product

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
          chosen(device, n),
          run(device, n),
          ids(device, 1),
          latest(device, 1),
          count(device, 2),
          states(device, n),
          records(device, 1 << 16),
          piece(device, n / kPiece),
          flow_slots(device, slots),
          segment_slots(device, slots) {
      for (auto* pair : {&sort_key, &sort_position}) {
        for (auto& array : *pair) array = DeviceArray<Device, std::uint32_t>(device, n);
      }
    }
    DeviceArray<Device, FlowKey> key;
    DeviceArray<Device, std::uint64_t> hash;
    DeviceArray<Device, Segment> segment;
    DeviceArray<Device, std::uint64_t> number;
    DeviceArray<Device, std::uint32_t> flow, slot, slot_of, new_flow;
    DeviceArray<Device, std::uint8_t> mark, chosen;
    DeviceArray<Device, std::uint32_t> run, ids;
    DeviceArray<Device, std::int64_t> latest;
    DeviceArray<Device, std::uint32_t> count;
    DeviceArray<Device, FlowState> states;
    DeviceArray<Device, FlowRecord> records;
    DeviceArray<Device, SegmentSum> piece;
    DeviceArray<Device, std::uint64_t> flow_slots;
    DeviceArray<Device, SegmentSlot> segment_slots;
    DeviceArray<Device, std::uint32_t> sort_key[2], sort_position[2];
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
            1,
            memory_.flow.data(),
            memory_.slot.data(),
            memory_.mark.data(),
            n_};
  }

  FlowTableRef flow_table(std::uint32_t slots) const {
    return {memory_.flow_slots.data(), slots, std::min(slots, 1024u), n_, memory_.states.data(), memory_.ids.data()};
  }

  void make(std::uint32_t flows) {
    device_.launch(MakeSegments{memory_.key.data(), memory_.hash.data(), memory_.segment.data(), flows, 7}, n_);
  }

  void clear(std::uint32_t flow_slots, std::uint32_t segment_slots) {
    device_.fill(memory_.flow_slots.data(), 0, flow_slots * sizeof(std::uint64_t));
    device_.fill(memory_.segment_slots.data(), 0xff, segment_slots * sizeof(SegmentSlot));
    device_.fill(memory_.ids.data(), 0, sizeof(std::uint32_t));
    device_.fill(memory_.latest.data(), SegmentTableRef::kNoTimeByte, sizeof(std::int64_t));
  }

  template <class Work>
  double seconds_of(Work work) {
    device_.record(Queue::compute, begin_);
    work();
    device_.record(Queue::compute, end_);
    device_.wait_on_host(end_);
    return device_.seconds_between(begin_, end_);
  }

  double rate(double seconds) const { return seconds > 0 ? n_ / seconds / 1e9 : 0; }

  void insert_flows(const FlowTableRef& table, unsigned lanes) {
    device_.launch(ClaimFlows{view(), table, memory_.slot_of.data(), true}, n_, lanes);
    device_.launch(SettleFlows{view(), table, memory_.slot_of.data(), memory_.new_flow.data()}, n_);
    device_.launch(LookUpNewFlows{view(), memory_.new_flow.data()}, n_);
  }

  void insert_segments(const SegmentTables& tables, unsigned lanes) {
    device_.launch(InsertSegments{view(), tables}, n_, lanes);
    device_.launch(JudgeSegments{view(), tables.current, nullptr, nullptr}, n_);
  }

  void meter_flows(unsigned lanes) {
    auto* count = memory_.count.data();
    device_.fill(count, 0, memory_.count.bytes());
    device_.launch(ListFlows{view(), memory_.sort_key[0].data(), memory_.sort_position[0].data()}, n_);
    device_.sort(memory_.sort_key, memory_.sort_position, n_, 32);
    device_.launch(FindRuns{memory_.sort_key[1].data(), n_, memory_.chosen.data()}, n_);
    device_.select(memory_.chosen.data(), n_, memory_.run.data(), &count[0]);
    device_.launch(
        SumPieces{view(), memory_.sort_key[1].data(), memory_.sort_position[1].data(), kPiece, memory_.piece.data()},
        n_ / kPiece, lanes);
    const RecordSink sink{memory_.records.data(), &count[1], memory_.latest.data()};
    device_.launch_counted(
        MeterFlows{view(), memory_.sort_key[1].data(), memory_.sort_position[1].data(), memory_.run.data(),
                   memory_.states.data(), sink, Timeouts{}, UINT32_MAX, memory_.piece.data(), kPiece},
        n_, &count[0], lanes);
  }

  void measure(std::uint32_t flow_slots, double load, unsigned lanes) {
    n_ = segments_at(load);
    const auto flows = std::max(1u, static_cast<std::uint32_t>(flow_slots * load));
    const std::uint32_t segment_slots = options_.slots;
    SegmentTables tables{{memory_.segment_slots.data(), nullptr, segment_slots, 7}, {}};
    tables.previous.slots = 0;
    make(flows);
    double flow_s = 1e9, segment_s = 1e9, both_s = 1e9, meter_s = 1e9;
    for (unsigned r = 0; r <= options_.repeat; ++r) {
      clear(flow_slots, segment_slots);
      const double first = seconds_of([&] { insert_flows(flow_table(flow_slots), lanes); });
      const double second = seconds_of([&] { insert_segments(tables, lanes); });
      prepare_metering();
      const double third = seconds_of([&] { meter_flows(lanes); });
      if (r == 0) continue;
      flow_s = std::min(flow_s, first);
      segment_s = std::min(segment_s, second);
      both_s = std::min(both_s, first + second);
      meter_s = std::min(meter_s, third);
    }
    std::printf("| %.1f | %u | %u | %.2f | %.2f | %.2f | %.2f |\n", load, flows, lanes, rate(flow_s), rate(segment_s),
                rate(both_s), rate(meter_s));
    std::fflush(stdout);
  }

  // The bench has no batches before this one: packet numbers are entered here.
  void prepare_metering() {
    device_.launch(HashIdentities{view(), memory_.sort_key[0].data(), memory_.sort_position[0].data()}, n_);
  }

  void measure_the_rest() {
    double duplicates_s = 1e9, clear_s = 1e9;
    const std::uint32_t slots = options_.slots;
    n_ = segments_at(kSegmentLoad);
    for (unsigned r = 0; r <= options_.repeat; ++r) {
      const double first = seconds_of([&] {
        device_.launch(HashIdentities{view(), memory_.sort_key[0].data(), memory_.sort_position[0].data()}, n_);
        device_.sort(memory_.sort_key, memory_.sort_position, n_, 32);
        device_.launch(FindDuplicates{view(), memory_.sort_key[1].data(), memory_.sort_position[1].data(), {}}, n_);
      });
      const double second = seconds_of([&] { clear(slots, slots); });
      if (r == 0) continue;
      duplicates_s = std::min(duplicates_s, first);
      clear_s = std::min(clear_s, second);
    }
    std::printf("\nduplicate check: %.2f G segments/s; clearing both tables (%u slots each): %.3f ms\n",
                rate(duplicates_s), slots, clear_s * 1e3);
  }

  Device& device_;
  const KernelsBenchOptions options_;
  std::uint32_t n_;
  Memory memory_;
  typename Device::Event begin_, end_;
};

}  // namespace warpmeter::bench
