// The flow states of a device, the records that they become, and the kernels that bring a batch to them, as the Engine
// does it; and the same by a plain loop, packet by packet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "kernels/device_batch.h"
#include "kernels/flow_traffic.h"
#include "meter_flows.cuh"
#include "segment_table.cuh"

namespace warpmeter::test {

struct FlowOptions {
  Timeouts timeouts{1000, 4000};
  std::uint32_t full_counter = UINT32_MAX;
};

// Where flows live and what has come of them.
struct MeteredFlows {
  explicit MeteredFlows(std::uint32_t flows) : state(flows) {
    for (std::uint32_t flow = 0; flow < flows; ++flow) {
      std::memset(static_cast<void*>(&state[flow]), 0xa5, sizeof(FlowState));
      state[flow].key = numbered_key(flow);
      state[flow].bits = 0;
    }
  }

  // In an order that does not depend on who was first.
  void sort_records() {
    const auto bytes_before = [](const FlowRecord& a, const FlowRecord& b) {
      const int order = arrival_order(a, b);
      return order ? order < 0 : std::memcmp(&a, &b, sizeof a) < 0;
    };
    std::sort(records.begin(), records.end(), bytes_before);
  }

  std::vector<FlowState> state;
  std::vector<FlowRecord> records;
  std::int64_t latest_ns = SegmentTableRef::kNoTime;
};

// A sink with room for just as many records as a launch may make; they go to `flows` afterwards.
class SinkMemory {
 public:
  SinkMemory(MeteredFlows& flows, std::size_t most) : flows_(flows), record_(most) {}
  ~SinkMemory() { flows_.records.insert(flows_.records.end(), record_.begin(), record_.begin() + count_); }
  RecordSink sink() { return {record_.data(), &count_, &flows_.latest_ns}; }

 private:
  MeteredFlows& flows_;
  std::vector<FlowRecord> record_;
  std::uint32_t count_ = 0;
};

// The sorted order of a batch, and where its runs begin.
struct FlowRuns {
  template <class Device>
  FlowRuns(Device& device, const BatchView& view) {
    const std::uint32_t n = view.count;
    for (auto* columns : {&flow, &position}) {
      for (auto& column : *columns) column.resize(n);
    }
    std::vector<std::uint8_t> chosen(n);
    std::uint32_t count = 0;
    run.resize(n);
    device.launch(ListFlows{view, flow[0].data(), position[0].data()}, n);
    device.sort(flow, position, n, 32);
    device.launch(FindRuns{flow[1].data(), view.no_flow, chosen.data()}, n);
    device.select(chosen.data(), n, run.data(), &count);
    run.resize(count);
  }

  std::vector<std::uint32_t> flow[2], position[2];  // before and after the sort
  std::vector<std::uint32_t> run;
};

// `wrapped(kernel)` is launched in place of the metering kernel.
template <class Device, class Wrap = std::identity>
void meter_batch(Device& device, const std::vector<MarkedPacket>& batch, const FlowOptions& options, unsigned tile,
                 std::uint32_t piece_size, MeteredFlows& flows, const Wrap& wrapped = {}) {
  std::vector<Packet> packets;
  for (const MarkedPacket& m : batch) packets.push_back(m.packet);
  DeviceBatch columns(packets, 0, packets.size(), 0, static_cast<std::uint32_t>(flows.state.size()));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    columns.flow[i] = batch[i].flow;
    columns.mark[i] = batch[i].mark;
  }
  const BatchView view = columns.view();
  FlowRuns runs(device, view);
  std::vector<SegmentSum> piece(piece_size ? view.count / piece_size : 0);
  const std::uint32_t *flow = runs.flow[1].data(), *position = runs.position[1].data();
  if (piece_size) {
    device.launch(SumPieces{view, flow, position, piece_size, piece.data()}, static_cast<std::uint32_t>(piece.size()),
                  tile);
  }
  SinkMemory memory(flows, view.count);
  device.launch(wrapped(MeterFlows{view, flow, position, runs.run.data(), flows.state.data(), memory.sink(),
                                   options.timeouts, options.full_counter, piece.data(), piece_size}),
                static_cast<std::uint32_t>(runs.run.size()), tile);
}

inline void meter_batch_plainly(const std::vector<MarkedPacket>& batch, const FlowOptions& options,
                                MeteredFlows& flows) {
  SinkMemory memory(flows, batch.size());
  const RecordSink sink = memory.sink();
  for (const MarkedPacket& m : batch) {
    if (m.flow == flows.state.size()) continue;
    FlowState& f = flows.state[m.flow];
    FlowStep{f, sink, options.timeouts, options.full_counter}.packet(m.packet.segment, m.packet.number, m.mark);
    flows.latest_ns = std::max(flows.latest_ns, m.packet.segment.time_ns);
  }
}

// The end of the input. The flows stay as they are.
template <class Device>
void drain_flows(Device& device, MeteredFlows& flows, std::uint32_t begin, std::uint32_t end, std::int64_t trace_end_ns,
                 std::int64_t idle_ns) {
  SinkMemory memory(flows, end - begin);
  device.launch(DrainFlows{flows.state.data(), begin, memory.sink(), trace_end_ns, idle_ns}, end - begin);
}

}  // namespace warpmeter::test
