// One connection: its addresses, what both sides have sent so far, and the next few frames, planned ahead in the
// order in which they will be captured. Because that order is fixed when a frame is planned, what the frame counts as
// is known then too: the plan carries it, and nothing has to be found out afterwards.
#pragma once

#include <array>
#include <cstdint>

#include "connection_counters.h"
#include "kind.h"

namespace traffic_gen {

enum Side : uint8_t { kClient, kServer };
constexpr Side other(Side side) { return side == kClient ? kServer : kClient; }

constexpr uint8_t kFin = 1, kSyn = 2, kRst = 4, kPsh = 8, kAck = 16;
constexpr uint8_t kIcmp = 1, kTcp = 6, kUdp = 17, kIcmpV6 = 58;

// A frame to come. Offsets count sequence numbers from the ISN on, without wrapping.
struct Planned {
  uint64_t delay = 0;   // ns after the connection's frame before it
  uint64_t offset = 0;  // of its sequence number; other protocols: serial number of the packet
  uint32_t ack = 0;
  uint16_t length = 0;  // payload
  uint16_t window = 0;
  uint16_t fresh = 0;  // sequence numbers it carries that no captured segment carried before
  uint16_t again = 0;  // payload bytes that one did
  uint8_t flags = 0;
  Side side = kClient;
  bool out_of_order = false;
  bool keep_alive = false;
  Kind kind = Kind::kPlain;
};

struct Direction {
  // Planning: where the plan ends.
  uint64_t next = 0;       // first number never used
  uint64_t top = 0;        // highest number known to the capture, + 1
  uint64_t ackable = 0;    // what the other side acknowledges
  bool tail_seen = false;  // a captured segment carried number next - 1
  uint32_t isn = 0;
  uint16_t window = 0;
  uint16_t window_turn = 0;

  // Sending: what was written to the capture.
  bool anonymous = false;  // IPv6, or IPv4 with id 0
  uint16_t id = 0;
  bool touched = false;  // lowest and highest have a value
  uint64_t lowest = 0, highest = 0, fresh = 0;
  uint64_t start = 0, end = 0;
  Counters counts{};
};

struct Tuple {
  uint8_t version = 4, protocol = kTcp;
  bool tagged = false;
  uint16_t vlan = 0;
  uint16_t ports[2] = {};
  uint8_t address[2][16] = {};  // IPv4: the first four bytes
  uint32_t address_sum = 0;     // for checksums, not folded
};

// A frame on its way through the mirror port a second time.
struct MirrorCopy {
  Planned frame;
  uint64_t due = UINT64_MAX;      // UINT64_MAX: there is none
  uint64_t time = 0, number = 0;  // of what it copies
  uint32_t stamp = 0;
  uint16_t id = 0;
};

enum class Phase : uint8_t { kOpening, kTalking, kClosing, kOver };
enum class Shape : uint8_t { kWhole, kMidStream, kScan, kRefused };
enum class Ending : uint8_t { kGoodbye, kReset, kAbandoned };

struct Connection {
  static constexpr size_t kLongestPlan = 14;

  uint64_t due = 0;  // time of the next planned frame
  std::array<Planned, kLongestPlan> plan;
  uint8_t plan_next = 0, plan_end = 0;

  Phase phase = Phase::kOpening;
  Shape shape = Shape::kWhole;
  Ending ending = Ending::kGoodbye;
  Side talker = kServer;    // who sends most of the data
  bool timestamps = false;  // TCP timestamp option
  bool reused = false;      // the five-tuple had a connection before
  bool begun = false;       // a frame of it was written
  uint8_t unacked = 0;      // data segments since the last acknowledgement
  uint16_t typical = 0;     // payload of a full segment
  uint16_t largest = 0;
  uint64_t remaining = 0;  // data segments, or packets of other protocols, still to send
  uint64_t born = 0;
  uint64_t number = 0;  // of the connection, from 0; the same for those that share a five-tuple

  MirrorCopy copy;
  Tuple tuple;
  Direction directions[2];

  bool planned() const { return plan_next < plan_end; }
};

}  // namespace traffic_gen
