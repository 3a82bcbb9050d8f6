// What was planted, by name. A frame has one Kind, a connection any number of Traits; the truth counts both.
#pragma once

#include <cstddef>
#include <cstdint>

namespace traffic_gen {

enum class Kind : uint8_t {
  kPlain,
  kSame,            // the same segment again, header and all
  kSameAgain,       // ... and once more
  kResplit,         // one segment sent again as two
  kJoined,          // two segments sent again as one
  kOverlapping,     // the tail of an old segment, then new bytes
  kHoleAndOverlap,  // fills a hole and repeats what came after it
  kLoneByte,        // one byte, not the highest one
  kLate,
  kLateReversed,  // three segments in reverse order
  kLostResent,    // fills the hole a loss before the capture point left
  kLostForever,   // the first frame after a hole that stays
  kKeepAliveEmpty,
  kKeepAliveByte,
  kZeroWindow,
  kSynAgain,
  kSynData,  // a SYN with payload
  kSynLate,  // a SYN after the packet that answers its answer
  kFinAgain,
  kReset,
  kMirrorCopy,
  kMirrorCopyRouted,  // other MACs, one hop later
  kMirrorCopyAgain,   // a copy of a copy
  kCount,
};

constexpr const char* kKindNames[] = {"plain",
                                      "same",
                                      "same_again",
                                      "resplit",
                                      "joined",
                                      "overlapping",
                                      "hole_and_overlap",
                                      "lone_byte",
                                      "late",
                                      "late_reversed",
                                      "lost_resent",
                                      "lost_forever",
                                      "keep_alive_empty",
                                      "keep_alive_byte",
                                      "zero_window",
                                      "syn_again",
                                      "syn_data",
                                      "syn_late",
                                      "fin_again",
                                      "reset",
                                      "mirror_copy",
                                      "mirror_copy_routed",
                                      "mirror_copy_again"};
static_assert(sizeof kKindNames / sizeof *kKindNames == static_cast<size_t>(Kind::kCount));

enum class Trait : uint8_t {
  kTcp,
  kUdp,
  kIcmp,
  kIpv4,
  kIpv6,
  kVlan,
  kAnonymousDirection,
  kPortReuse,
  kMidStream,
  kScan,
  kRefused,
  kWrap,
  kCount
};

constexpr const char* kTraitNames[] = {
    "tcp",        "udp",        "icmp",     "ipv4",    "ipv6",          "vlan", "directions_without_identity",
    "port_reuse", "mid_stream", "lone_syn", "refused", "sequence_wraps"};
static_assert(sizeof kTraitNames / sizeof *kTraitNames == static_cast<size_t>(Trait::kCount));

}  // namespace traffic_gen
