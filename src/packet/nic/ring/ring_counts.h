// What became of the packets that were offered to a ring: each was received, filtered out or lost, by place, and
// nothing is left over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmeter::inline packet {

struct RingCounts {
  std::string point;                             // observation_points.h
  unsigned ring = 0;                             // of the point, from 0 on
  std::uint64_t received = 0;                    // packets that were handed on
  std::uint64_t filtered = 0;                    // kept out by the capture filter before they came to the ring
  std::uint64_t other_interfaces = 0;            // of a pattern: came to the ring, but from others; not offered
  std::uint64_t ring_full = 0;                   // lost, because the ring had no room
  std::optional<std::uint64_t> times_full = {};  // if that is known
  std::uint64_t no_socket = 0;                   // lost, because nobody takes what comes to their queue of the card
  std::uint64_t too_long = 0;                    // lost, longer than any frame that the ring was made for
  // Frames of several segments: those that were cut, so that all counts are of what they were on the wire; and those
  // longer than the interface's frames are, which were not, and count as one packet.
  std::uint64_t cut = 0;
  std::uint64_t uncut = 0;
  // Of those received:
  std::uint64_t handed_over = 0;     // to the owner of their flow, which reads another ring
  std::uint64_t hand_over_full = 0;  // lost, because that owner had no room for them

  std::int64_t last_ns = 0;         // when the last packet came that was handed on, ns since 1970 UTC; 0: none yet
  std::optional<double> fill = {};  // the share of the ring that is taken, 0 to 1, if that is known

  std::uint64_t lost() const { return ring_full + no_socket + too_long; }  // before they were received
  std::uint64_t lost_anywhere() const { return lost() + hand_over_full; }
  std::uint64_t offered() const { return received + filtered + lost(); }
};

// Of one of the interfaces that a pattern follows.
struct FollowedCounts {
  std::string interface;
  std::uint64_t frames = 0;       // that came to the pattern's rings, before some were cut into segments
  std::uint64_t long_frames = 0;  // of these, longer than its MTU allows, and counted as one packet
  std::uint64_t lost = 0;         // before they came to any ring
  bool gone = false;
};

struct PointCounts {
  std::string point;
  std::uint64_t lost = 0;                     // before they came to any ring: network_interface.h
  bool at_least = false;                      // perhaps more: whoever counts does not see all
  bool gone = false;                          // it will never give packets again
  std::vector<FollowedCounts> followed = {};  // of a pattern: `lost` has theirs
};

}  // namespace warpmeter::inline packet
