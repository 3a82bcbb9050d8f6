// Writes a TCP connection's plan, one frame after another, and says of each what it counts as. The planting functions
// above it choose which numbers to send; the pen keeps the promise that what it is told is so:
//   first()  carries numbers above all that the capture has met: counts as plain data
//   late()   carries numbers below the highest, none of them met: counts as out of order
//   again()  carries `seen` payload bytes that were met, the rest not: counts as retransmitted
//   twin()   equals an earlier frame of the plan in all header bytes: counts as retransmitted if it has payload
#pragma once

#include <cstdint>

#include "connection.h"
#include "frame_pace.h"
#include "seeded_random.h"

namespace traffic_gen {

// Sequence numbers, as offsets from the ISN.
struct Span {
  uint64_t offset;
  uint16_t length;
  uint64_t end() const { return offset + length; }
};

class TcpPen {
 public:
  TcpPen(Connection& connection, Random& random, const Pace& pace) : c_(connection), random_(random), pace_(pace) {}

  Random& random() { return random_; }
  Connection& connection() { return c_; }
  Direction& direction(Side side) { return c_.directions[side]; }

  // Takes the next numbers never used. Without a length: a full segment or about.
  Span claim(Side side);
  Span claim(Side side, uint16_t length);
  uint16_t half();  // length of a segment so short that two of them make one

  // References are good as long as the connection's plan.
  Planned& first(Side side, Span span, Kind kind = Kind::kPlain);
  Planned& late(Side side, Span span, Kind kind);
  Planned& again(Side side, Span span, uint16_t seen, Kind kind);
  Planned& twin(const Planned& original, Kind kind);
  Planned& ack(Side side);
  Planned& zero_window(Side side);
  Planned& keep_alive(Side side, uint16_t length);  // needs all numbers up to next in top
  Planned& syn(Side side, uint16_t length = 0);     // claims its numbers itself
  Planned& fin(Side side, uint16_t length = 0);     // likewise
  Planned& late_syn(Side side, Span span);
  Planned& reset(Side side, uint16_t length = 0);

  // While a hole is open the other side acknowledges no further than its start.
  void open_hole(Side side) { held_[side] = true; }
  void close_hole(Side side);

  // Gives the frame so much delay that even without an identity of its own it is no copy of one before it.
  void distinct(Planned& planned);

 private:
  Planned& push(Side side, uint64_t offset, uint16_t length, uint8_t flags);
  void met(Side side, uint64_t end, bool carried);

  Connection& c_;
  Random& random_;
  const Pace& pace_;
  bool held_[2] = {};
};

}  // namespace traffic_gen
