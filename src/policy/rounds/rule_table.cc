#include "policy/rounds/rule_table.h"

#include <algorithm>
#include <cstdint>

namespace warpmeter::inline policy {
namespace {

constexpr std::size_t kNoFlags = 256;  // of what is no TCP, behind the values that flags have

AddressNumber number_of(const AddressPrefix& prefix) {
  std::uint8_t address[16] = {};
  std::ranges::copy(prefix.address, address);
  return address_number(address, prefix.version);
}

AddressNumber last_of(const AddressPrefix& prefix) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  AddressNumber last = number_of(prefix);
  const unsigned length = prefix.length;
  if (length < 64) last.high |= kAll >> length;
  last.low |= length <= 64 ? kAll : length == 128 ? 0 : kAll >> (length - 64);
  return last;
}

// Of one dimension: nothing if no rule asks of it.
template <class Given>
std::optional<IntervalTable<std::uint64_t>> numbers(const std::vector<const Conditions*>& rules, Given given) {
  std::vector<IntervalTable<std::uint64_t>::Range> ranges;
  std::vector<std::size_t> always;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto& list = rules[i]->*given;
    if (!list) always.push_back(i);
    else
      for (const ValueRange& range : *list) ranges.push_back({range.low, range.high, i});
  }
  if (always.size() == rules.size()) return std::nullopt;
  std::erase_if(ranges, [](const auto& range) { return range.low > range.high; });
  return IntervalTable<std::uint64_t>(ranges, always, rules.size());
}

template <class Given>
std::optional<IntervalTable<AddressNumber>> addresses(const std::vector<const Conditions*>& rules, Given given,
                                                      std::uint8_t version) {
  std::vector<IntervalTable<AddressNumber>::Range> ranges;
  std::vector<std::size_t> always;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto& list = rules[i]->*given;
    if (!list) always.push_back(i);
    else
      for (const AddressPrefix& prefix : *list) {
        if (prefix.version == version) ranges.push_back({number_of(prefix), last_of(prefix), i});
      }
  }
  if (always.size() == rules.size()) return std::nullopt;
  return IntervalTable<AddressNumber>(ranges, always, rules.size());
}

}  // namespace

// `holds(conditions, value)`; nothing if it holds for all.
template <class Holds>
RuleTable::Values RuleTable::values(std::size_t count, const std::vector<const Conditions*>& rules,
                                    const Holds& holds) const {
  Values values(count, words_);
  bool all = true;
  for (std::size_t value = 0; value < count; ++value) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (holds(*rules[i], value)) set_rule(values.of(value), i);
      else all = false;
    }
  }
  return all ? Values() : values;
}

RuleTable::RuleTable(const std::vector<const Conditions*>& rules) : rules_(rules.size()), words_(rule_words(rules_)) {
  version_ =
      values(2, rules, [](const Conditions& c, std::size_t v) { return !c.version || *c.version == (v ? 6 : 4); });
  protocol_ = values(256, rules, [](const Conditions& c, std::size_t v) {
    return !c.protocol || std::ranges::find(*c.protocol, static_cast<std::uint8_t>(v)) != c.protocol->end();
  });
  flags_ = values(kNoFlags + 1, rules, [](const Conditions& c, std::size_t v) {
    if (v == kNoFlags) return !c.has_flags;
    return (v & c.flags) == c.flags && (v & c.not_flags) == 0;
  });
  way_ = values(2, rules, [](const Conditions& c, std::size_t v) {
    return c.way == Way::any || c.way == (v ? Way::server : Way::client);
  });
  for (int i = 0; i < 2; ++i) {
    source_[i] = addresses(rules, &Conditions::source, i ? 6 : 4);
    destination_[i] = addresses(rules, &Conditions::destination, i ? 6 : 4);
  }
  source_port_ = numbers(rules, &Conditions::source_port);
  destination_port_ = numbers(rules, &Conditions::destination_port);
  port_ = numbers(rules, &Conditions::port);
  vlan_ = numbers(rules, &Conditions::vlan);
  length_ = numbers(rules, &Conditions::length);
  payload_length_ = numbers(rules, &Conditions::payload_length);
  nth_ = numbers(rules, &Conditions::nth);
  asks_for_rest_ = version_.is_asked() || source_[0] || source_[1] || destination_[0] || destination_[1] ||
                   source_port_ || destination_port_ || port_ || vlan_ || length_;
  is_asked_ = asks_for_rest_ || protocol_.is_asked() || flags_.is_asked() || way_.is_asked() || payload_length_ || nth_;
}

// `keep`: takes the bitmap of the rules that hold for one condition; `keep_either`: of two, one of which must.
template <class Keep, class KeepEither>
[[gnu::always_inline]] inline void RuleTable::each_asked(const PacketView& packet, const Keep& keep,
                                                         const KeepEither& keep_either) const {
  const FlowKey& key = *packet.key;
  const Segment& segment = *packet.segment;
  if (protocol_.is_asked()) keep(protocol_.of(key.protocol));
  if (flags_.is_asked()) keep(flags_.of(is_tcp(segment) ? segment.flags : kNoFlags));
  if (way_.is_asked()) keep(way_.of(packet.from_server));
  if (payload_length_) keep(payload_length_->rules_of(packet.payload_length));
  if (nth_) keep(nth_->rules_of(packet.nth));
  if (!asks_for_rest_) return;
  const int version = key.version == 6;
  const std::uint64_t source_port = port_number(key.source_port), destination_port = port_number(key.destination_port);
  if (version_.is_asked()) keep(version_.of(version));
  if (source_[version]) keep(source_[version]->rules_of(address_number(key.source, key.version)));
  if (destination_[version]) keep(destination_[version]->rules_of(address_number(key.destination, key.version)));
  if (source_port_) keep(source_port_->rules_of(source_port));
  if (destination_port_) keep(destination_port_->rules_of(destination_port));
  if (port_) keep_either(port_->rules_of(source_port), port_->rules_of(destination_port));
  if (vlan_) keep(vlan_->rules_of(std::uint64_t{packet.vlan}));
  if (length_) keep(length_->rules_of(std::uint64_t{segment.length}));
}

// Most groups have no more rules than a word has bits.
void RuleTable::find(const PacketView& packet, RuleWord* bits) const {
  RuleWord last = ~RuleWord{0};
  if (rules_ % kRulesAWord) last = (RuleWord{1} << rules_ % kRulesAWord) - 1;
  if (words_ == 1) {
    if (is_asked_) {
      each_asked(
          packet, [&](const RuleWord* of) { last &= *of; },
          [&](const RuleWord* one, const RuleWord* other) { last &= *one | *other; });
    }
    *bits = last;
    return;
  }
  std::fill_n(bits, words_, ~RuleWord{0});
  if (words_ > 0) bits[words_ - 1] = last;
  if (!is_asked_) return;
  const auto keep_either = [&](const RuleWord* one, const RuleWord* other) {
    for (std::size_t i = 0; i < words_; ++i) bits[i] &= one[i] | other[i];
  };
  each_asked(
      packet, [&](const RuleWord* of) { keep_either(of, of); }, keep_either);
}

}  // namespace warpmeter::inline policy
