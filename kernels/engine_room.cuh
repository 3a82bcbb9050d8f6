// How the Engine keeps room for new flows: idle ones are let go, some at a time, and when their ids are needed the flow
// table is made anew. Included by engine.cuh alone.
#pragma once

namespace warpmeter {

// `wanted`: new keys that may have come since what is known of the room. That is as of the batch before the last one,
// whoever is faster, and what must not be wrong is decided by BeginBatch.
template <class Device>
void Engine<Device>::make_room(Slot& slot, std::uint32_t wanted) {
  constexpr std::uint32_t kLiveShare = 2, kReleasedShare = 8;
  const FlowRoom& known = slot.room;
  const std::uint32_t left = known.free - known.given;
  if (left + known.released < plan_.flows / kLiveShare) let_idle_go(slot);
  const bool known_since = submitted_ >= renewed_ + kMostInFlight;
  if (known.open && left < wanted && known_since && known.released > plan_.flows / kReleasedShare) {
    renew_flow_table(false);
  }
  device_->launch(BeginBatch{room_.data(), slot.count}, 1);
}

// Some of the flows at a time, so that no batch has to wait long.
template <class Device>
void Engine<Device>::let_idle_go(Slot& slot) {
  if (!options_.meter.timeouts.idle_ns) return;
  const std::uint64_t at_a_time = std::max<std::uint64_t>(std::uint64_t{options_.batch} * 4, 1024);
  if (swept_ >= ids_used_) swept_ = 0;
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(ids_used_ - swept_, at_a_time));
  for_method([&](auto method) {
    device_->launch(LetIdleGo<method>{flows_ref(slot), swept_, &slot.counts.data()->idle, plan_.leaving}, count);
  });
  swept_ += count;
}

template <class Device>
void Engine<Device>::renew_flow_table(bool again) {
  device_->fill(flow_slots_.data(), 0, flow_slots_.bytes());
  device_->launch(BeginRenewal{room_.data(), again}, 1);
  const std::uint32_t tiles = (plan_.flows + options_.tile - 1) / options_.tile;
  device_->launch(RenewFlowTable{flow_table(), options_.hash_seed}, tiles, options_.tile);
  ids_used_ = plan_.flows;  // those that are free lie in no order
  renewed_ = submitted_;
}

template <class Device>
std::uint32_t Engine<Device>::room_again() {
  constexpr std::uint32_t kShare = 4;
  const FlowRoom& known = slot_of(submitted_).room;
  const std::uint32_t free = known.free - known.given + known.released;
  const bool known_since = submitted_ >= renewed_ + kMostInFlight;
  // As many released flows may have come again in the batch that is not known yet.
  const bool enough = free > plan_.flows / kShare && free > options_.batch;
  return is_exact() && !known.open && known_since && enough ? free - options_.batch : 0;
}

template <class Device>
void Engine<Device>::take_again(std::span<const FlowOnCpu> on_cpu) {
  device_->enter_thread();
  device_->launch(ForgetFlowsOnCpu{states_.data(), hole_pool()}, ids_used_);
  renew_flow_table(true);
  // Not all at once: there may be many, and most of the memory is taken.
  const DeviceArray<Device, FlowOnCpu> flows(*device_, std::min<std::size_t>(on_cpu.size(), options_.batch));
  while (!on_cpu.empty()) {
    const std::span<const FlowOnCpu> some = on_cpu.first(std::min(on_cpu.size(), flows.count()));
    device_->copy_in(flows.data(), some.data(), some.size_bytes());
    device_->finish(Queue::in);
    device_->launch(EnterFlowsOnCpu{flow_table(), flows.data(), options_.hash_seed},
                    static_cast<std::uint32_t>(some.size()));
    device_->finish(Queue::compute);
    on_cpu = on_cpu.subspan(some.size());
  }
}

}  // namespace warpmeter
