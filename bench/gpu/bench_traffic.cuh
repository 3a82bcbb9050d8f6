// Invented segments for the kernels bench, made on the device.
#pragma once

#include <cstdint>

#include "core/flow_hash.h"
#include "core/packed_segment.h"
#include "core/segment.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::bench {

inline constexpr std::uint64_t kHashSeed = 7;

WARPMETER_HD inline FlowKey numbered_key(std::uint32_t flow) {
  FlowKey key{};
  key.version = 4;
  key.protocol = kProtocolTcp;
  for (int b = 0; b < 4; ++b) {
    key.source[b] = static_cast<std::uint8_t>(flow >> (24 - 8 * b));
    key.destination[b] = static_cast<std::uint8_t>(10 + b);
  }
  key.source_port[1] = 80;
  key.destination_port[1] = 99;
  return key;
}

// A data segment that is nobody's copy, 10 million a second.
WARPMETER_HD inline Segment numbered_segment(std::uint32_t i, std::uint32_t sequence) {
  Segment s;
  s.time_ns = 1'700'000'000'000'000'000 + std::int64_t{i} * 100;
  s.sequence = sequence;
  s.identity_a = fold_multiply(i ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
  s.identity_b = i;
  s.frame = i;
  s.length = 1500;
  s.payload_length = 1460;
  s.window = 500;
  s.flags = 16;
  s.kind = kTcpSegment | kHasIdentity;
  return s;
}

// For the insert kernels: `flows` Flow Keys, whose segments come in a random order; one in a hundred repeats the
// sequence number of an earlier one. Nearly every {flow, sequence} is new, as in traffic.
struct MakeSegments {
  FlowKey* key;
  std::uint64_t* hash;
  Segment* segment;
  std::uint32_t flows;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const std::uint64_t random = fold_multiply(i ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
    key[i] = numbered_key(static_cast<std::uint32_t>(random % flows));
    hash[i] = hash_flow(key[i], kHashSeed).hash;
    const bool repeats = random >> 40 < (std::uint64_t{1} << 24) / 100 && i >= flows;
    segment[i] = numbered_segment(i, (repeats ? i - i % 2 : i) * 1460);
  }
};

// For whole batches: so many flows live at once and take turns in an order that changes, each with so many segments
// from SYN to FIN; then come as many others.
struct Traffic {
  const char* name;
  std::uint32_t live;    // a power of two
  std::uint32_t length;  // segments of a flow; 0 = they never end
  bool lossy;            // of eight segments one is late, one is a retransmission and one never comes
};

inline constexpr Traffic kTraffic[] = {
    {"many flows", 1 << 18, 10, false}, {"few elephants", 16, 0, false}, {"lossy", 1 << 16, 80, true}};

// Frames are counted in steps of so many: larger ones than batches, and their numbers fit.
inline constexpr std::uint32_t kFrames = 1 << 22;

struct MakeTraffic {
  Traffic traffic;
  std::uint32_t live;  // not more than the traffic's
  PackedSegment* packed;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const std::uint32_t turn = i / live;
    const std::uint32_t generation = traffic.length ? turn / traffic.length : 0;
    const std::uint32_t place = traffic.length ? turn % traffic.length : turn;
    const std::uint32_t who = (i * 0x9e3779b1u + turn * 0x85ebca6bu) & (live - 1);  // each of them once a turn
    KeyedSegment segment{hashed_key(numbered_key(generation * live + who)), segment_at(i, place, who * 77'777u)};
    segment.segment.frame = i % kFrames;
    packed[i] = pack(segment, PackedForm::ip4, 0);
  }

 private:
  WARPMETER_HD Segment segment_at(std::uint32_t i, std::uint32_t place, std::uint32_t isn) const {
    constexpr std::uint32_t kLate[8] = {0, 1, 3, 4, 2, 5, 3, 6};  // and 7 is lost
    const std::uint32_t after_syn = place - 1;
    const std::uint32_t number = traffic.lossy ? after_syn / 8 * 8 + kLate[after_syn % 8] : after_syn;
    Segment s = numbered_segment(i, place ? isn + 1 + number * 1460 : isn);
    const bool last = traffic.length && place == traffic.length - 1;
    if (place && !last) return s;
    s.length = 40;
    s.payload_length = 0;
    s.flags = place ? 16 | kFin : kSyn;
    return s;
  }
};

}  // namespace warpmeter::bench
