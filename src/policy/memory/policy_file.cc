#include "policy/memory/policy_file.h"

#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/words/printable.h"
#include "policy/memory/rule_values.h"
#include "policy/memory/toml_section.h"
#include "policy/patterns/pattern_set.h"

namespace warpmeter::inline policy {
namespace {

constexpr std::array<std::string_view, 14> kConditionKeys = {
    "version", "protocol",       "src",   "dst",       "src_port", "dst_port", "port", "vlan",
    "length",  "payload_length", "flags", "not_flags", "way",      "nth"};

toml::table parsed(std::string_view text) {
  if (text.size() > kMostPolicyBytes) {
    throw PolicyError("more than " + std::to_string(kMostPolicyBytes >> 20) + " MiB");
  }
  check_toml_text(text);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw PolicyError("TOML: " + shortened(printable(error.description())) + line_words(error.source()));
  }
}

GroupId group_of(const toml::node& node, const GroupNames& names) {
  if (node.is_integer()) {
    const std::int64_t id = node.ref<std::int64_t>();
    if (id >= 1 && id < kDrop) return static_cast<GroupId>(id);
    throw PolicyError("there is no group " + std::to_string(id));
  }
  if (!node.is_string()) throw PolicyError("a group is named by its id or its name, or is \"OUT\" or \"DROP\"");
  const std::string& name = node.ref<std::string>();
  if (name == "OUT") return kOut;
  if (name == "DROP") return kDrop;
  const auto found = names.find(name);
  if (found != names.end()) return found->second;
  throw PolicyError("there is no group " + shortened(printable(name)));
}

std::optional<GroupId> group_at(const TomlSection& section, std::string_view key, const GroupNames& names) {
  std::optional<GroupId> id;
  if (const toml::node* const node = section.find(key)) {
    section.guarded(*node, [&](const toml::node& n) { id = group_of(n, names); });
  }
  return id;
}

// --- conditions

std::uint8_t protocol_at(const toml::node& node) {
  if (node.is_string()) return protocol_of(node.ref<std::string>());
  if (node.is_integer() && node.ref<std::int64_t>() >= 0 && node.ref<std::int64_t>() < 256) {
    return static_cast<std::uint8_t>(node.ref<std::int64_t>());
  }
  throw PolicyError("unknown protocol: a name, or a number from 0 to 255");
}

void take_addresses(const TomlSection& section, Conditions& c) {
  using Given = Conditions::Given<AddressPrefix>;
  for (const auto& [key, given] : {std::pair<const char*, Given*>{"src", &c.source}, {"dst", &c.destination}}) {
    std::vector<AddressPrefix> prefixes;
    const auto add = [&prefixes, name = std::string(key)](const toml::node& n) {
      if (!n.is_string()) throw PolicyError(name + " is a text, in quotes");
      prefixes.push_back(parse_prefix(n.ref<std::string>()));
    };
    if (section.each(key, add)) *given = std::move(prefixes);
  }
}

void take_numbers(const TomlSection& section, Conditions& c) {
  using Given = Conditions::Given<ValueRange>;
  const std::pair<const char*, Given*> all[] = {
      {"src_port", &c.source_port}, {"dst_port", &c.destination_port},     {"port", &c.port}, {"vlan", &c.vlan},
      {"length", &c.length},        {"payload_length", &c.payload_length}, {"nth", &c.nth}};
  for (const auto& [key, given] : all) {
    std::vector<ValueRange> ranges;
    if (section.each(key, [&](const toml::node& n) { ranges.push_back(range_of(n)); })) *given = std::move(ranges);
  }
}

Conditions conditions_of(const TomlSection& section) {
  Conditions c;
  c.version = section.number("version", "version is 4 or 6");
  if (c.version && *c.version != 4 && *c.version != 6) section.fail("version is 4 or 6", *section.find("version"));
  std::vector<std::uint8_t> protocols;
  section.each("protocol", [&](const toml::node& n) { protocols.push_back(protocol_at(n)); });
  if (!protocols.empty()) c.protocol = std::move(protocols);
  take_addresses(section, c);
  take_numbers(section, c);
  for (const auto& [key, flags] :
       {std::pair<const char*, std::uint8_t*>{"flags", &c.flags}, {"not_flags", &c.not_flags}}) {
    const toml::node* const node = section.find(key);
    if (!node) continue;
    const std::string& letters = section.text_of(*node, key);
    section.guarded(*node, [&, to = flags](const toml::node&) { *to = parse_flags(letters); });
    c.has_flags = true;
  }
  if (const std::optional<std::string> way = section.text("way")) {
    if (*way != "client" && *way != "server") section.fail("way is client or server", *section.find("way"));
    c.way = *way == "client" ? Way::client : Way::server;
  }
  return c;
}

// --- rules

std::vector<std::string> labels_at(const TomlSection& section, std::string_view key) {
  std::vector<std::string> labels;
  section.each(key, [&](const toml::node& n) {
    if (!n.is_string()) throw PolicyError("a label is a text, in quotes");
    check_label(n.ref<std::string>());
    labels.push_back(n.ref<std::string>());
  });
  return labels;
}

std::vector<RuleField> fields_of(const TomlSection& section) {
  std::vector<RuleField> fields;
  const toml::node* const node = section.find("field");
  if (!node) return fields;
  if (!node->is_table()) section.fail("field is a table, as { host = \"http.host\" }", *node);
  for (const auto& [key, value] : *node->as_table()) {
    const std::string column(key.str());
    section.guarded(value, [&](const toml::node& n) {
      check_column(column);
      const std::optional<FieldKind> kind = n.is_string() ? field_kind(n.ref<std::string>()) : std::nullopt;
      if (!kind)
        throw PolicyError("unknown field" + (n.is_string() ? " " + shortened(printable(n.ref<std::string>())) : ""));
      fields.push_back({column, *kind});
    });
  }
  return fields;
}

// Patterns of one kind of a group, each with the rule and the line that it is of.
struct Patterns {
  struct Place {
    std::size_t rule;  // from 1 on
    std::string line;
  };
  std::vector<std::string> texts;
  std::vector<Place> places;
};

std::vector<std::string> patterns_at(const TomlSection& section, std::string_view key, std::size_t rule,
                                     Patterns& all) {
  std::vector<std::string> patterns;
  section.each(key, [&](const toml::node& n) {
    if (!n.is_string()) throw PolicyError("a pattern is a text, in quotes");
    std::optional<std::string> bytes = latin1(n.ref<std::string>());
    if (!bytes) throw PolicyError("pattern " + in_quotes(n.ref<std::string>()) + " is not Latin-1");
    all.texts.push_back(*bytes);
    all.places.push_back({rule, line_words(n.source())});
    patterns.push_back(std::move(*bytes));
  });
  return patterns;
}

struct GroupPatterns {
  Patterns payload, stream;
};

// Compiles them, as whoever runs the policy will.
void check_patterns(const Patterns& patterns, PatternMode mode, const std::string& group) {
  if (patterns.texts.size() > kMostPatternsOfAGroup) {
    throw PolicyError(group + ": more than " + std::to_string(kMostPatternsOfAGroup) + " patterns of " +
                      (mode == PatternMode::stream ? "stream" : "payload"));
  }
  try {
    const PatternSet set(patterns.texts, mode);
  } catch (const PatternError& error) {
    if (error.place() == PatternError::kNoPlace) throw PolicyError(group + ": " + error.what());
    const Patterns::Place& place = patterns.places[error.place()];
    throw PolicyError(rule_place(group, place.rule) + ": pattern " + in_quotes(patterns.texts[error.place()]) + ": " +
                      error.what() + place.line);
  }
}

Rule rule_of(const TomlSection& section, std::size_t number, const GroupNames& names, GroupPatterns& patterns) {
  section.allow(
      {"name", "label_is", "label_is_not", "payload", "stream", "after", "label", "scope", "field", "next", "final"},
      kConditionKeys);
  Rule rule;
  rule.name = section.text("name").value_or(section.place());
  const std::string scope = section.text("scope").value_or("connection");
  if (scope != "flow" && scope != "connection") section.fail("scope is flow or connection", *section.find("scope"));
  rule.scope = scope == "flow" ? LabelScope::flow : LabelScope::connection;
  const std::int64_t after = section.number("after", "after is a number from 1 on").value_or(1);
  if (after < 1) section.fail("after is a number from 1 on", *section.find("after"));
  rule.after = static_cast<std::uint64_t>(after);
  rule.fields = fields_of(section);
  rule.labels = labels_at(section, "label");
  rule.labels_all = labels_at(section, "label_is");
  rule.labels_none = labels_at(section, "label_is_not");
  rule.conditions = conditions_of(section);
  rule.payload = patterns_at(section, "payload", number, patterns.payload);
  rule.stream = patterns_at(section, "stream", number, patterns.stream);
  rule.next = group_at(section, "next", names);
  rule.final = section.flag("final");
  return rule;
}

void take_rules(const TomlSection& section, const GroupNames& names, Group& group) {
  GroupPatterns patterns;
  const std::string mode = section.text("mode").value_or("first");
  if (mode != "first" && mode != "all") section.fail("mode is first or all", *section.find("mode"));
  group.mode = mode == "all" ? GroupMode::all : GroupMode::first;
  section.tables("rule", [&](const toml::table& table, std::size_t number) {
    group.rules.push_back(rule_of({table, rule_place(section.place(), number)}, number, names, patterns));
  });
  if (group.rules.empty()) section.fail("no rules");
  check_patterns(patterns.payload, PatternMode::block, section.place());
  check_patterns(patterns.stream, PatternMode::stream, section.place());
}

Group group_of_table(GroupId id, const toml::table& table, const GroupNames& names) {
  const TomlSection section(table, "group " + std::to_string(id));
  Group group;
  group.id = id;
  group.name = section.text("name").value_or(std::to_string(id));
  group.match = group_at(section, "match", names).value_or(kOut);
  group.mismatch = group_at(section, "mismatch", names).value_or(kOut);
  take_rules(section, names, group);
  return group;
}

// --- the file

// First of all their ids and names, so that any may name any.
struct FoundGroups {
  std::vector<std::pair<GroupId, const toml::table*>> tables;
  GroupNames names;
};

FoundGroups find_groups(const TomlSection& file) {
  FoundGroups found;
  std::set<GroupId> ids;
  file.tables("group", [&](const toml::table& table, std::size_t) {
    const TomlSection unnamed(table, "group");
    const std::int64_t id = unnamed.number("id", "id is 1 to 65535").value_or(0);
    if (id < 1 || id >= kDrop) unnamed.fail("id is 1 to 65535", unnamed.find("id") ? *unnamed.find("id") : table);
    const TomlSection section(table, "group " + std::to_string(id));
    section.allow({"id", "name", "rule", "match", "mismatch", "mode"});
    if (!ids.insert(static_cast<GroupId>(id)).second) section.fail("there are two");
    found.tables.emplace_back(static_cast<GroupId>(id), &table);
    const std::optional<std::string> name = section.text("name");
    if (!name) return;
    if (*name == "OUT" || *name == "DROP" || name->empty())
      section.fail("a group cannot have the name " + in_quotes(*name));
    if (!found.names.emplace(*name, static_cast<GroupId>(id)).second) {
      throw PolicyError("group name " + shortened(printable(*name)) + ": there are two" +
                        line_words(section.find("name")->source()));
    }
  });
  return found;
}

void take_init(const TomlSection& file, const GroupNames& names, ParsedPolicy& policy) {
  const toml::node* const node = file.find("init");
  if (!node) return;
  if (!node->is_table()) file.fail("init is written as [init]", *node);
  const TomlSection section(*node->as_table(), "init");
  section.allow({"default", "rule"});
  policy.init_default = group_at(section, "default", names).value_or(kOut);
  section.tables("rule", [&](const toml::table& table, std::size_t number) {
    const TomlSection rule(table, rule_place("init", number));
    rule.allow({"name", "to"}, kConditionKeys);
    rule.text("name");
    const std::optional<GroupId> to = group_at(rule, "to", names);
    if (!to) rule.fail("no `to`");
    policy.init.push_back({conditions_of(rule), *to});
  });
}

}  // namespace

ParsedPolicy parse_policy(std::string_view text) {
  const toml::table table = parsed(text);
  const TomlSection file(table, "");
  file.allow({"max_rounds", "init", "group"});
  ParsedPolicy policy;
  const std::string otherwise = "max_rounds is a number from 1 to 65535";
  const std::int64_t most = file.number("max_rounds", otherwise).value_or(policy.max_rounds);
  if (most < 1 || most >= kDrop) file.fail(otherwise, *file.find("max_rounds"));
  policy.max_rounds = static_cast<unsigned>(most);
  const FoundGroups found = find_groups(file);
  std::size_t patterns = 0;
  for (const auto& [id, group_table] : found.tables) {
    Group group = group_of_table(id, *group_table, found.names);
    for (const Rule& rule : group.rules) patterns += rule.payload.size() + rule.stream.size();
    if (patterns > kMostPatterns) throw PolicyError("more than " + std::to_string(kMostPatterns) + " patterns");
    policy.groups.emplace(id, std::move(group));
  }
  take_init(file, found.names, policy);
  policy.remarks = idle_conditions(file);
  return policy;
}

Group parse_group(std::string_view text, const GroupNames& names) {
  const toml::table table = parsed(text);
  const TomlSection file(table, "");
  file.allow({"group"});
  FoundGroups found = find_groups(file);
  if (found.tables.size() != 1) throw PolicyError("one [[group]] is set at a time");
  const auto& [id, group] = found.tables.front();
  for (const auto& [name, of] : names) {
    if (of == id || found.names.emplace(name, of).second) continue;
    throw PolicyError("group name " + shortened(printable(name)) + ": there are two");
  }
  return group_of_table(id, *group, found.names);
}

InitRule parse_init_rule(std::string_view text, const GroupNames& names) {
  const toml::table table = parsed(text);
  const TomlSection file(table, "");
  file.allow({"init"});
  ParsedPolicy policy;
  take_init(file, names, policy);
  if (policy.init.size() != 1 || table["init"]["default"]) throw PolicyError("one [[init.rule]] is set at a time");
  return std::move(policy.init.front());
}

}  // namespace warpmeter::inline policy
