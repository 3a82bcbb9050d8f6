// The steps of the Engine that a batch takes, in their order, up to its results. Included by engine.cuh alone.
#pragma once

namespace warpmeter {

template <class Device>
Engine<Device>::Engine(std::unique_ptr<Device> device, const DeviceMeterOptions& options)
    : device_(std::move(device)),
      options_(options),
      plan_(plan_device(options, options.memory ? options.memory : device_->usable_memory())),
      flow_slots_(*device_, plan_.flow_slots),
      states_(*device_, plan_.flows),
      free_ids_(*device_, plan_.flows),
      room_(*device_, 1),
      latest_(*device_, 1),
      work_(*device_, plan_.before, options.batch, options.piece) {
  if (is_exact()) {
    hole_units_ = {*device_, plan_.hole_units};
    hole_rings_ = {*device_, HolePoolRef::ring_places(plan_.hole_units)};
    hole_counters_ = {*device_, 1};
  }
  for (unsigned i = 0; i < 2; ++i) {
    segment_slots_[i] = {*device_, plan_.segment_slots};
    if (options.meter.five_tuple.gap_ns) segment_times_[i] = {*device_, plan_.segment_slots};
  }
  for (Slot& slot : slots_) {
    slot = Slot(*device_, plan_.before, options.batch, plan_.leaving);
    slot.room = {.given = 0, .free = plan_.flows, .released = 0, .open = 1, .refused = 0, .lost = 0};
  }
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
  device_->launch(ListAllIds{flow_table()}, plan_.flows);
  device_->fill(hole_counters_.data(), 0, hole_counters_.bytes());
  device_->fill(latest_.data(), SegmentTableRef::kNoTimeByte, latest_.bytes());
  device_->finish();
  seconds_[static_cast<int>(DeviceStage::clear_flows)] += device_->seconds_since(start);
}

template <class Device>
FlowTableRef Engine<Device>::flow_table() const {
  constexpr std::uint32_t kProbes = 1024;
  return {flow_slots_.data(), plan_.flow_slots, std::min(kProbes, plan_.flow_slots), plan_.flows, states_.data(),
          free_ids_.data(),   room_.data()};
}

template <class Device>
HolePoolRef Engine<Device>::hole_pool() const {
  return {hole_units_.data(), hole_rings_.data(), plan_.hole_units, hole_counters_.data()};
}

template <class Device>
FlowsRef Engine<Device>::flows_ref(Slot& slot) const {
  return {states_.data(),
          room_.data(),
          hole_pool(),
          {slot.leaving.data(), &slot.counts.data()->leaving, latest_.data()},
          options_.meter.timeouts,
          options_.meter.full_counter,
          static_cast<std::uint32_t>(current_block_)};
}

template <class Device>
SegmentTableRef Engine<Device>::segment_table(unsigned which) const {
  return {segment_slots_[which].data(), segment_times_[which].data(), plan_.segment_slots,
          SegmentSeed(options_.hash_seed)};
}

// ---- submit

template <class Device>
void Engine<Device>::submit(const SegmentSpan& batch) {
  device_->enter_thread();
  Slot &slot = slot_of(submitted_), &previous = slot_of(submitted_ + 1);
  copy_in(slot, batch);
  device_->wait(Queue::compute, slot.points[static_cast<int>(Point::copy_end)]);
  keep_earlier_segments(slot, previous);
  if (batch.count) slot.block = block_of(batch.number(0), plan_.block);
  compute(slot, previous);
  ++submitted_;
}

template <class Device>
void Engine<Device>::copy_in(Slot& slot, const SegmentSpan& batch) {
  slot.count = batch.count;
  slot.first_number = batch.first_number;
  device_->wait(Queue::in, slot.earlier_taken);
  device_->record(Queue::in, slot.points[static_cast<int>(Point::copy_begin)]);
  device_->copy_in(slot.key.data(), batch.key, batch.count * sizeof(FlowKey));
  device_->copy_in(slot.hash.data(), batch.hash, batch.count * sizeof(std::uint64_t));
  device_->copy_in(slot.segment.data(), batch.segment, batch.count * sizeof(Segment));
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
void Engine<Device>::compute(Slot& slot, const Slot& previous) {
  const auto reach = [&](Point point) { device_->record(Queue::compute, slot.points[static_cast<int>(point)]); };
  reach(Point::begin);
  if (!is_exact() && slot.count) turn_to_block(slot.block);
  const std::uint64_t block_begin = current_block_ * plan_.block + 1;
  const BatchView view = {slot.key.data(),           slot.hash.data(),  slot.segment.data(),
                          slot.number.data(),        slot.count,        slot.before,
                          slot.first_number,         block_begin,       work_.flow.data(),
                          work_.segment_slot.data(), work_.mark.data(), plan_.flows};
  reach(Point::segments_cleared);
  device_->fill(slot.counts.data(), 0, sizeof(BatchCounts));
  if (is_exact()) device_->launch(RenewHolePool{hole_pool()}, 1);
  make_room(slot, previous.count + slot.count);
  find_flows(view);
  reach(Point::flows_found);
  find_duplicates(view);
  if (!is_exact()) find_retransmissions(view);
  reach(Point::segments_found);
  meter_flows(slot, view);
  list_overflow(slot, view);
  device_->copy(&slot.counts.data()->room, room_.data(), sizeof(FlowRoom));
  device_->copy_out(Queue::compute, slot.host_counts.get(), slot.counts.data(), sizeof(BatchCounts));
  reach(Point::end);
}

template <class Device>
void Engine<Device>::turn_to_block(std::uint64_t block) {
  if (has_current_ && block == current_block_) return;
  has_previous_ = has_current_ && block == current_block_ + 1;
  has_current_ = true;
  current_table_ ^= 1;
  current_block_ = block;
  device_->fill(segment_slots_[current_table_].data(), 0xff, segment_slots_[current_table_].bytes());
  device_->fill(segment_times_[current_table_].data(), SegmentTableRef::kNoTimeByte,
                segment_times_[current_table_].bytes());
}

template <class Device>
void Engine<Device>::find_flows(const BatchView& view) {
  const std::uint32_t n = view.count;
  device_->launch(ClaimFlows{view, flow_table(), work_.slot_of.data()}, n, options_.tile);
  device_->launch(SettleFlows{view, flow_table(), work_.slot_of.data(), work_.new_flow.data()}, n);
  device_->launch(LookUpNewFlows{view, work_.new_flow.data()}, n);
  ids_used_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.flows, std::uint64_t{ids_used_} + n));
}

template <class Device>
void Engine<Device>::find_duplicates(const BatchView& view) {
  const std::uint32_t n = view.before + view.count;
  device_->launch(HashIdentities{view, IdentitySeed(options_.hash_seed), work_.key[0].data(), work_.position[0].data()},
                  n);
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
  device_->launch(ListFlows{view, work_.key[0].data(), work_.position[0].data()}, n);
  device_->sort(work_.key, work_.position, n, bits_of(plan_.flows));
  const FlowRuns runs{work_.key[1].data(), work_.position[1].data(), work_.run.data()};
  device_->launch(FindRuns{runs.flow, plan_.flows, work_.chosen.data()}, n);
  device_->select(work_.chosen.data(), n, work_.run.data(), &counts->runs);
  for_method([&](auto method) {
    auto* piece = reinterpret_cast<SegmentSum<NumbersOf<method>>*>(work_.piece.data());
    device_->launch(SumPieces<method>{view, runs, options_.piece, piece}, n / options_.piece, options_.tile);
    device_->launch_counted(MeterFlows<method>{view, runs, flows_ref(slot), piece, options_.piece}, n, &counts->runs,
                            options_.tile);
  });
}

template <class Device>
void Engine<Device>::list_overflow(Slot& slot, const BatchView& view) {
  std::uint32_t* count = &slot.counts.data()->overflow;
  device_->launch(SelectOverflow{view, work_.chosen.data()}, view.count);
  device_->select(work_.chosen.data(), view.count, slot.overflow.data(), count);
  device_->launch_counted(CopyDuplicates{view, slot.overflow.data(), slot.overflow_duplicate.data()}, view.count,
                          count);
}

}  // namespace warpmeter
