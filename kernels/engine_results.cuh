// What the Engine gives back: the results of a batch, and at the end the flows that still live. Included by engine.cuh
// alone.
#pragma once

#include <cstring>

namespace warpmeter {

template <class Device>
void Engine<Device>::collect(Result& result) {
  device_->enter_thread();
  Slot& slot = slot_of(collected_);
  device_->wait_on_host(slot.points[static_cast<int>(Point::end)]);
  const BatchCounts counts = *slot.host_counts.get();
  const auto start = device_->now();
  const std::vector<Leaving> leaving = copy_leaving(slot, counts.leaving);
  copy_overflow(slot, counts.overflow, result);
  device_->finish(Queue::out);
  result.finished.clear();
  result.handed_over.clear();
  spilled_.join(leaving, result.finished);
  add_handed_over(leaving, result.handed_over);
  seconds_[static_cast<int>(DeviceStage::copy_out)] += device_->seconds_since(start);
  add_stage_times(slot);
  note_room(slot, counts.room);
  ++collected_;
}

template <class Device>
void Engine<Device>::copy_overflow(Slot& slot, std::uint32_t count, Result& result) {
  result.overflow.resize(count);
  result.duplicate.resize(count);
  device_->copy_out(Queue::out, result.overflow.data(), slot.overflow.data(), count * sizeof(std::uint32_t));
  device_->copy_out(Queue::out, result.duplicate.data(), slot.overflow_duplicate.data(), count);
}

template <class Device>
void Engine<Device>::add_handed_over(const std::vector<Leaving>& leaving, std::vector<HandedOverFlow>& flows) {
  for (const Leaving& one : leaving) {
    if (one.kind != Leaving::Kind::state) continue;
    const FlowState state = one.state();
    flows.push_back({state, holes_of(state, one.hole_class), spilled_.take(state)});
  }
}

// The block is as the flow left it: the next batch may give it back, and the one after that take it, but this one is
// submitted only when the present one is collected (kMostInFlight).
template <class Device>
std::vector<Hole> Engine<Device>::holes_of(const FlowState& state, std::uint8_t hole_class) {
  static_assert(kMostInFlight == 2);
  if (!state.holes) return {};
  std::vector<Hole> holes(holes_of_class(hole_class) + 1);
  device_->copy_out(Queue::out, holes.data(), hole_units_.data() + (state.holes - 1), holes.size() * sizeof(Hole));
  device_->finish(Queue::out);
  HoleBlock head;
  std::memcpy(&head, holes.data(), sizeof head);
  holes.erase(holes.begin());
  holes.resize(head.count);
  return holes;
}

template <class Device>
void Engine<Device>::note_room(Slot& slot, const FlowRoom& room) {
  if (room.lost) throw DeviceError("a flow found no place in the flow table when it was made anew");
  slot.room = room;
  most_flows_ = std::max<std::uint64_t>(most_flows_, plan_.flows - (room.free - room.given) - room.released);
}

// There once the queue "out" is finished.
template <class Device>
std::vector<Leaving> Engine<Device>::copy_leaving(const Slot& slot, std::uint32_t count) {
  std::vector<Leaving> leaving(count);
  device_->copy_out(Queue::out, leaving.data(), slot.leaving.data(), count * sizeof(Leaving));
  return leaving;
}

template <class Device>
void Engine<Device>::add_stage_times(Slot& slot) {
  const auto add = [&](DeviceStage stage, Point from, Point to) {
    seconds_[static_cast<int>(stage)] +=
        device_->seconds_between(slot.points[static_cast<int>(from)], slot.points[static_cast<int>(to)]);
  };
  add(DeviceStage::copy_in, Point::copy_begin, Point::copy_end);
  add(DeviceStage::clear_segments, Point::begin, Point::segments_cleared);
  add(DeviceStage::insert_flows, Point::segments_cleared, Point::flows_found);
  add(DeviceStage::insert_segments, Point::flows_found, Point::segments_found);
  add(DeviceStage::insert_flows, Point::segments_found, Point::end);
}

template <class Device>
std::int64_t Engine<Device>::latest_ns() {
  std::int64_t latest;
  device_->enter_thread();
  device_->copy_out(Queue::out, &latest, latest_.data(), sizeof latest);
  device_->finish(Queue::out);
  return latest == SegmentTableRef::kNoTime ? std::numeric_limits<std::int64_t>::min() : latest;
}

template <class Device>
bool Engine<Device>::drain(std::int64_t trace_end_ns, std::vector<Partial>& ended) {
  device_->enter_thread();
  ended.clear();
  Slot& slot = slots_[0];
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(ids_used_ - drained_, options_.batch));
  if (count == 0) return false;
  device_->fill(slot.counts.data(), 0, sizeof(BatchCounts));
  for_method([&](auto method) {
    device_->launch(DrainFlows<method>{flows_ref(slot), static_cast<std::uint32_t>(drained_), trace_end_ns}, count);
  });
  device_->copy_out(Queue::compute, slot.host_counts.get(), slot.counts.data(), sizeof(BatchCounts));
  device_->finish(Queue::compute);
  const auto start = device_->now();
  const std::vector<Leaving> leaving = copy_leaving(slot, slot.host_counts.get()->leaving);
  device_->finish(Queue::out);
  seconds_[static_cast<int>(DeviceStage::copy_out)] += device_->seconds_since(start);
  spilled_.join(leaving, ended);
  drained_ += count;
  return true;
}

}  // namespace warpmeter
