// Invented segments for the kernels bench, made on the device: `flows` Flow Keys, whose segments come in a random
// order, each with the next sequence number of its flow; one in a hundred repeats the sequence number of an earlier
// one.
#pragma once

#include <cstdint>

#include "warpmeter/flow_hash.h"
#include "warpmeter/flow_key.h"
#include "warpmeter/segment.h"

namespace warpmeter::bench {

struct MakeSegments {
  FlowKey* key;
  std::uint64_t* hash;
  Segment* segment;
  std::uint32_t flows;
  std::uint64_t seed;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const std::uint64_t random = fold_multiply(i ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
    const std::uint32_t flow = static_cast<std::uint32_t>(random % flows);
    key[i] = key_of(flow);
    hash[i] = hash_flow(key[i], seed).hash;
    Segment s;
    s.time_ns = 1'700'000'000'000'000'000 + std::int64_t{i} * 100;
    // Nearly every {flow, sequence} is new, as in traffic: the number of segments is that of keys.
    const bool repeats = random >> 40 < (std::uint64_t{1} << 24) / 100 && i >= flows;
    s.sequence = (repeats ? i - i % 2 : i) * 1460;
    s.identity = {random, i};
    s.frame = i;
    s.length = 1500;
    s.payload_length = 1460;
    s.window = 500;
    s.flags = 16;
    s.kind = kTcpSegment | kHasIdentity;
    segment[i] = s;
  }

  WARPMETER_HD static FlowKey key_of(std::uint32_t flow) {
    FlowKey key;
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
};

}  // namespace warpmeter::bench
