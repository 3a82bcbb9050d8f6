// What rules see of one packet, but for its bytes in order.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <span>

#include "core/byte_order.h"
#include "core/segment.h"
#include "policy/memory/policy_memory.h"
#include "policy/rounds/interval_table.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline policy {

struct PacketView {
  const FlowKey* key = nullptr;
  const Segment* segment = nullptr;
  std::span<const std::uint8_t> payload = {};  // that was captured; of TCP and UDP what is behind their header
  std::uint64_t payload_length = 0;            // by the IP header
  std::uint16_t vlan = 0;                      // outermost id, 0: none
  bool from_server = false;
  std::uint64_t nth = 1;  // within its direction of the connection
};

inline AddressNumber address_number(const std::uint8_t (&address)[16], std::uint8_t version) {
  if (version == 4) return {std::uint64_t{load_be32(address)} << 32, 0};
  const auto half = [&](int i) { return std::uint64_t{load_be32(address + i)} << 32 | load_be32(address + i + 4); };
  return {half(0), half(8)};
}

}  // namespace warpmeter::inline policy
