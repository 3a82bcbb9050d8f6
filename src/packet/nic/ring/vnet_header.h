// What the kernel says of a frame beside its bytes, before them: whether a checksum is still to be made, and into how
// much at a time it is to be cut. It is what virtio's network devices say, in the byte order of this machine; TAP
// devices and packet sockets take it and give it.
//
// Source: linux/virtio_net.h, which is no C++; virtio 1.2, section 5.1.6.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

struct VnetHeader {
  static constexpr std::uint8_t kNeedsChecksum = 1;                               // of flags
  static constexpr std::uint8_t kTcp4 = 1, kTcp6 = 4, kUdp = 5, kWithEcn = 0x80;  // of type

  bool needs_checksum() const { return flags & kNeedsChecksum; }
  bool has_segments() const { return (type & ~kWithEcn) != 0; }

  std::uint8_t flags = 0, type = 0;
  std::uint16_t header_bytes = 0, segment_bytes = 0, checksum_start = 0, checksum_offset = 0;
};
static_assert(sizeof(VnetHeader) == 10);

// A frame as it came: of several segments perhaps, and without its checksum.
struct WholeFrame {
  Frame frame;
  VnetHeader header;
};

}  // namespace warpmeter::inline packet
