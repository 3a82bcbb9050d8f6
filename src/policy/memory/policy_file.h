// Policy files: TOML to groups of rules. All that a file may say wrong is found here, but for the graph between its
// groups, which is PolicyMemory's.
//
// Threads: any. Errors: PolicyError, with the group, the rule and, where the file is to blame, the line.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/memory/policy_memory.h"

namespace warpmeter::inline policy {

class TomlSection;

// What a file has at most. Patterns that are compiled together take time by the square of their number.
inline constexpr std::size_t kMostPolicyBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMostPatterns = 10000, kMostPatternsOfAGroup = 2000;  // in a group: of each kind

using GroupNames = std::map<std::string, GroupId, std::less<>>;

struct ParsedPolicy {
  std::map<GroupId, Group> groups;
  std::vector<InitRule> init;
  GroupId init_default = kOut;
  unsigned max_rounds = 16;
  std::vector<std::string> remarks;  // conditions that never hold, or always do, a line each
};

ParsedPolicy parse_policy(std::string_view text);

// A file of one [[group]], or of one [[init.rule]], alone. `names`: of the groups that there are; the group may have
// the id of one of them, whose place it takes.
Group parse_group(std::string_view text, const GroupNames& names);
InitRule parse_init_rule(std::string_view text, const GroupNames& names);

// Refuses what the parser of TOML must not be given: keys of many parts, a.a.a. They make tables within tables without
// a bound, which it frees one within the other. In toml_text.cc.
void check_toml_text(std::string_view text);

// Conditions of a policy file that no packet can meet, or that every packet meets, as `port = 70000` and an empty list:
// right by the words, and hardly meant so. For policy_file.cc alone, once it has found nothing wrong with the file. In
// idle_conditions.cc. A line each, with the group, the rule and the line of the file. Of very many the first, and how
// many more there are.
std::vector<std::string> idle_conditions(const TomlSection& file);

}  // namespace warpmeter::inline policy
