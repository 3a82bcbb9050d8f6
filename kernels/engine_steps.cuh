// The steps of the Engine, in the order in which a batch takes them. Included by engine.cuh alone.
#pragma once

namespace warpmeter {

template <class Device>
Engine<Device>::Engine(std::unique_ptr<Device> device, const DeviceMeterOptions& options)
    : device_(std::move(device)),
      options_(options),
      plan_(plan_device(options, options.memory ? options.memory : device_->usable_memory())),
      flow_slots_(*device_, plan_.flow_slots),
      states_(*device_, plan_.flows),
      ids_given_(*device_, 1),
      latest_(*device_, 1),
      work_(*device_, plan_.before, options.batch, options.piece) {
  for (unsigned i = 0; i < 2; ++i) {
    segment_slots_[i] = {*device_, plan_.segment_slots};
    if (options.meter.five_tuple.gap_ns) segment_times_[i] = {*device_, plan_.segment_slots};
  }
  for (Slot& slot : slots_) slot = Slot(*device_, plan_.before, options.batch);
  device_->prepare_sort(plan_.before + options.batch);
  clear_tables();
}

// How many bits numbers up to `largest` have.
inline unsigned bits_of(std::uint32_t largest) {
  unsigned bits = 1;
  while (bits < 32 && largest >> bits) ++bits;
  return bits;
}

template <class Device>
void Engine<Device>::clear_tables() {
  const auto start = device_->now();
  device_->fill(flow_slots_.data(), 0, flow_slots_.bytes());
  device_->fill(ids_given_.data(), 0, ids_given_.bytes());
  device_->fill(latest_.data(), SegmentTableRef::kNoTimeByte, latest_.bytes());
  device_->finish();
  seconds_[static_cast<int>(DeviceStage::clear_flows)] += device_->seconds_since(start);
}

template <class Device>
FlowTableRef Engine<Device>::flow_table() const {
  constexpr std::uint32_t kProbes = 1024;
  return {flow_slots_.data(), plan_.flow_slots, std::min(kProbes, plan_.flow_slots),
          plan_.flows,        states_.data(),   ids_given_.data()};
}

template <class Device>
SegmentTableRef Engine<Device>::segment_table(unsigned which) const {
  return {segment_slots_[which].data(), segment_times_[which].data(), plan_.segment_slots, options_.hash_seed};
}

// ---- submit

template <class Device>
void Engine<Device>::submit(const SegmentBatch& batch) {
  device_->enter_thread();
  Slot &slot = slot_of(submitted_), &previous = slot_of(submitted_ + 1);
  const bool claiming = may_claim(slot, previous, batch.count);
  copy_in(slot, batch);
  device_->wait(Queue::compute, slot.points[static_cast<int>(Point::copy_end)]);
  keep_earlier_segments(slot, previous);
  compute(slot, claiming);
  ++submitted_;
}

// Does the flow table surely have room for as many new keys as the batch has segments? Once it had not, it is closed.
// What is known is always as of the batch before the last one, so that it does not depend on who was faster.
template <class Device>
bool Engine<Device>::may_claim(const Slot& slot, const Slot& previous, std::uint32_t count) {
  open_ = open_ && std::uint64_t{slot.flows_after} + previous.count + count <= plan_.flows;
  return open_;
}

template <class Device>
void Engine<Device>::copy_in(Slot& slot, const SegmentBatch& batch) {
  slot.count = batch.count;
  slot.first_number = batch.first_number;
  device_->wait(Queue::in, slot.earlier_taken);
  device_->record(Queue::in, slot.points[static_cast<int>(Point::copy_begin)]);
  device_->copy_in(slot.key.data(), batch.key.data(), batch.count * sizeof(FlowKey));
  device_->copy_in(slot.hash.data(), batch.hash.data(), batch.count * sizeof(std::uint64_t));
  device_->copy_in(slot.segment.data(), batch.segment.data(), batch.count * sizeof(Segment));
  device_->record(Queue::in, slot.points[static_cast<int>(Point::copy_end)]);
}

// The duplicate check looks back over `window` packets, so over at most as many segments.
template <class Device>
void Engine<Device>::keep_earlier_segments(Slot& slot, Slot& previous) {
  slot.before = before_;
  const auto keep = [&](const auto& to, const auto& from) {
    device_->copy(to.data() - before_, from.data() + previous.count - before_, before_ * sizeof(*to.data()));
  };
  if (before_) {
    keep(slot.key, previous.key);
    keep(slot.hash, previous.hash);
    keep(slot.segment, previous.segment);
    keep(slot.number, previous.number);
  }
  device_->record(Queue::compute, previous.earlier_taken);
  before_ = std::min(plan_.before, before_ + slot.count);
}

// ---- compute

template <class Device>
void Engine<Device>::compute(Slot& slot, bool may_claim) {
  const auto reach = [&](Point point) { device_->record(Queue::compute, slot.points[static_cast<int>(point)]); };
  reach(Point::begin);
  turn_to_block(block_of(slot.first_number, plan_.block));
  slot.block_begin = current_block_ * plan_.block + 1;
  const BatchView view = {slot.key.data(),           slot.hash.data(),  slot.segment.data(),
                          slot.number.data(),        slot.count,        slot.before,
                          slot.first_number,         slot.block_begin,  work_.flow.data(),
                          work_.segment_slot.data(), work_.mark.data(), plan_.flows};
  reach(Point::segments_cleared);
  find_flows(view, may_claim);
  reach(Point::flows_found);
  find_duplicates(view);
  find_retransmissions(view);
  reach(Point::segments_found);
  meter_flows(slot, view);
  device_->copy_out(Queue::compute, slot.host_counts.get(), slot.counts.data(), sizeof(BatchCounts));
  reach(Point::end);
}

template <class Device>
void Engine<Device>::turn_to_block(std::uint64_t block) {
  if (submitted_ > 0 && block == current_block_) return;
  const bool next = submitted_ > 0 && block == current_block_ + 1;
  has_previous_ = next;
  current_table_ ^= 1;
  current_block_ = block;
  device_->fill(segment_slots_[current_table_].data(), 0xff, segment_slots_[current_table_].bytes());
  device_->fill(segment_times_[current_table_].data(), SegmentTableRef::kNoTimeByte,
                segment_times_[current_table_].bytes());
}

template <class Device>
void Engine<Device>::find_flows(const BatchView& view, bool may_claim) {
  const std::uint32_t n = view.count;
  device_->launch(ClaimFlows{view, flow_table(), work_.slot_of.data(), may_claim}, n, options_.tile);
  device_->launch(SettleFlows{view, flow_table(), work_.slot_of.data(), work_.new_flow.data()}, n);
  device_->launch(LookUpNewFlows{view, work_.new_flow.data()}, n);
}

template <class Device>
void Engine<Device>::find_duplicates(const BatchView& view) {
  const std::uint32_t n = view.before + view.count;
  device_->launch(HashIdentities{view, work_.key[0].data(), work_.position[0].data()}, n);
  device_->sort(work_.key, work_.position, n, 32);
  device_->launch(FindDuplicates{view, work_.key[1].data(), work_.position[1].data(), options_.meter.duplicates}, n);
}

template <class Device>
void Engine<Device>::find_retransmissions(const BatchView& view) {
  SegmentTables tables{segment_table(current_table_), segment_table(current_table_ ^ 1)};
  if (!has_previous_) tables.previous.slots = 0;
  const std::int64_t gap_ns = options_.meter.five_tuple.gap_ns;
  const std::uint32_t n = view.count;
  device_->launch(InsertSegments{view, tables}, n, options_.tile);
  device_->launch(JudgeSegments{view, tables.current, work_.key[0].data(), work_.position[0].data()}, n);
  if (!gap_ns) return;
  device_->sort(work_.key, work_.position, n, 32);
  device_->launch(JudgeByTime{view, tables, work_.key[1].data(), work_.position[1].data(), gap_ns}, n);
}

template <class Device>
void Engine<Device>::meter_flows(Slot& slot, const BatchView& view) {
  const std::uint32_t n = view.count;
  BatchCounts* counts = slot.counts.data();
  device_->fill(counts, 0, sizeof(BatchCounts));
  device_->launch(SelectOverflow{view, work_.chosen.data()}, n);
  device_->select(work_.chosen.data(), n, slot.overflow.data(), &counts->overflow);
  device_->launch(ListFlows{view, work_.key[0].data(), work_.position[0].data()}, n);
  device_->sort(work_.key, work_.position, n, bits_of(plan_.flows));
  device_->launch(FindRuns{work_.key[1].data(), plan_.flows, work_.chosen.data()}, n);
  device_->select(work_.chosen.data(), n, work_.run.data(), &counts->runs);
  device_->launch(SumPieces{view, work_.key[1].data(), work_.position[1].data(), options_.piece, work_.piece.data()},
                  n / options_.piece, options_.tile);
  const RecordSink sink{slot.records.data(), &counts->records, latest_.data()};
  device_->launch_counted(
      MeterFlows{view, work_.key[1].data(), work_.position[1].data(), work_.run.data(), states_.data(), sink,
                 options_.meter.timeouts, options_.meter.full_counter, work_.piece.data(), options_.piece},
      n, &counts->runs, options_.tile);
  device_->copy(&counts->ids_given, ids_given_.data(), sizeof(std::uint32_t));
}

// ---- collect and drain

template <class Device>
void Engine<Device>::collect(Result& result) {
  device_->enter_thread();
  Slot& slot = slot_of(collected_);
  device_->wait_on_host(slot.points[static_cast<int>(Point::end)]);
  const BatchCounts counts = *slot.host_counts.get();
  result.finished.clear();
  const auto start = device_->now();
  copy_records(slot.records, counts.records, result.finished);
  result.overflow.resize(counts.overflow);
  device_->copy_out(Queue::out, result.overflow.data(), slot.overflow.data(), counts.overflow * sizeof(std::uint32_t));
  device_->finish(Queue::out);
  seconds_[static_cast<int>(DeviceStage::copy_out)] += device_->seconds_since(start);
  stash_.settle(result.finished);
  add_stage_times(slot);
  ++collected_;
  slot.flows_after = flows_known_ = counts.ids_given;
}

template <class Device>
void Engine<Device>::copy_records(const DeviceArray<Device, FlowRecord>& from, std::uint32_t count,
                                  std::vector<FlowRecord>& to) {
  const std::size_t old = to.size();
  to.resize(old + count);
  device_->copy_out(Queue::out, to.data() + old, from.data(), count * sizeof(FlowRecord));
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
bool Engine<Device>::drain(std::int64_t trace_end_ns, std::vector<FlowRecord>& ended) {
  device_->enter_thread();
  ended.clear();
  Slot& slot = slots_[0];
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(flows_known_ - drained_, options_.batch));
  if (count == 0) return false;
  device_->fill(slot.counts.data(), 0, sizeof(BatchCounts));
  const RecordSink sink{slot.records.data(), &slot.counts.data()->records, latest_.data()};
  device_->launch(DrainFlows{states_.data(), static_cast<std::uint32_t>(drained_), sink, trace_end_ns,
                             options_.meter.timeouts.idle_ns},
                  count);
  device_->copy_out(Queue::compute, slot.host_counts.get(), slot.counts.data(), sizeof(BatchCounts));
  device_->finish(Queue::compute);
  const auto start = device_->now();
  copy_records(slot.records, slot.host_counts.get()->records, ended);
  device_->finish(Queue::out);
  seconds_[static_cast<int>(DeviceStage::copy_out)] += device_->seconds_since(start);
  stash_.settle(ended);
  drained_ += count;
  return true;
}

}  // namespace warpmeter
