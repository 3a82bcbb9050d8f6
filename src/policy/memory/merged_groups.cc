#include "policy/memory/merged_groups.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpmeter::inline policy {
namespace {

// The one group that all packets of this one come to next; kOut: there is none. A rule that is final may lead
// elsewhere: its packet is the last of the connection that any group decides about.
GroupId only_follower(const Group& group) {
  const GroupId next = group.mismatch;
  const auto leads_there = [&](const Rule& rule) { return rule.final || rule.next.value_or(group.match) == next; };
  return !is_end(next) && std::ranges::all_of(group.rules, leads_there) ? next : kOut;
}

// Of each group, how many groups lead there, the initial table counted as one each time.
std::map<GroupId, unsigned> ways_into(const PolicyMemory& memory) {
  std::map<GroupId, unsigned> ways;
  ++ways[memory.init_default()];
  for (const InitRule& rule : memory.init()) ++ways[rule.to];
  const std::vector<GroupId> never = memory.unreachable();
  for (const auto& [id, group] : memory.groups()) {
    if (std::binary_search(never.begin(), never.end(), id)) continue;
    const std::vector<GroupId> followers = group.followers();
    for (const GroupId next : std::set<GroupId>(followers.begin(), followers.end())) ++ways[next];
  }
  return ways;
}

}  // namespace

std::vector<std::vector<GroupId>> merged_groups(const PolicyMemory& memory) {
  const std::map<GroupId, unsigned> ways = ways_into(memory);
  const std::vector<GroupId> never = memory.unreachable();
  std::set<GroupId> taken;
  std::vector<std::vector<GroupId>> chains;
  for (GroupId id : memory.order()) {
    if (taken.contains(id)) continue;
    chains.emplace_back();
    const bool reached = !std::binary_search(never.begin(), never.end(), id);
    while (true) {
      taken.insert(id);
      chains.back().push_back(id);
      id = only_follower(memory.groups().at(id));
      if (!reached || id == kOut || ways.at(id) != 1) break;
    }
  }
  return chains;
}

}  // namespace warpmeter::inline policy
