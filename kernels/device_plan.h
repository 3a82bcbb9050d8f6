// How much of what fits into device memory: table sizes and the size of a memory block, from a number of bytes.
#pragma once

#include <cstdint>

#include "warpmeter/device_meter.h"

namespace warpmeter {

struct DevicePlan {
  std::uint32_t before;         // segments kept from earlier batches, for the duplicate check
  std::uint32_t flows;          // capacity of the flow table
  std::uint32_t flow_slots;     // its slots, a power of two
  std::uint64_t segment_slots;  // of each of the two segment tables, a power of two
  std::uint64_t block;          // packets in a memory block
  std::uint64_t bytes;          // of it all
};

// Throws DeviceError, saying what would be needed, if `memory` does not suffice for what `options` ask.
DevicePlan plan_device(const DeviceMeterOptions& options, std::uint64_t memory);

}  // namespace warpmeter
