#include "command/policy/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "policy/memory/policy_memory.h"
#include "policy/patterns/pattern_set.h"

namespace warpmeter::inline command {
namespace {

using Row = std::vector<std::string>;

// Rows below each other, the first with the names of the columns.
std::string table(const std::string& title, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text = "\n" + title + "\n";
  for (const Row& row : rows) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}", row[i], widths[i] + 2);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// The middle of a long list is left out.
std::string joined(const std::vector<std::string>& words, std::string_view between, std::size_t most) {
  if (words.size() <= most) return fmt::format("{}", fmt::join(words, between));
  const auto last = words.end() - 2, first = words.begin() + static_cast<std::ptrdiff_t>(most) - 3;
  return fmt::format("{}{}...{}{}", fmt::join(words.begin(), first, between), between, between,
                     fmt::join(last, words.end(), between));
}

std::uint64_t patterns_of(const Group& group) {
  std::uint64_t patterns = 0;
  for (const Rule& rule : group.rules) patterns += rule.payload.size() + rule.stream.size();
  return patterns;
}

// One of the longest paths, from the first place where a packet may begin that has it.
std::string longest_path(const PolicyMemory& memory) {
  const std::map<GroupId, unsigned> rounds = memory.longest();
  const auto rounds_of = [&](GroupId id) { return is_end(id) ? 0 : rounds.at(id); };
  std::vector<GroupId> choices = {memory.init_default()};
  for (const InitRule& rule : memory.init()) choices.push_back(rule.to);
  std::vector<std::string> path;
  while (true) {
    const GroupId next = *std::max_element(choices.begin(), choices.end(),
                                           [&](GroupId a, GroupId b) { return rounds_of(a) < rounds_of(b); });
    path.push_back(named_group(memory, next));
    if (is_end(next)) return joined(path, " -> ", 32);
    choices = memory.groups().at(next).followers();
  }
}

std::string table_of_init(const PolicyMemory& memory) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < memory.init().size(); ++i) {
    rows.push_back({fmt::format("init rule {}", i + 1), named_group(memory, memory.init()[i].to)});
  }
  rows.push_back({rows.empty() ? "every packet" : "every other packet", named_group(memory, memory.init_default())});
  return table("Packets begin", rows);
}

std::string table_of_groups(const PolicyMemory& memory) {
  const std::map<GroupId, unsigned> rounds = memory.longest();
  std::vector<Row> rows = {{"group", "rules", "mode", "match", "mismatch", "rules lead to", "rounds from here"}};
  for (const GroupId id : memory.order()) {
    const Group& group = memory.groups().at(id);
    std::vector<std::string> next;
    for (const Rule& rule : group.rules) {
      if (rule.next) next.push_back(group_word(*rule.next));
    }
    rows.push_back({named_group(memory, id), std::to_string(group.rules.size()),
                    group.mode == GroupMode::all ? "all" : "first", group_word(group.match), group_word(group.mismatch),
                    next.empty() ? "-" : joined(next, " ", 8), std::to_string(rounds.at(id))});
  }
  return table("Groups, in the order in which they run", rows);
}

// Of one chain and one kind of patterns.
void add_automaton(const PolicyMemory& memory, const std::vector<GroupId>& chain, PatternMode mode,
                   std::vector<Row>& rows, std::size_t& state) {
  std::vector<std::string> patterns, groups;
  for (const GroupId id : chain) {
    const std::size_t before = patterns.size();
    for (const Rule& rule : memory.groups().at(id).rules) {
      const std::vector<std::string>& own = mode == PatternMode::stream ? rule.stream : rule.payload;
      patterns.insert(patterns.end(), own.begin(), own.end());
    }
    if (patterns.size() > before) groups.push_back(std::to_string(id));
  }
  if (patterns.empty()) return;
  const PatternSet set(patterns, mode);
  const std::size_t each = std::max(set.stream_bytes(TextStart::stream), set.stream_bytes(TextStart::inside));
  state += each;
  rows.push_back({joined(groups, " ", 8), mode == PatternMode::stream ? "stream" : "payload",
                  std::to_string(patterns.size()), human_bytes(static_cast<double>(set.database_bytes())),
                  mode == PatternMode::stream ? human_bytes(static_cast<double>(each)) : "-"});
}

std::string table_of_automata(const PolicyMemory& memory) {
  std::vector<Row> rows = {{"groups", "over", "patterns", "automata", "state of a direction"}};
  std::size_t state = 0;
  for (const std::vector<GroupId>& chain : merged_groups(memory)) {
    add_automaton(memory, chain, PatternMode::stream, rows, state);
    add_automaton(memory, chain, PatternMode::block, rows, state);
  }
  if (rows.size() == 1) return "";
  return table("Patterns, together where the same packets pass", rows) +
         fmt::format("  a connection that comes to all of them: {} in each direction\n",
                     human_bytes(static_cast<double>(state)));
}

}  // namespace

std::string named_group(const PolicyMemory& memory, GroupId id) {
  if (is_end(id)) return group_word(id);
  const std::string number = std::to_string(id), name = memory.groups().at(id).name;
  return name == number ? number : number + " " + shortened(printable(name));
}

std::string policy_headline(const PolicyMemory& memory) {
  std::uint64_t rules = 0, patterns = 0;
  for (const auto& [id, group] : memory.groups()) {
    rules += group.rules.size();
    patterns += patterns_of(group);
  }
  return human_number_of(memory.groups().size(), "group") + ", " + human_number_of(rules, "rule") + ", " +
         human_number_of(patterns, "pattern") + ", longest path " + human_number_of(memory.longest_path(), "round") +
         fmt::format(" (at most {})", memory.max_rounds());
}

std::string explained_policy(const PolicyMemory& memory) {
  std::string text = policy_headline(memory) + "\n" + longest_path(memory) + "\n" + table_of_init(memory);
  if (!memory.groups().empty()) text += table_of_groups(memory) + table_of_automata(memory);
  return text;
}

}  // namespace warpmeter::inline command
