// Conditions of a policy file that no packet can meet, or that every packet meets, as `port = 70000` and an empty list:
// right by the words, and hardly meant so. For policy_file.cc alone, once it has found nothing wrong with the file.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "policy/memory/toml_section.h"

namespace warpmeter::inline policy {

// A line each, with the group, the rule and the line of the file. Of very many the first, and how many more there are.
std::vector<std::string> idle_conditions(const TomlSection& file);

}  // namespace warpmeter::inline policy
