#include "policy/rounds/compiled_policy.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace warpmeter::inline policy {
namespace {

constexpr std::size_t kManyLabels = 64;  // of a rule: as a set they are added sooner than one by one

RuleTable init_table(const PolicyMemory& memory) {
  std::vector<const Conditions*> conditions;
  for (const InitRule& rule : memory.init()) conditions.push_back(&rule.conditions);
  return RuleTable(conditions);
}

// Names of rules, and where the group leads, change nothing of what it keeps of a connection.
bool same_rules(const Group& a, const Group& b) {
  const auto same = [](const Rule& x, Rule y) {
    y.name = x.name;
    return x == y;
  };
  return a.mode == b.mode && std::ranges::equal(a.rules, b.rules, same);
}

RuleTable header_table(const Group& group) {
  std::vector<const Conditions*> conditions;
  for (const Rule& rule : group.rules) conditions.push_back(&rule.conditions);
  return RuleTable(conditions);
}

}  // namespace

CompiledPolicy::CompiledPolicy(PolicyMemory memory, bool fuse, const CompiledPolicy* before)
    : memory_(std::move(memory)),
      order_(memory_.order()),
      init_(init_table(memory_)),
      columns_(memory_.field_columns()) {
  if (before) {
    take_columns(*before);
    labels_ = before->labels_;
    label_numbers_ = before->label_numbers_;
  }
  for (const GroupId id : order_) places_.emplace(id, static_cast<GroupPlace>(places_.size()));
  for (const GroupId id : order_) add_group(memory_.groups().at(id));
  for (const InitRule& rule : memory_.init()) init_places_.push_back(place_of(rule.to));
  init_places_.push_back(place_of(memory_.init_default()));
  if (before) find_changes(*before);
  make_units(fuse, before);
}

void CompiledPolicy::take_columns(const CompiledPolicy& before) {
  for (const std::string& column : columns_) {
    if (std::ranges::find(before.columns_, column) != before.columns_.end()) continue;
    throw PolicyError("column " + column + ": outputs have the columns of fields that the run began with");
  }
  columns_ = before.columns_;
}

void CompiledPolicy::find_changes(const CompiledPolicy& before) {
  change_ = before.change_ + 1;
  for (CompiledGroup& group : groups_) {
    const auto old = before.memory_.groups().find(group.id);
    const bool is_same = old != before.memory_.groups().end() && same_rules(old->second, memory_.groups().at(group.id));
    group.since = is_same ? before.groups_[before.place_of(group.id)].since : change_;
  }
}

GroupPlace CompiledPolicy::place_of(GroupId id) const {
  if (id == kOut) return kOutPlace;
  if (id == kDrop) return kDropPlace;
  return places_.at(id);
}

LabelNumber CompiledPolicy::label_number(const std::string& label) {
  const auto [found, is_new] = label_numbers_.try_emplace(label, static_cast<LabelNumber>(labels_.size()));
  if (!is_new) return found->second;
  if (labels_.size() > std::numeric_limits<LabelNumber>::max()) throw PolicyError("more than 65536 labels");
  labels_.push_back(label);
  return found->second;
}

CompiledRule CompiledPolicy::compile(const Rule& rule) {
  CompiledRule to;
  for (const std::string& label : rule.labels_all) to.labels_all.push_back(label_number(label));
  for (const std::string& label : rule.labels_none) to.labels_none.push_back(label_number(label));
  for (const std::string& label : rule.labels) to.labels.push_back(label_number(label));
  for (const RuleField& field : rule.fields) {
    const auto column = std::ranges::find(columns_, field.column) - columns_.begin();
    to.fields.push_back({static_cast<std::uint32_t>(column), field.kind});
  }
  asks_for_labels_ = asks_for_labels_ || !to.labels_all.empty() || !to.labels_none.empty();
  to.scope = rule.scope;
  if (to.labels.size() >= kManyLabels) {
    for (const LabelNumber label : to.labels) to.many_labels.add({label, rule.scope});
  }
  to.has_payload = !rule.payload.empty();
  to.has_stream = !rule.stream.empty();
  to.final = rule.final;
  to.after = rule.after;
  if (rule.after > 1) to.counter = counters_++;
  if (rule.next) to.next = place_of(*rule.next);
  return to;
}

void CompiledPolicy::add_group(const Group& group) {
  CompiledGroup to{.id = group.id,
                   .all = group.mode == GroupMode::all,
                   .rules = {},
                   .headers = header_table(group),
                   .without_payload = {},
                   .without_stream = {},
                   .match = place_of(group.match),
                   .mismatch = place_of(group.mismatch),
                   .first_hit = rules_};
  for (const Rule& rule : group.rules) to.rules.push_back(compile(rule));
  to.without_payload.resize(to.headers.words());
  to.without_stream.resize(to.headers.words());
  for (std::size_t i = 0; i < to.rules.size(); ++i) {
    if (!to.rules[i].has_payload) set_rule(to.without_payload.data(), i);
    if (!to.rules[i].has_stream) set_rule(to.without_stream.data(), i);
  }
  to.needs_payload = std::ranges::all_of(to.rules, &CompiledRule::has_payload);
  to.needs_stream = std::ranges::all_of(to.rules, &CompiledRule::has_stream);
  rules_ += static_cast<std::uint32_t>(group.rules.size());
  groups_.push_back(std::move(to));
}

void CompiledPolicy::make_units(bool fuse, const CompiledPolicy* before) {
  for (const std::vector<GroupId>& merged : merged_groups(memory_)) {
    std::vector<GroupPlace> chain;
    for (const GroupId id : merged) {
      chain.push_back(place_of(id));
      if (!fuse || id == merged.back()) add_unit(std::exchange(chain, {}), before);
    }
  }
}

void CompiledPolicy::add_unit(const std::vector<GroupPlace>& chain, const CompiledPolicy* before) {
  ScanUnit unit;
  for (const GroupPlace place : chain) {
    groups_[place].unit = static_cast<std::uint32_t>(units_.size());
    groups_[place].chain = place == chain.front() ? static_cast<std::uint32_t>(chain.size()) : 0;
    groups_[place].first_rule = unit.rules;
    unit.rules += static_cast<std::uint32_t>(groups_[place].headers.words() * kRulesAWord);
  }
  if (const ScanUnit* const same = before ? same_unit(chain, unit.rules, *before) : nullptr) unit = *same;
  else fill(unit, chain);
  has_streams_ = has_streams_ || unit.stream != nullptr;
  units_.push_back(std::move(unit));
}

// Null: there is none.
const ScanUnit* CompiledPolicy::same_unit(const std::vector<GroupPlace>& chain, std::uint32_t rules,
                                          const CompiledPolicy& before) const {
  const auto old = [&](GroupPlace place) -> const CompiledGroup* {
    const GroupId id = groups_[place].id;
    return before.memory_.groups().contains(id) ? &before.groups_[before.place_of(id)] : nullptr;
  };
  const CompiledGroup* const first = old(chain.front());
  if (!first || before.units_[first->unit].rules != rules) return nullptr;
  for (const GroupPlace place : chain) {
    const CompiledGroup* const group = old(place);
    if (!group || group->unit != first->unit || group->since != groups_[place].since ||
        group->first_rule != groups_[place].first_rule) {
      return nullptr;
    }
  }
  return &before.units_[first->unit];
}

void CompiledPolicy::fill(ScanUnit& unit, const std::vector<GroupPlace>& chain) const {
  std::vector<std::string> payload, stream;
  for (const GroupPlace place : chain) {
    const Group& group = memory_.groups().at(groups_[place].id);
    for (std::uint32_t i = 0; i < group.rules.size(); ++i) {
      const std::uint32_t rule = groups_[place].first_rule + i;
      payload.insert(payload.end(), group.rules[i].payload.begin(), group.rules[i].payload.end());
      unit.payload_rule.resize(payload.size(), rule);
      stream.insert(stream.end(), group.rules[i].stream.begin(), group.rules[i].stream.end());
      unit.stream_rule.resize(stream.size(), rule);
    }
  }
  if (!payload.empty()) unit.payload = std::make_shared<PatternSet>(payload, PatternMode::block);
  if (!stream.empty()) unit.stream = std::make_shared<PatternSet>(stream, PatternMode::stream);
}

}  // namespace warpmeter::inline policy
