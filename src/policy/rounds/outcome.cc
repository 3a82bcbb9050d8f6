#include "policy/rounds/outcome.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline policy {

void Outcome::clear() {
  path.clear();
  hits.clear();
  if (!labels.empty()) has_label.clear();
  labels.clear();
  of_scope = {};
  fields.clear();
  final = truncated = false;
}

void Outcome::add_labels(const CompiledRule& rule, std::size_t most, bool asks) {
  std::size_t& count = of_scope[rule.scope == LabelScope::flow];
  for (const LabelNumber label : rule.labels) {
    if (count == most && !asks) return;
    if (count == most && !rule.many_labels.empty()) return has_label.add(rule.many_labels);
    const BroughtLabel brought{label, rule.scope};
    if (!has_label.add(brought) || count == most) continue;
    labels.push_back(brought);
    ++count;
  }
}

void PolicyCounters::count_rounds(const Outcome& outcome) {
  rounds += outcome.path.size();
  truncated += outcome.truncated;
  for (const Round& round : outcome.path) {
    OfGroup& of_group = groups[round.group];
    ++(round.matched ? of_group.matched : of_group.mismatched);
  }
  for (const std::uint32_t rule : outcome.hits) ++hits[rule];
}

void PolicyCounters::add(const PolicyCounters& other) {
  if (!policy) policy = other.policy;
  rounds += other.rounds;
  dropped += other.dropped;
  forgotten += other.forgotten;
  truncated += other.truncated;
  if (policy != other.policy) return;
  groups.resize(std::max(groups.size(), other.groups.size()));
  hits.resize(std::max(hits.size(), other.hits.size()));
  for (std::size_t i = 0; i < other.groups.size(); ++i) {
    groups[i].matched += other.groups[i].matched;
    groups[i].mismatched += other.groups[i].mismatched;
  }
  for (std::size_t i = 0; i < other.hits.size(); ++i) hits[i] += other.hits[i];
}

PolicyChange::PolicyChange(const CompiledPolicy& old, const CompiledPolicy& now) : units(old.units().size(), kNowhere) {
  for (const CompiledGroup& group : old.groups()) {
    for (const CompiledRule& rule : group.rules) {
      if (rule.counter != kNoCounter)
        counters.resize(std::max<std::size_t>(counters.size(), rule.counter + 1), kNowhere);
    }
    if (!now.memory().groups().contains(group.id)) continue;
    const CompiledGroup& same = now.groups()[now.place_of(group.id)];
    if (same.since != group.since) continue;
    groups.emplace_back(old.place_of(group.id), now.place_of(group.id));
    for (std::size_t i = 0; i < group.rules.size(); ++i) {
      if (group.rules[i].counter != kNoCounter) counters[group.rules[i].counter] = same.rules[i].counter;
    }
    const auto& stream = old.units()[group.unit].stream;
    if (stream && stream == now.units()[same.unit].stream) units[group.unit] = same.unit;
  }
}

PolicyCounters PolicyChange::counters_after(const PolicyCounters& before,
                                            std::shared_ptr<const CompiledPolicy> policy) const {
  PolicyCounters after;
  after.policy = std::move(policy);
  after.add(before);
  after.groups.resize(after.policy->groups().size());
  after.hits.resize(after.policy->rules());
  for (const auto& [old, now] : groups) {
    after.groups[now] = before.groups[old];
    const CompiledGroup& group = after.policy->groups()[now];
    std::copy_n(&before.hits[before.policy->groups()[old].first_hit], group.rules.size(), &after.hits[group.first_hit]);
  }
  return after;
}

}  // namespace warpmeter::inline policy
