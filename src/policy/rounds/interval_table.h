// Which rules of a group hold for a number, or an address: the conditions of all rules cut what there is into
// intervals, each with one bitmap of rules. One search finds it, however many rules there are.
//
// Threads: any, once it is built.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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

}  // namespace warpmeter::inline policy
