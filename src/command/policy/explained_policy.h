// What a policy does, as text: where packets begin, its groups in the order in which they run, its longest path, and
// the automata that its patterns become.
//
// Threads: any. Errors: PolicyError or PatternError of patterns that fit each into their group and not together.
#pragma once

#include <string>

#include "policy/memory/policy_memory.h"

namespace warpmeter::inline command {

std::string policy_headline(const PolicyMemory& memory);          // "3 groups, 4 rules, ..."
std::string named_group(const PolicyMemory& memory, GroupId id);  // "10 http", "OUT"
std::string explained_policy(const PolicyMemory& memory);

}  // namespace warpmeter::inline command
