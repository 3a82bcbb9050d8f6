// The header conditions of a group's rules, or of the initial table, as one bitmap of rules a packet: each dimension
// that some rule asks of has its table, and their bitmaps are put together by AND.
//
// Source: docs/policies.md, "Conditions".
//
// Threads: any, once it is built.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/byte_order.h"
#include "core/segment.h"
#include "policy/memory/policy_memory.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline policy {

// One bit a rule; rule 0 is the lowest of the first word.
using RuleWord = std::uint64_t;
inline constexpr std::size_t kRulesAWord = 64;
inline std::size_t rule_words(std::size_t rules) { return (rules + kRulesAWord - 1) / kRulesAWord; }
inline void set_rule(RuleWord* bits, std::size_t rule) {
  bits[rule / kRulesAWord] |= RuleWord{1} << rule % kRulesAWord;
}
inline bool has_rule(const RuleWord* bits, std::size_t rule) {
  return bits[rule / kRulesAWord] >> rule % kRulesAWord & 1;
}

// An IP address as a number; one of IPv4 in the upper 32 bits.
struct AddressNumber {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const AddressNumber&) const = default;
};

inline bool next_number(std::uint64_t& n) { return ++n != 0; }
inline bool next_number(AddressNumber& n) { return ++n.low != 0 || ++n.high != 0; }

// Which rules of a group hold for a number, or an address: the conditions of all rules cut what there is into
// intervals, each with one bitmap of rules. One search finds it, however many rules there are.
template <class Number>
class IntervalTable {
 public:
  // Both ends belong to it.
  struct Range {
    Number low, high;
    std::size_t rule;
  };

  IntervalTable() = default;
  // Rules of `always` hold for every number.
  IntervalTable(const std::vector<Range>& ranges, const std::vector<std::size_t>& always, std::size_t rules)
      : words_(rule_words(rules)) {
    starts_.push_back(Number{});
    for (const Range& range : ranges) {
      starts_.push_back(range.low);
      if (Number behind = range.high; next_number(behind)) starts_.push_back(behind);
    }
    std::ranges::sort(starts_);
    starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
    bits_.resize(starts_.size() * words_);
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      for (const std::size_t rule : always) set_rule(&bits_[i * words_], rule);
    }
    for (const Range& range : ranges) {
      for (std::size_t i = place_of(range.low); i < starts_.size() && starts_[i] <= range.high; ++i) {
        set_rule(&bits_[i * words_], range.rule);
      }
    }
  }

  const RuleWord* rules_of(const Number& number) const { return &bits_[place_of(number) * words_]; }

 private:
  std::size_t place_of(const Number& number) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(starts_, number) - starts_.begin()) - 1;
  }

  std::size_t words_ = 0;
  std::vector<Number> starts_;  // of intervals, ascending; the first is the lowest number
  std::vector<RuleWord> bits_;  // of each interval in turn
};

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

  template <class Keep, class KeepEither>
  void each_asked(const PacketView& packet, const Keep& keep, const KeepEither& keep_either) const;
  template <class Holds>
  Values values(std::size_t count, const std::vector<const Conditions*>& rules, const Holds& holds) const;

  std::size_t rules_, words_;
  bool is_asked_;
  bool asks_for_rest_;  // for more than what most rules ask for
  Values version_, protocol_, flags_, way_;
  Addresses source_[2], destination_[2];  // of IPv4, IPv6
  Numbers source_port_, destination_port_, port_;
  Numbers vlan_, length_, payload_length_, nth_;
};

}  // namespace warpmeter::inline policy
