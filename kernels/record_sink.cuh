// Where kernels put Flow Records of flows that ended: an array with a counter, in no order.
#pragma once

#include <cstdint>
#include <new>

#include "atomic.cuh"
#include "warpmeter/flow_record.h"

namespace warpmeter {

// Flags of records on their way from the device to the host only; no run file ever holds them.
enum DeviceRecordFlags : std::uint8_t {
  kIsAside = 64,    // counters of a part that goes on, handed over before they overflow
  kHasAside = 128,  // the record of a part whose counters were handed over before
};

struct RecordSink {
  FlowRecord* record;  // room for every record that a launch can make
  std::uint32_t* count;
  std::int64_t* latest_ns;  // of all packets so far

  // A place for one record, to be constructed there.
  WARPMETER_HD void* place() const { return &record[fetch_add(count, 1)]; }
};

}  // namespace warpmeter
