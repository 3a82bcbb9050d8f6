// Another policy between two packets: docs/policies.md, "While a capture runs", written down once more.
#include <algorithm>

#include "policy_oracle.h"

namespace reference {
namespace {

std::vector<PatternOracle> made_of(const std::vector<std::string>& patterns) {
  return {patterns.begin(), patterns.end()};
}

// Where a packet may go from this group.
std::set<int> followers(const GroupDraft& group) {
  std::set<int> all{group.match, group.mismatch};
  for (const RuleDraft& rule : group.rules)
    if (rule.next) all.insert(*rule.next);
  return all;
}

// Where all its packets go, whatever matches, if that is a group. Who has met a rule that is final, to them nothing
// happens any more that a later packet could show.
std::optional<int> only_follower(const GroupDraft& group) {
  if (is_end(group.mismatch)) return {};
  for (const RuleDraft& rule : group.rules)
    if (!rule.final && rule.next.value_or(group.match) != group.mismatch) return {};
  return group.mismatch;
}

// Of groups that packets come to: by whom, with an entry for each line of the initial table.
std::map<int, std::vector<const GroupDraft*>> ways_in(const PolicyDraft& policy) {
  std::map<int, std::vector<const GroupDraft*>> ways;
  std::set<int> seen;
  std::vector<int> todo;
  const auto lead = [&](const GroupDraft* from, int to) {
    if (is_end(to)) return;
    ways[to].push_back(from);
    if (seen.insert(to).second) todo.push_back(to);
  };
  lead(nullptr, policy.init_default);
  for (const InitDraft& rule : policy.init) lead(nullptr, rule.to);
  while (!todo.empty()) {
    const int id = todo.back();
    todo.pop_back();
    for (const GroupDraft& group : policy.groups)
      if (group.id == id)
        for (const int to : followers(group)) lead(&group, to);
  }
  return ways;
}

// Of each group those that share its scan, in the order in which packets pass them.
std::map<int, std::vector<int>> scans(const PolicyDraft& policy, bool are_shared) {
  std::map<int, std::vector<int>> all;
  for (const GroupDraft& group : policy.groups) all[group.id] = {group.id};
  if (!are_shared) return all;
  std::map<int, int> behind;  // by the group before
  std::set<int> joined;
  for (const auto& [id, ways] : ways_in(policy)) {
    if (ways.size() != 1 || !ways[0] || only_follower(*ways[0]) != id) continue;
    behind[ways[0]->id] = id;
    joined.insert(id);
  }
  for (const GroupDraft& group : policy.groups) {
    if (joined.contains(group.id)) continue;
    std::vector<int> chain{group.id};
    while (behind.contains(chain.back())) chain.push_back(behind.at(chain.back()));
    for (const int id : chain) all[id] = chain;
  }
  return all;
}

// Groups of both policies that have the same mode and the same rules.
std::set<int> unchanged_groups(const PolicyDraft& before, const PolicyDraft& now) {
  std::set<int> same;
  for (const GroupDraft& old : before.groups)
    for (const GroupDraft& group : now.groups)
      if (group.id == old.id && group.all == old.all && group.rules == old.rules) same.insert(group.id);
  return same;
}

}  // namespace

void PolicyOracle::change_to(const PolicyDraft& policy) {
  const std::set<int> unchanged = unchanged_groups(policy_, policy);
  const auto before = scans(policy_, bounds_.shares_scans), now = scans(policy, bounds_.shares_scans);
  const auto has_changed = [&](int id) { return !unchanged.contains(id); };
  for (Connection& connection : connections_) {
    std::erase_if(connection.groups, [&](const auto& group) { return has_changed(group.first); });
    for (auto& [id, state] : connection.groups) {
      const std::vector<int>& scan = now.at(id);
      if (scan != before.at(id) || std::any_of(scan.begin(), scan.end(), has_changed)) state.texts = {};
    }
  }
  std::erase_if(result_.groups, [&](const auto& group) { return has_changed(group.first); });
  policy_ = policy;
  begin_policy();
}

// What follows from the policy; counting goes on where it is.
void PolicyOracle::begin_policy() {
  groups_.clear();
  patterns_.clear();
  for (const GroupDraft& group : policy_.groups) {
    groups_[group.id] = &group;
    result_.groups[group.id].hits.resize(group.rules.size());
    for (size_t i = 0; i < group.rules.size(); ++i)
      patterns_[{group.id, i}] = {made_of(group.rules[i].payload), made_of(group.rules[i].stream)};
  }
}

}  // namespace reference
