// What is new in a change comes from a random policy: its rules, conditions and groups, with places of this one.
#include "random_change.h"

#include <algorithm>
#include <set>

#include "random_policy.h"
#include "reference_random.h"

namespace reference {
namespace {

constexpr size_t most_groups = 10;
const std::vector<std::string> long_patterns = {"^.*com", "^.*e", "^.{20,}[a-z]", "e.*x", "GET.*HTTP", "(a|b).*(0|1)"};

void remember(RuleDraft& rule, Random& random) {
  if (random.percent(60)) rule.conditions = {};
  if (random.percent(70)) rule.payload.clear();
  if (random.percent(70)) rule.stream = {random.pick(long_patterns)};
  if (random.percent(30)) rule.after = 2 + static_cast<int64_t>(random.below(8));
  rule.final = rule.final && random.percent(60);
}

// Of all groups, in any order.
void make_chain(PolicyDraft& policy, Random& random) {
  std::vector<GroupDraft*> order;
  for (GroupDraft& group : policy.groups) {
    order.push_back(&group);
    std::swap(order.back(), order[random.below(order.size())]);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (RuleDraft& rule : order[i]->rules) rule.next.reset();
    order[i]->match = order[i]->mismatch = i + 1 < order.size() ? order[i + 1]->id : to_out;
  }
  policy.init_default = order.front()->id;
  for (InitDraft& rule : policy.init)
    if (!is_end(rule.to)) rule.to = policy.init_default;
}

class Changer {
 public:
  Changer(const PolicyDraft& first, uint64_t seed)
      : random_(seed ^ 0x6368616e6765), columns_(columns_of(first)), earlier_{first}, policy_(first) {}

  // From the policy that was made last on.
  LaterPolicy change(int64_t behind) {
    donor_ = remembering_policy(random_.bits());
    for (GroupDraft& group : donor_.groups)
      for (RuleDraft& rule : group.rules)
        std::erase_if(rule.fields, [&](const auto& field) { return !columns_.contains(field.first); });
    std::string request;
    const uint64_t kind = random_.below(100);
    if (kind < 20) request = "set_memory\n" + toml(set_memory());
    else if (kind < 28) request = "set_init\n" + toml(set_init());
    else request = "replace\n" + toml(replaced(kind));
    earlier_.push_back(policy_);
    return {behind, policy_, request};
  }

 private:
  const PolicyDraft& replaced(uint64_t kind) {
    if (kind < 36) policy_ = donor_;
    else if (kind < 48) policy_ = random_.pick(earlier_);
    else if (kind < 95) {
      do edit();
      while (random_.percent(35));
    }
    return policy_;
  }

  void edit() {
    switch (random_.below(9)) {
      case 0: return add_group_that_is_reached();
      case 1: return remove_group();
      case 2: return change_init();
      case 3: return retarget(any_group());
      case 4: return make_chain(policy_, random_);
      default: return change_rules(any_group());
    }
  }

  GroupDraft& any_group() { return policy_.groups[random_.below(policy_.groups.size())]; }
  GroupDraft& group(int id) {
    return *std::find_if(policy_.groups.begin(), policy_.groups.end(), [&](const auto& g) { return g.id == id; });
  }
  bool has(int id) const {
    return std::any_of(policy_.groups.begin(), policy_.groups.end(), [&](const auto& g) { return g.id == id; });
  }
  const RuleDraft& new_rule() {
    const GroupDraft& of = random_.pick(donor_.groups);
    return random_.pick(of.rules);
  }

  // Calls `see(target)` with every place that says where to go.
  template <class See>
  static void for_each_target(GroupDraft& group, const See& see) {
    see(group.match);
    see(group.mismatch);
    for (RuleDraft& rule : group.rules)
      if (rule.next) see(*rule.next);
  }

  // Groups from which a packet may come to this one.
  std::set<int> before(int id) {
    std::set<int> found;
    for (bool more = true; more;) {
      more = false;
      for (GroupDraft& group : policy_.groups)
        for_each_target(group, [&](int to) {
          if (to == id || found.contains(to)) more = found.insert(group.id).second || more;
        });
    }
    return found;
  }

  // A group that may come behind this one, or an end: there is no way back.
  int behind(int id) {
    const std::set<int> not_these = before(id);
    std::vector<int> may;
    for (const GroupDraft& group : policy_.groups)
      if (group.id != id && !not_these.contains(group.id)) may.push_back(group.id);
    if (may.empty() || random_.percent(25)) return random_.percent(25) ? to_drop : to_out;
    return random_.pick(may);
  }

  void retarget(GroupDraft& group) {
    const uint64_t what = random_.below(3);
    if (what != 1) group.match = behind(group.id);
    if (what == 1) group.mismatch = behind(group.id);
    if (what == 2) group.mismatch = group.match;  // a chain
  }

  // With its rules as the donor has them, but for where they lead.
  void give_places(GroupDraft& group) {
    group.match = group.mismatch = to_out;
    for (RuleDraft& rule : group.rules) rule.next.reset();
    retarget(group);
    for (RuleDraft& rule : group.rules)
      if (random_.percent(12)) rule.next = behind(group.id);
  }

  void change_rules(GroupDraft& group) {
    RuleDraft fresh = new_rule();
    fresh.next.reset();
    switch (random_.below(10)) {
      case 0: group.all = !group.all; return;
      case 1: group.rules.insert(group.rules.begin() + place(group.rules.size() + 1), fresh); return;
      case 2:
        if (group.rules.size() > 1) group.rules.erase(group.rules.begin() + place(group.rules.size()));
        return;
      case 3: std::swap(group.rules.front(), group.rules.back()); return;
      default: return change_rule(group.id, group.rules[random_.below(group.rules.size())], fresh);
    }
  }

  void change_rule(int id, RuleDraft& rule, const RuleDraft& fresh) {
    switch (random_.below(9)) {
      case 0: rule.conditions = fresh.conditions; return;
      case 1: rule.payload = fresh.payload; return;
      case 2: rule.stream = fresh.stream; return;
      case 3: rule.labels = fresh.labels; return;
      case 4: rule.of_flow = !rule.of_flow; return;
      case 5: rule.fields = fresh.fields; return;
      case 6: rule.after = fresh.after; return;
      case 7: rule.final = !rule.final && random_.percent(30); return;
      default: rule.next = behind(id);
    }
  }

  std::ptrdiff_t place(size_t count) { return static_cast<std::ptrdiff_t>(random_.below(count)); }

  int free_id() {
    int id = 1;
    while (has(id) || random_.percent(60)) ++id;
    return id;
  }

  // Nobody leads there yet.
  GroupDraft& add_group() {
    GroupDraft made = random_.pick(donor_.groups);
    made.id = free_id();
    policy_.groups.push_back(made);
    give_places(policy_.groups.back());
    std::sort(policy_.groups.begin(), policy_.groups.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return group(made.id);
  }

  // Packets come to it from the initial table, or from a group that may lead there.
  void add_group_that_is_reached() {
    if (policy_.groups.size() >= most_groups) return;
    const int id = add_group().id;
    GroupDraft& leads = any_group();
    if (random_.percent(40)) policy_.init_default = id;
    else if (leads.id != id && !before(leads.id).contains(id)) leads.match = leads.mismatch = id;
  }

  // Who led there leads to where it led.
  void remove_group() {
    if (policy_.groups.size() < 2) return;
    const GroupDraft gone = any_group();
    std::erase_if(policy_.groups, [&](const auto& group) { return group.id == gone.id; });
    const auto lead_past = [&](int& to) { to = to == gone.id ? gone.match : to; };
    for (GroupDraft& group : policy_.groups) for_each_target(group, lead_past);
    for (InitDraft& rule : policy_.init) lead_past(rule.to);
    lead_past(policy_.init_default);
  }

  InitDraft new_init() {
    InitDraft made;
    if (!donor_.init.empty()) made.conditions = random_.pick(donor_.init).conditions;
    else made.conditions = new_rule().conditions;
    made.to = random_.percent(80) ? any_group().id : random_.pick({to_out, to_drop});
    return made;
  }

  void change_init() {
    const uint64_t what = random_.below(3);
    if (what == 0) policy_.init_default = random_.percent(85) ? any_group().id : to_out;
    else if (what == 1 && !policy_.init.empty()) policy_.init.pop_back();
    else policy_.init.push_back(new_init());
  }

  const InitDraft& set_init() { return *policy_.init.insert(policy_.init.begin(), new_init()); }

  const GroupDraft& set_memory() {
    if (random_.percent(30) && policy_.groups.size() < most_groups) return add_group();
    GroupDraft& group = any_group();
    if (random_.percent(30)) {
      group.rules = random_.pick(donor_.groups).rules;
      give_places(group);
    } else {
      if (random_.percent(70)) change_rules(group);
      if (random_.percent(50)) retarget(group);
    }
    return group;
  }

  Random random_;
  const std::set<std::string> columns_;
  std::vector<PolicyDraft> earlier_;
  PolicyDraft policy_, donor_;
};

}  // namespace

PolicyDraft remembering_policy(uint64_t seed) {
  Random random(seed ^ 0x6d656d6f7279);
  PolicyDraft made = random_policy(seed);
  for (GroupDraft& group : made.groups)
    for (RuleDraft& rule : group.rules) remember(rule, random);
  if (random.percent(70)) make_chain(made, random);
  return made;
}

std::vector<LaterPolicy> random_changes(const PolicyDraft& first, uint64_t seed, int64_t frames) {
  Random random(seed ^ 0x706c61636573);
  const auto any = [&] { return static_cast<int64_t>(random.below(static_cast<uint64_t>(frames) + 1)); };
  std::vector<int64_t> places;
  do places.push_back(random.percent(5) ? frames : any());
  while (random.percent(55));
  if (random.percent(20)) places.push_back(places.back());
  std::sort(places.begin(), places.end());
  Changer changer(first, seed);
  std::vector<LaterPolicy> changes;
  for (const int64_t place : places) changes.push_back(changer.change(place));
  return changes;
}

}  // namespace reference
