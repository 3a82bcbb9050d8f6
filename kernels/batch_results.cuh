// Brings what came of a batch back to the host: what leaves the device, and the segments that the CPU has to meter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "batch_slot.cuh"
#include "core/device_meter.h"
#include "core/flow_state.h"
#include "core/partial.h"
#include "device_memory.cuh"
#include "device_output.cuh"
#include "flow_memory.cuh"

namespace warpmeter {

// Counters that a flow's device state handed over before they could overflow, until the partial of that part comes.
// Threads: one owner.
class SpilledCounters {
 public:
  // Keeps the spilled counters among `leaving`, and puts its partials behind `partials`.
  void join(std::span<const DeviceOutput> leaving, std::vector<Partial>& partials);

  // Adds to each of them what its part had spilled, which may have come behind it. Throws DeviceError if that has not
  // come. REQUIRES: of the calls of join() since the last time, these are the partials.
  void settle(std::vector<Partial>& partials);

  // Those of the part that this state describes; nothing if it has spilled none. Throws DeviceError if there are none.
  std::optional<FlowRecord> take(const FlowState& state);

 private:
  void add(const Partial& counters);
  using Place = std::vector<Partial>::iterator;
  Place find(const FlowKey& key, std::uint64_t arrival);
  Partial take(const FlowKey& key, std::uint64_t arrival);

  std::vector<Partial> spilled_;        // a flow needs 4 G packets to get here: few, if any
  std::vector<std::size_t> unsettled_;  // places of partials
};

inline SpilledCounters::Place SpilledCounters::find(const FlowKey& key, std::uint64_t arrival) {
  return std::find_if(spilled_.begin(), spilled_.end(),
                      [&](const Partial& spilled) { return spilled.arrival == arrival && spilled.key == key; });
}

inline void SpilledCounters::add(const Partial& counters) {
  const Place known = find(counters.key, counters.arrival);
  if (known == spilled_.end()) spilled_.push_back(counters);
  else add_counters(*known, counters);
}

inline Partial SpilledCounters::take(const FlowKey& key, std::uint64_t arrival) {
  const Place known = find(key, arrival);
  if (known == spilled_.end()) throw DeviceError("the counters that a flow had spilled did not come");
  const Partial counters = *known;
  spilled_.erase(known);
  return counters;
}

inline void SpilledCounters::join(std::span<const DeviceOutput> leaving, std::vector<Partial>& partials) {
  for (const DeviceOutput& one : leaving) {
    switch (one.kind) {
      case DeviceOutput::Kind::partial_with_spilled: unsettled_.push_back(partials.size()); [[fallthrough]];
      case DeviceOutput::Kind::partial: partials.push_back(one.partial); break;
      case DeviceOutput::Kind::spilled_counters: add(one.partial); break;
      case DeviceOutput::Kind::state: break;
    }
  }
}

inline void SpilledCounters::settle(std::vector<Partial>& partials) {
  for (const std::size_t place : std::exchange(unsettled_, {})) {
    Partial& partial = partials[place];
    add_counters(partial, take(partial.key, partial.arrival));
  }
}

inline std::optional<FlowRecord> SpilledCounters::take(const FlowState& state) {
  if (!(state.bits & kCountersSpilled)) return std::nullopt;
  return take(state.key, state.arrival);
}

// Threads: one, that of collect() and drain().
template <class Device>
class BatchResults {
 public:
  // `most`: what leaves with a batch at most.
  BatchResults(Device& device, FlowMemory<Device>& flows, std::size_t most)
      : device_(device),
        flows_(flows),
        piece_(std::clamp<std::size_t>(most / 4, 1, kMostOfPiece), &device.host_memory()) {}

  // All of a batch that is through, with these counts.
  void collect(const BatchSlotOnDevice<Device>& slot, const BatchCounts& counts, DeviceMeter::Result& result) {
    result.finished.clear();
    result.handed_over.clear();
    copy_overflow(slot, counts.overflow, result);
    bring(slot, counts.leaving, result.finished);
    for (const DeviceOutput& one : std::exchange(states_, {})) {
      const FlowState state = one.state();
      result.handed_over.push_back({state, flows_.holes_of(state, one.hole_class), spilled_.take(state), {}});
      if (state.strays) result.handed_over.back().stray = one.stray();
    }
  }

  // The same where no flow can have been handed over.
  void collect_partials(const BatchSlotOnDevice<Device>& slot, const BatchCounts& counts, std::vector<Partial>& ended) {
    bring(slot, counts.leaving, ended);
  }

 private:
  static constexpr std::size_t kMostOfPiece = 1 << 14;  // 4 MB: a copy of so much is about as fast as one of all

  // In pieces through memory that the device copies to fast: to other memory it is ten times slower, and making that
  // anew for each batch is slower still.
  void bring(const BatchSlotOnDevice<Device>& slot, std::uint32_t count, std::vector<Partial>& partials) {
    for (std::size_t begin = 0; begin < count; begin += piece_.size()) {
      const std::span<const DeviceOutput> piece(piece_.data(), std::min(piece_.size(), count - begin));
      device_.copy_out(Queue::out, piece_.data(), slot.leaving.data() + begin, piece.size_bytes());
      device_.finish(Queue::out);
      spilled_.join(piece, partials);
      for (const DeviceOutput& one : piece) {
        if (one.kind == DeviceOutput::Kind::state) states_.push_back(one);
      }
    }
    spilled_.settle(partials);
  }

  void copy_overflow(const BatchSlotOnDevice<Device>& slot, std::uint32_t count, DeviceMeter::Result& result) {
    overflow_.resize(count);
    result.overflow.resize(count);
    result.duplicate.resize(count);
    if (count == 0) return;
    device_.copy_out(Queue::out, overflow_.data(), slot.overflow.data(), count * sizeof(OverflowSegment));
    device_.finish(Queue::out);
    std::sort(overflow_.begin(), overflow_.end());
    for (std::uint32_t i = 0; i < count; ++i) {
      result.overflow[i] = overflow_[i].position();
      result.duplicate[i] = overflow_[i].is_duplicate();
    }
  }

  Device& device_;
  FlowMemory<Device>& flows_;
  std::pmr::vector<DeviceOutput> piece_;
  SpilledCounters spilled_;
  std::vector<DeviceOutput> states_;  // of flows that are handed over
  std::vector<OverflowSegment> overflow_;
};

}  // namespace warpmeter
