// The header conditions of a group's rules, or of the initial table, as one bitmap of rules a packet: each dimension
// that some rule asks of has its table, and their bitmaps are put together by AND.
//
// Source: docs/policies.md, "Conditions".
//
// Threads: any, once it is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/byte_order.h"
#include "core/segment.h"
#include "policy/memory/policy_memory.h"
#include "policy/rounds/interval_table.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline policy {

// What rules see of one packet, but for its bytes in order. One owner.
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

class RuleTable {
 public:
  explicit RuleTable(const std::vector<const Conditions*>& rules);

  std::size_t words() const { return words_; }
  // Does any rule have a condition?
  bool is_asked() const { return is_asked_; }

  // Sets the bits of the rules whose conditions hold. `bits`: words() of them.
  void find(const PacketView& packet, RuleWord* bits) const;

 private:
  using Numbers = std::optional<IntervalTable<std::uint64_t>>;
  using Addresses = std::optional<IntervalTable<AddressNumber>>;
  // A bitmap for each of few values.
  class Values {
   public:
    Values() = default;
    Values(std::size_t values, std::size_t words) : words_(words), bits_(values * words) {}
    bool is_asked() const { return !bits_.empty(); }
    RuleWord* of(std::size_t value) { return &bits_[value * words_]; }
    const RuleWord* of(std::size_t value) const { return &bits_[value * words_]; }

   private:
    std::size_t words_ = 0;
    std::vector<RuleWord> bits_;
  };

  template <class Holds>
  Values values(std::size_t count, const std::vector<const Conditions*>& rules, const Holds& holds) const;

  std::size_t rules_, words_;
  bool is_asked_;
  Values version_, protocol_, flags_, way_;
  Addresses source_[2], destination_[2];  // of IPv4, IPv6
  Numbers source_port_, destination_port_, port_;
  Numbers vlan_, length_, payload_length_, nth_;
};

}  // namespace warpmeter::inline policy
