// What it costs to make the flow table anew and to look for idle flows: things that no batch of the batch bench needs.
// Half of the flow ids are in use.
#pragma once

#include <algorithm>
#include <cstdio>

#include "bench_traffic.cuh"
#include "device_memory.cuh"
#include "end_flows.cuh"
#include "rehash_flow_table.cuh"

namespace warpmeter::bench {

// A thread a flow id: every second one is in use.
struct UseEverySecond {
  FlowTableRef table;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t id) const {
    FlowState& f = table.state[id];
    f.key = numbered_key(id);
    f.bits = id % 2 ? kInUse : 0;
    f.holes = 0;
    f.end_ns = 1;
  }
};

template <class Device>
class RehashBench {
 public:
  RehashBench(Device& device, std::uint32_t flows, unsigned repeat)
      : device_(device),
        flows_(flows),
        repeat_(repeat),
        slots_(slots_for(flows)),
        slot_(device, slots_),
        state_(device, flows),
        free_id_(device, flows),
        room_(device, 1),
        latest_(device, 1),
        counts_(device, 2) {}

  void run() {
    device_.launch(UseEverySecond{table()}, flows_);
    device_.fill(latest_.data(), 0, latest_.bytes());
    device_.fill(counts_.data(), 0, counts_.bytes());
    report("clearing its slots", slots_, best([&] { clear(); }));
    for (const unsigned lanes : {1u, 4u, 32u}) {
      const auto tiles = static_cast<std::uint32_t>((std::uint64_t{flows_} + lanes - 1) / lanes);
      const double seconds = best([&] {
        clear();
        device_.launch(BeginRehash{room_.data(), false}, 1);
        device_.launch(RehashFlowTable{table(), kHashSeed}, tiles, lanes);
      });
      char what[64];
      std::snprintf(what, sizeof what, "making it anew, %u lanes", lanes);
      report(what, flows_, seconds);
    }
    report("listing all ids", flows_, best([&] { device_.launch(ListAllIds{table()}, flows_); }));
    // Nobody is idle: what a batch pays for looking, flow by flow.
    const FlowsRef ref{state_.data(),
                       room_.data(),
                       nullptr,
                       {},
                       {nullptr, &counts_.data()[0], latest_.data()},
                       {.idle_ns = 1'000'000, .active_ns = 0},
                       UINT32_MAX,
                       0,
                       nullptr};
    device_.launch(UseEverySecond{table()}, flows_);
    report("looking for idle flows", flows_, best([&] {
             device_.launch(ExpireIdleFlows<Method::exact>{ref, 0, &counts_.data()[1], 0}, flows_);
           }));
    std::printf("\n");
  }

 private:
  static std::uint32_t slots_for(std::uint32_t flows) {
    std::uint32_t slots = 64;
    while (slots * 0.6 < flows) slots *= 2;
    return slots;
  }

  FlowTableRef table() const {
    return {slot_.data(), slots_, std::min(slots_, 1024u), flows_, state_.data(), free_id_.data(), room_.data()};
  }

  void clear() { device_.fill(slot_.data(), 0, slot_.bytes()); }

  template <class Work>
  double best(const Work& work) {
    double best = 1e9;
    for (unsigned r = 0; r <= repeat_; ++r) {
      device_.record(Queue::compute, begin_);
      work();
      device_.record(Queue::compute, end_);
      device_.wait_on_host(end_);
      if (r) best = std::min(best, device_.seconds_between(begin_, end_));
    }
    return best;
  }

  void report(const char* what, std::uint64_t items, double seconds) const {
    std::printf("flow table of %u flows, %s: %.3f ms, %.2f G/s\n", flows_, what, seconds * 1e3,
                seconds > 0 ? static_cast<double>(items) / seconds / 1e9 : 0);
    std::fflush(stdout);
  }

  Device& device_;
  const std::uint32_t flows_;
  const unsigned repeat_;
  const std::uint32_t slots_;
  DeviceArray<Device, std::uint64_t> slot_;
  DeviceArray<Device, FlowState> state_;
  DeviceArray<Device, std::uint32_t> free_id_;
  DeviceArray<Device, FlowRoom> room_;
  DeviceArray<Device, std::int64_t> latest_;
  DeviceArray<Device, std::uint32_t> counts_;
  typename Device::Event begin_, end_;
};

}  // namespace warpmeter::bench
