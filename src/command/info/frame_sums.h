// What frames add up to: lengths, times and their order, protocols.
#pragma once

#include <cstdint>
#include <limits>

#include "core/counters.h"
#include "packet/file/packet_source.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline command {

struct FrameSums {
  DecodeCounters decode;  // what extract would meter, what it would ignore and why

  // In bytes; "original" is the length on the wire.
  std::uint64_t captured = 0, original = 0;
  std::uint32_t smallest = std::numeric_limits<std::uint32_t>::max(),
                largest = 0;  // original; valid if there are frames
  std::uint64_t cut = 0;      // frames not captured whole

  // Valid if there are frames. In ns since 1970 UTC.
  std::int64_t earliest_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_ns = 0, last_ns = 0;  // of the first and the last frame
  std::uint64_t backwards = 0;             // frames earlier than the one before them
  std::int64_t furthest_back_ns = 0;       // by how much at most

  // Of metered packets.
  std::uint64_t ip4 = 0, ip6 = 0, tcp = 0, udp = 0, icmp = 0, other = 0;  // ICMP of both versions
  std::uint64_t fragments = 0;                                            // later ones: all but the first of a packet
  std::uint64_t vlan = 0;                                                 // with a VLAN id that is not 0

  std::uint64_t frames() const { return decode.frames; }

  void add(const FrameBlock& block);

  // Adds those of the frames that follow.
  void append(const FrameSums& next);
};

// A whole source added up, by several threads at once. Reads it to its end. Rethrows what a thread threw.
FrameSums sum_frames(PacketSource& source, unsigned threads);

}  // namespace warpmeter::inline command
