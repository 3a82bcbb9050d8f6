// What becomes of a packet in its rounds, what is counted of all packets, and what of both goes on where another policy
// takes the place of the one in force.
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "policy/rounds/compiled_policy.h"
#include "policy/rounds/policy_connection.h"

namespace warpmeter::inline policy {

template <class T>
void add_once(std::vector<T>& to, const T& value) {
  if (std::ranges::find(to, value) == to.end()) to.push_back(value);
}

// One packet through one group.
struct Round {
  GroupPlace group;
  bool matched;
};

// What a packet's rounds gave.
struct Outcome {
  std::vector<Round> path;
  std::vector<std::uint32_t> hits;        // rules that matched, among those of all groups
  std::vector<BroughtLabel> labels;       // perhaps the first of each scope only
  std::array<std::size_t, 2> of_scope{};  // of these: how many; connection, flow
  LabelSet has_label;                     // of all that it brought, as far as somebody may ask
  std::vector<CompiledField> fields;
  GroupPlace at = kOutPlace;  // where it is; in the end its fate
  bool final = false, truncated = false;

  // What a packet has it has of a group in its path.
  void begin(GroupPlace place) {
    if (!path.empty()) clear();
    at = place;
  }
  // Of the rule's scope, `most` are listed; the others are known if `asks`: later rounds may ask for labels.
  void add_labels(const CompiledRule& rule, std::size_t most, bool asks);

 private:
  void clear();
};

// Where another policy comes meanwhile, groups and rules are those of the last one: of groups that it has unchanged
// counting goes on, others begin anew. The other counters are of all.
struct PolicyCounters {
  struct OfGroup {
    std::uint64_t matched = 0, mismatched = 0;
  };
  std::shared_ptr<const CompiledPolicy> policy = nullptr;  // the last one
  std::uint64_t rounds = 0;
  std::uint64_t dropped = 0;        // packets
  std::uint64_t truncated = 0;      // packets that left for want of rounds
  std::uint64_t forgotten = 0;      // connections whose state went for want of memory
  std::vector<OfGroup> groups;      // in topological order
  std::vector<std::uint64_t> hits;  // of all rules, group by group

  // What a packet's rounds gave.
  void count(const Outcome& outcome) {
    dropped += outcome.at == kDropPlace;
    if (!outcome.path.empty()) count_rounds(outcome);
  }
  // Groups and rules only if both are of one policy, or there was none.
  void add(const PolicyCounters& other);

 private:
  void count_rounds(const Outcome& outcome);
};

// Who wants to see each packet.
class OutcomeWatcher {
 public:
  virtual ~OutcomeWatcher() = default;
  virtual void settled(std::uint64_t packet, const Outcome& outcome) = 0;
};

// Which numbers another policy has for what it has unchanged.
struct PolicyChange {
  PolicyChange(const CompiledPolicy& old, const CompiledPolicy& now);

  // As another policy goes on with them. REQUIRES: they are of `old`; `policy`: now.
  PolicyCounters counters_after(const PolicyCounters& before, std::shared_ptr<const CompiledPolicy> policy) const;

  static constexpr std::uint32_t kNowhere = PolicyConnection::kNowhere;
  std::vector<std::uint32_t> units, counters;  // PolicyConnection::renumber()
  std::vector<std::pair<GroupPlace, GroupPlace>> groups;
};

}  // namespace warpmeter::inline policy
