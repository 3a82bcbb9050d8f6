// Keys and values of a policy file. Of one element, an array is as good as the element.
#include "policy_draft.h"

#include <arpa/inet.h>

namespace reference {
namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string text_of(int value) { return std::to_string(value); }
std::string text_of(const std::string& value) { return quoted(value); }
std::string text_of(const NumberRange& range) {
  if (range.low == range.high) return std::to_string(range.low);
  const std::string high = range.high == no_highest ? "" : std::to_string(range.high);
  return quoted(std::to_string(range.low) + "-" + high);
}
std::string text_of(const PrefixDraft& prefix) {
  char address[INET6_ADDRSTRLEN] = "";
  inet_ntop(prefix.version == 4 ? AF_INET : AF_INET6, prefix.address.data(), address, sizeof address);
  return quoted(address + ("/" + std::to_string(prefix.length)));
}

std::string group_text(int id) {
  if (id == to_out) return quoted("OUT");
  if (id == to_drop) return quoted("DROP");
  return id % 2 ? quoted("g" + std::to_string(id)) : std::to_string(id);  // by its name, or by number
}

template <class T>
std::string line(const char* key, const std::vector<T>& values) {
  if (values.empty()) return {};
  std::string list;
  for (const T& value : values) list += (list.empty() ? "" : ", ") + text_of(value);
  if (values.size() > 1) list = "[" + list + "]";
  return key + (" = " + list) + "\n";
}
std::string line(const char* key, const std::string& text) {
  return text.empty() ? "" : key + (" = " + quoted(text)) + "\n";
}

std::string lines(const ConditionsDraft& c) {
  std::string text;
  if (c.version) text += "version = " + std::to_string(*c.version) + "\n";
  text += line("protocol", c.protocols) + line("src", c.sources) + line("dst", c.destinations);
  text += line("src_port", c.source_ports) + line("dst_port", c.destination_ports) + line("port", c.ports);
  text += line("vlan", c.vlans) + line("length", c.lengths) + line("payload_length", c.payload_lengths);
  text += line("nth", c.nth) + line("flags", c.flags) + line("not_flags", c.not_flags);
  if (c.way) text += *c.way == client ? "way = 'client'\n" : "way = 'server'\n";
  return text;
}

std::string lines(const RuleDraft& rule) {
  std::string text = "[[group.rule]]\n" + lines(rule.conditions);
  text += line("label_is", rule.label_is) + line("label_is_not", rule.label_is_not);
  text += line("payload", rule.payload) + line("stream", rule.stream);
  if (rule.after != 1) text += "after = " + std::to_string(rule.after) + "\n";
  text += line("label", rule.labels);
  if (rule.of_flow) text += "scope = 'flow'\n";
  std::string fields;
  for (const auto& [column, kind] : rule.fields) fields += (fields.empty() ? "" : ", ") + column + " = " + quoted(kind);
  if (!fields.empty()) text += "field = { " + fields + " }\n";
  if (rule.next) text += "next = " + group_text(*rule.next) + "\n";
  if (rule.final) text += "final = true\n";
  return text;
}

}  // namespace

std::string toml(const InitDraft& rule) {
  return "[[init.rule]]\n" + lines(rule.conditions) + "to = " + group_text(rule.to) + "\n";
}

std::string toml(const GroupDraft& group) {
  std::string text = "[[group]]\nid = " + std::to_string(group.id) + "\n";
  if (group.id % 2) text += "name = 'g" + std::to_string(group.id) + "'\n";
  if (group.all) text += "mode = 'all'\n";
  text += "match = " + group_text(group.match) + "\nmismatch = " + group_text(group.mismatch) + "\n";
  for (const RuleDraft& rule : group.rules) text += lines(rule);
  return text;
}

std::string toml(const PolicyDraft& policy) {
  std::string text = "[init]\ndefault = " + group_text(policy.init_default) + "\n";
  for (const InitDraft& rule : policy.init) text += toml(rule);
  for (const GroupDraft& group : policy.groups) text += toml(group);
  return text;
}

std::set<std::string> columns_of(const PolicyDraft& policy) {
  std::set<std::string> columns;
  for (const GroupDraft& group : policy.groups)
    for (const RuleDraft& rule : group.rules)
      for (const auto& [column, kind] : rule.fields) columns.insert(column);
  return columns;
}

}  // namespace reference
