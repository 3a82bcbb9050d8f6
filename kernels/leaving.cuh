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

namespace warpmeter {

struct Leaving {
  enum class Kind : std::uint8_t {
    partial,
    partial_with_spilled,  // of a part of which some counters left before
    spilled_counters,      // of the part that has the partial's key and arrival, and goes on
    state,                 // as it was before the packet that it could not take
  };

  // REQUIRES: not Kind::state. Made in its place: a copy would cost the metering kernel its registers.
  template <class State>
  WARPMETER_HD Leaving(Kind kind_, const State& state, EndReason reason, Removal removal, std::int64_t missing)
      : kind(kind_), partial(partial_of(state, reason, removal, missing)) {}
  Leaving(Kind kind_, const Partial& partial_) : kind(kind_), partial(partial_) {}
  WARPMETER_HD Leaving(const FlowState& state, std::uint8_t hole_class_) : kind(Kind::state), hole_class(hole_class_) {
    memcpy(state_bytes, &state, sizeof state);
  }
  Leaving() : partial() {}  // room for one that comes from the device

  // REQUIRES: Kind::state.
  FlowState state() const {
    FlowState state;
    memcpy(static_cast<void*>(&state), state_bytes, sizeof state);
    return state;
  }

  Kind kind = Kind::partial;
  std::uint8_t hole_class = 0;  // Kind::state: how large the block of its holes is (hole_pool.cuh)
  union {
    Partial partial;
    std::uint8_t state_bytes[sizeof(FlowState)];  // a FlowState is aligned, and would make all of these a third larger
  };
};
static_assert(alignof(Leaving) == 8 && std::is_trivially_copyable_v<Leaving>);

struct LeavingSink {
  Leaving* leaving;  // room for all that a launch can make
  std::uint32_t* count;
  std::int64_t* latest_ns;  // of all packets so far

  WARPMETER_HD void add(Leaving::Kind kind, const FlowState& state, EndReason reason, Removal removal,
                        std::int64_t missing) const {
    new (place()) Leaving(kind, state, reason, removal, missing);
  }
  WARPMETER_HD void add(const FlowState& state, std::uint8_t hole_class) const {
    new (place()) Leaving(state, hole_class);
  }

 private:
  WARPMETER_HD void* place() const { return &leaving[fetch_add(count, 1)]; }
};

}  // namespace warpmeter
