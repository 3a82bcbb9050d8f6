// The formats of captures that are written.
#pragma once

#include <cstdint>

namespace warpmeter::inline packet {

enum class CaptureForm : std::uint8_t {
  pcap,    // with nanoseconds; one link type, no comments
  pcapng,  // with nanoseconds, interfaces and comments
};

}  // namespace warpmeter::inline packet
