// How much of what fits into device memory: table sizes and the size of a memory block, from a number of bytes.
#pragma once

#include <cstdint>

#include "core/device_meter.h"

namespace warpmeter {

struct DevicePlan {
  std::uint32_t before;         // most segments kept from earlier batches, for the duplicate check
  std::uint32_t flows;          // capacity of the flow table
  std::uint32_t flow_slots;     // its slots, a power of two
  std::uint32_t leaving;        // most idle flows that expire in one batch
  std::uint64_t segment_slots;  // of each of the two segment tables, a power of two; method five-tuple only
  std::uint64_t block;          // frames in a memory block; method five-tuple only
  std::uint32_t hole_units;     // for holes, a power of two; method exact only
  std::uint64_t bytes;          // of it all
};

// Throws DeviceError, saying what would be needed, if `memory` does not suffice for what `options` ask.
DevicePlan plan_device(const DeviceMeterOptions& options, std::uint64_t memory);

}  // namespace warpmeter
