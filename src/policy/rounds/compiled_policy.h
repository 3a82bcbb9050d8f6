// The policy memory made ready for packets: groups in topological order, their header conditions as tables, their
// patterns as databases, labels and columns as numbers.
//
// Groups of a chain, of which each passes all its packets to the next one and gets no others, look at the same bytes:
// with `fuse` they share a scan unit, whose one scan has the answer of each. Their rounds then cost bookkeeping. The
// same packets must reach all of them, or they would not share a text (docs/policies.md, "Streams").
//
// Threads: any, once it is made. Errors: PolicyError.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/memory/policy_memory.h"
#include "policy/patterns/pattern_set.h"
#include "policy/rounds/rule_table.h"

namespace warpmeter::inline policy {

using LabelNumber = std::uint16_t;

// A label on connections that some packet of this one brought.
struct BroughtLabel {
  LabelNumber label;
  LabelScope scope;
  bool operator==(const BroughtLabel&) const = default;
};

// Which labels there are, by scope: a policy may have thousands, and a packet may bring them all. One owner.
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

using GroupPlace = std::uint32_t;  // in topological order, or an end
inline constexpr GroupPlace kOutPlace = 0xfffffffe;
inline constexpr GroupPlace kDropPlace = 0xffffffff;
inline bool is_end_place(GroupPlace place) { return place >= kOutPlace; }

inline constexpr std::uint32_t kNoCounter = 0xffffffff;

struct CompiledField {
  std::uint32_t column;  // number among the columns of fields
  FieldKind kind;
  bool operator==(const CompiledField&) const = default;
};

struct CompiledRule {
  std::vector<LabelNumber> labels_all, labels_none, labels;
  LabelSet many_labels;  // of these, where they are many
  std::vector<CompiledField> fields;
  LabelScope scope = LabelScope::connection;
  bool has_payload = false, has_stream = false, final = false;
  std::uint64_t after = 1;
  std::uint32_t counter = kNoCounter;  // of hits in a connection, where `after` asks for them
  std::optional<GroupPlace> next;
};

struct CompiledGroup {
  GroupId id;
  std::uint64_t since = 0;  // the change of the policy that its rules, or its mode, came with
  bool all = false;         // mode
  std::vector<CompiledRule> rules;
  RuleTable headers;
  std::vector<RuleWord> without_payload, without_stream;  // rules that ask for no such pattern
  bool needs_payload = false, needs_stream = false;       // there are no such rules
  GroupPlace match = kOutPlace, mismatch = kOutPlace;
  std::uint32_t unit = 0;        // that scans for it
  std::uint32_t chain = 1;       // groups of that unit, where they begin here; 0: an earlier one of them leads here
  std::uint32_t first_rule = 0;  // of the unit's rules; begins a word of their bitmap
  std::uint32_t first_hit = 0;   // of its rules among all rules
};

// One scan for one group, or for a fused chain of them. Rules are numbered through its groups, those of each from a
// multiple of kRulesAWord on.
//
// Where a policy takes the place of another, a unit that has the same groups with the same rules as one there has its
// patterns: so a PatternStream of that goes on.
struct ScanUnit {
  std::uint32_t rules = 0;
  std::shared_ptr<const PatternSet> payload, stream;     // null: no group has such patterns
  std::vector<std::uint32_t> payload_rule, stream_rule;  // of each pattern
};

class CompiledPolicy {
 public:
  // `before`: in whose place it comes; then it has the columns of that one, and refuses others, and numbers its labels
  // behind those of that one.
  CompiledPolicy(PolicyMemory memory, bool fuse, const CompiledPolicy* before = nullptr);

  const PolicyMemory& memory() const { return memory_; }
  const std::vector<CompiledGroup>& groups() const { return groups_; }  // in topological order
  const std::vector<ScanUnit>& units() const { return units_; }
  const RuleTable& init() const { return init_; }
  GroupPlace place_of(GroupId id) const;  // REQUIRES: there is such a group
  // Where packets begin of which this init rule is the first that holds; the number of rules: of the default.
  GroupPlace init_place(std::size_t rule) const { return init_places_[rule]; }
  const std::vector<GroupPlace>& init_places() const { return init_places_; }

  const std::vector<std::string>& labels() const { return labels_; }    // by number, also of those before
  const std::vector<std::string>& columns() const { return columns_; }  // of fields, by number
  bool has_fields() const { return !columns_.empty(); }
  bool has_streams() const { return has_streams_; }
  bool asks_for_labels() const { return asks_for_labels_; }
  std::uint32_t rules() const { return rules_; }  // of all groups

 private:
  void add_group(const Group& group);
  CompiledRule compile(const Rule& rule);
  void make_units(bool fuse, const CompiledPolicy* before);
  void add_unit(const std::vector<GroupPlace>& chain, const CompiledPolicy* before);
  const ScanUnit* same_unit(const std::vector<GroupPlace>& chain, std::uint32_t rules,
                            const CompiledPolicy& before) const;
  void fill(ScanUnit& unit, const std::vector<GroupPlace>& chain) const;
  LabelNumber label_number(const std::string& label);
  void take_columns(const CompiledPolicy& before);
  void find_changes(const CompiledPolicy& before);

  PolicyMemory memory_;
  std::vector<GroupId> order_;
  std::unordered_map<GroupId, GroupPlace> places_;
  std::vector<CompiledGroup> groups_;
  std::vector<ScanUnit> units_;
  RuleTable init_;
  std::vector<GroupPlace> init_places_;
  std::vector<std::string> labels_, columns_;
  std::unordered_map<std::string, LabelNumber> label_numbers_;
  std::uint32_t counters_ = 0, rules_ = 0;
  std::uint64_t change_ = 0;
  bool has_streams_ = false, asks_for_labels_ = false;
};

}  // namespace warpmeter::inline policy
