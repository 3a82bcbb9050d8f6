// What coalescing asks of a packet: whether it may be joined with others (the filter of Li, Chen, Su, "Implementation
// of TCP Large Receive Offload on multi-core NPU platform", section II; docs/coalesce.md has the order), to which
// direction it belongs, and where its parts lie.
//
// Threads: look_at() by any; a CoalescingPacket points into its frame, which somebody keeps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/flow_hash.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline stream {

// Why a packet passes untouched, in the order in which it is asked; `none`: it does not. `repeated` is no word of the
// filter: only its descriptor knows.
enum class PassReason : std::uint8_t {
  not_ip,
  no_tcp,
  ip_options,  // or extension headers
  fragment,
  cut_short,  // not captured whole
  malformed,
  no_length,  // an IP length of 0: it was not cut into segments yet
  bad_checksum,
  no_payload,
  flags,
  tcp_options,
  repeated,
  none,
};
inline constexpr std::size_t kPassReasons = 12;
// Keys of --stats; people read them with spaces.
inline constexpr std::array<const char*, kPassReasons> kPassReasonNames = {
    "not_ip",    "no_tcp",       "ip_options", "fragment", "cut_short",   "malformed",
    "no_length", "bad_checksum", "no_payload", "flags",    "tcp_options", "repeated"};

struct CoalescingPacket {
  PassReason reason = PassReason::not_ip;
  bool has_key = false;  // it belongs to a direction: all that follows is set

  // Of a packet that may be joined, up to the end of the IP packet: padding is left out.
  std::uint8_t tcp_header = 0;          // bytes
  std::uint8_t version = 0;             // of IP
  std::uint16_t payload_sum = 0;        // internet_sum()
  std::uint32_t at = 0;                 // where the IP header begins in the frame
  std::uint32_t size = 0, payload = 0;  // bytes; `size` from the frame's first on
  std::uint32_t sequence = 0;
  std::uint32_t options = 0;  // bytes of comments and such, of pcapng

  Frame frame = {};
  HashedKey key = {};        // of the direction, without VLAN id
  FlowHash hash = {};        // its seeded hash; its shard, which both directions have
  std::uint32_t place = 0;   // of the frame in its batch
  std::uint64_t passed = 0;  // bytes of the frames before it in its batch, as captured

  std::uint32_t ip_header() const { return version == 4 ? 20 : 40; }
  std::uint32_t tcp() const { return at + ip_header(); }
  std::uint32_t headers() const { return size - payload; }
};

// Fills all but the place. `verify`: whether checksums are asked for.
void look_at(const Frame& frame, bool verify, const HashSeed& seed, CoalescingPacket& packet);

inline constexpr std::uint8_t kPsh = 8;  // a TCP flag, as those of core/segment.h

}  // namespace warpmeter::inline stream
