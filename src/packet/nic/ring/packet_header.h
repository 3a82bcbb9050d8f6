// What AF_PACKET says of a frame, in the header before it (TPACKET_V3) and the one before that (PACKET_VNET_HDR).
//
// Source: packet(7), linux/if_packet.h, linux/virtio_net.h.
//
// Threads: any, each frame by one.
#pragma once

#include <linux/if_packet.h>

#include <cstddef>
#include <cstdint>

#include "packet/nic/ring/segment_cut.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// What the kernel says of a frame beside its bytes, before them: whether a checksum is still to be made, and into how
// much at a time it is to be cut. It is what virtio's network devices say, in the byte order of this machine; TAP
// devices and packet sockets take it and give it.
//
// Source: linux/virtio_net.h, which is no C++; virtio 1.2, section 5.1.6.
//
// Threads: any.
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

inline constexpr std::size_t kTagBytes = 4, kMacAddresses = 12;

inline std::int64_t time_of(const tpacket3_hdr& header) {
  return std::int64_t{header.tp_sec} * 1'000'000'000 + header.tp_nsec;
}

// The tag that the kernel keeps beside a frame is in it from now on, and nowhere else. There must be room for it before
// the frame (PACKET_RESERVE).
void put_vlan_tag_back(tpacket3_hdr& header);

// May the kernel put a virtio_net_hdr before each frame? A frame of several segments that this cannot describe is lost
// to the socket: before Linux 6.2 such of UDP, and SCTP's always, of which there are none where the host has no SCTP.
bool can_tell_segments();

// REQUIRES: the frame is as the kernel has left it, with that header before it.
VnetHeader vnet_header_of(const tpacket3_hdr& header);

// Of a frame as the kernel has left it, with that header; 0 bytes: it is of one segment, or nobody tells.
SegmentSize segment_size_of(const tpacket3_hdr& header);

// Where a frame of a ring of several interfaces was observed, kept in its header, where the kernel leaves zeros.
struct PlaceMark {
  static PlaceMark of(const tpacket3_hdr& header);
  void put_on(tpacket3_hdr& header) const;

  std::uint16_t point = 0;
  bool is_left_out = false;
  bool is_long = false;  // longer than frames of its interface are
};

// The kernel puts it behind the header.
inline const sockaddr_ll& address_of(const tpacket3_hdr& header) {
  return *reinterpret_cast<const sockaddr_ll*>(reinterpret_cast<const std::uint8_t*>(&header) +
                                               TPACKET_ALIGN(sizeof header));
}

// What a frame is cut by. It is kept in its header, where the kernel would have a hash that it is not asked for, and a
// tag that is in its place by now.
struct CutMark {
  static bool is_on(const tpacket3_hdr& header) { return header.hv1.tp_rxhash != 0; }
  static CutMark of(const tpacket3_hdr& header);
  void put_on(tpacket3_hdr& header) const;

  SegmentSize size;
  std::uint32_t place = 0;  // of its segments, in the memory for those of its block
};

}  // namespace warpmeter::inline packet
