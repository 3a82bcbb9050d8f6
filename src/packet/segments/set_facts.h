// What a set of segment files says of itself, in each of its files: how it was decoded, what decoding counted, and what
// reading the captures brought to light.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters.h"
#include "core/tunnel_ports.h"
#include "packet/file/trace_findings.h"

namespace warpmeter::inline packet {

// What decides what a segment is, beside the packet. Sets that are metered together agree in it.
struct SetOptions {
  bool key_vlan = false;
  bool decapsulate = false;
  TunnelPorts tunnel_ports = {};  // with decapsulate
  std::string filter;             // empty: all packets
  std::uint64_t seed_mark = 0;  // of the hash seed of fingerprints: other seeds have other marks, and it tells no seed

  bool operator==(const SetOptions&) const = default;
};

struct SetFacts {
  SetOptions options;
  std::vector<std::string> inputs;   // captures, in the order in which they were read
  std::vector<std::uint16_t> links;  // LINKTYPE numbers of the frames, rising
  std::int64_t first_ns = 0;         // of the first frame, of the latest; 0 where there is none
  std::int64_t latest_ns = 0;
  std::int64_t latest_segment_ns = 0;  // of the latest that was decoded; 0 where there is none
  DecodeCounters counters;             // frames, of all partitions
  TraceFindings findings;
};

// As JSON, an object. As text, names that are no UTF-8 are told with U+FFFD where they are not.
nlohmann::ordered_json set_facts_value(const SetFacts& facts);
std::string set_facts_json(const SetFacts& facts);

// Throws Error where that makes no sense.
SetFacts parse_set_facts(std::string_view json);

}  // namespace warpmeter::inline packet
