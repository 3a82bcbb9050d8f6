// The Flow Key. The members stand in the order in which Flow Records are sorted, so the defaulted comparison is the
// order of the output.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace reference {

using Address = std::array<uint8_t, 16>;  // IPv4: the first 4 bytes, zeros behind

struct FlowKey {
  uint8_t version = 0;  // 4 or 6
  Address source{};
  Address destination{};
  uint16_t source_port = 0;
  uint16_t destination_port = 0;  // ICMP: type * 256 + code
  uint8_t protocol = 0;
  uint16_t vlan = 0;  // 0 unless the key holds the VLAN id and the frame had one

  auto operator<=>(const FlowKey&) const = default;
};

}  // namespace reference
