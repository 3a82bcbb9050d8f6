// What leaves the device, in one array with a counter, in no order: partials of flows that ended, counters that a
// living flow's state has no room for, and states of flows that the CPU takes over.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "atomic.cuh"
#include "core/flow_state.h"
#include "core/partial_of_state.h"
#include "core/stray.h"

namespace warpmeter {

struct DeviceOutput {
  enum class Kind : std::uint8_t {
    partial,
    partial_with_spilled,  // of a part of which some counters left before
    spilled_counters,      // of the part that has the partial's key and arrival, and goes on
    state,                 // as it was before the packet that it could not take
  };

  // REQUIRES: not Kind::state. Made in its place: a copy would cost the metering kernel its registers.
  template <class State>
  WARPMETER_HD DeviceOutput(Kind kind_, const State& state, EndReason reason, Removal removal, const KeptBeside& beside)
      : kind(kind_), partial(partial_of(state, reason, removal, beside)) {}
  DeviceOutput(Kind kind_, const Partial& partial_) : kind(kind_), partial(partial_) {}
  // `stray`: read where the state has some.
  WARPMETER_HD DeviceOutput(const FlowState& state, std::uint8_t hole_class_, const StrayState& stray)
      : kind(Kind::state), hole_class(hole_class_) {
    memcpy(state_bytes, &state, sizeof state);
    if (state.strays) memcpy(state_bytes + sizeof state, &stray, sizeof stray);
  }
  DeviceOutput() : partial() {}  // room for one that comes from the device

  // REQUIRES: Kind::state.
  FlowState state() const {
    FlowState state;
    memcpy(static_cast<void*>(&state), state_bytes, sizeof state);
    return state;
  }
  // REQUIRES: Kind::state, of a flow with strays.
  StrayState stray() const {
    StrayState stray;
    memcpy(&stray, state_bytes + sizeof(FlowState), sizeof stray);
    return stray;
  }

  Kind kind = Kind::partial;
  std::uint8_t hole_class = 0;  // Kind::state: how large the block of its holes is (hole_pool.cuh)
  union {
    Partial partial;
    // A FlowState, which is aligned and would make all of these a third larger, and a StrayState.
    std::uint8_t state_bytes[sizeof(FlowState) + sizeof(StrayState)];
  };
};
static_assert(alignof(DeviceOutput) == 8 && std::is_trivially_copyable_v<DeviceOutput>);

struct LeavingSink {
  DeviceOutput* leaving;  // room for all that a launch can make
  std::uint32_t* count;
  std::int64_t* latest_ns;  // of all packets so far

  WARPMETER_HD void add(DeviceOutput::Kind kind, const FlowState& state, EndReason reason, Removal removal,
                        const KeptBeside& beside) const {
    new (place()) DeviceOutput(kind, state, reason, removal, beside);
  }
  WARPMETER_HD void add(const FlowState& state, std::uint8_t hole_class, const StrayState& stray) const {
    new (place()) DeviceOutput(state, hole_class, stray);
  }

 private:
  WARPMETER_HD void* place() const { return &leaving[fetch_add(count, 1)]; }
};

}  // namespace warpmeter
