// Where kernels put what leaves the device: Flow Records of flows that ended and states of flows that the CPU takes
// over, in one array with a counter, in no order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "atomic.cuh"
#include "warpmeter/flow_record.h"
#include "warpmeter/flow_state.h"

namespace warpmeter {

// Flags of records on their way from the device to the host only; no run file ever holds them. kLostState's bit is free
// here, for only the join loses state.
enum DeviceRecordFlags : std::uint8_t {
  kIsAside = kLostState,  // counters of a part that goes on, handed over before they overflow
  kHasAside = 128,        // the record of a part whose counters were handed over before
  kIsState = 255,         // no record, but the state of a flow that goes on on the CPU
};

static_assert(((kIsAside | kHasAside) &
               (kHasConnection | kClosing | kIsnKnown | kLowestKnown | kFirstIsOpening | kOpener)) == 0);

struct RecordSink {
  FlowRecord* record;  // room for every record that a launch can make
  std::uint32_t* count;
  std::int64_t* latest_ns;  // of all packets so far

  // A place for one record, to be constructed there.
  WARPMETER_HD void* place() const { return &record[fetch_add(count, 1)]; }

  WARPMETER_HD void add_state(const FlowState& state) const {
    static_assert(sizeof(FlowState) <= offsetof(FlowRecord, flags));
    auto* carrier = new (place()) FlowRecord;
    memcpy(static_cast<void*>(carrier), &state, sizeof state);
    carrier->flags = kIsState;
  }
};

// REQUIRES: record.flags == kIsState.
inline FlowState state_in(const FlowRecord& record) {
  FlowState state;
  std::memcpy(static_cast<void*>(&state), &record, sizeof state);
  return state;
}

}  // namespace warpmeter
