// Labels as numbers, and sets of these: a policy may have thousands, and a packet may bring them all.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/memory/policy_memory.h"
#include "policy/rounds/interval_table.h"

namespace warpmeter::inline policy {

using LabelNumber = std::uint16_t;

// A label on connections that some packet of this one brought.
struct BroughtLabel {
  LabelNumber label;
  LabelScope scope;
  bool operator==(const BroughtLabel&) const = default;
};

// Which labels there are, by scope: there may be thousands.
class LabelSet {
 public:
  bool has(const BroughtLabel& label) const { return has(place_of(label)); }
  bool has_any_scope(LabelNumber label) const {
    return has({label, LabelScope::connection}) || has({label, LabelScope::flow});
  }
  // False: it was there.
  bool add(const BroughtLabel& label) {
    const std::size_t place = place_of(label);
    if (has(place)) return false;
    if (bits_.size() < rule_words(place + 1)) bits_.resize(rule_words(place + 1));
    set_rule(bits_.data(), place);
    return true;
  }
  void add(const LabelSet& other) {
    if (bits_.size() < other.bits_.size()) bits_.resize(other.bits_.size());
    for (std::size_t i = 0; i < other.bits_.size(); ++i) bits_[i] |= other.bits_[i];
  }
  bool empty() const { return bits_.empty(); }
  void clear() { std::ranges::fill(bits_, 0); }

 private:
  static std::size_t place_of(const BroughtLabel& label) { return 2 * label.label + (label.scope == LabelScope::flow); }
  bool has(std::size_t place) const { return place < bits_.size() * kRulesAWord && has_rule(bits_.data(), place); }

  std::vector<RuleWord> bits_;
};

}  // namespace warpmeter::inline policy
