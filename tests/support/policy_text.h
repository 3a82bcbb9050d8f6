// Policy files for tests: the tree of Figure 8 of the paper, a group of one rule, and what is said of wrong ones.
#pragma once

#include <string>

#include "policy/memory/policy_memory.h"

namespace warpmeter::test {

inline constexpr const char* kTreePolicy = R"([init]
default = 1
[[group]]
id = 1
name = "tcp80"
match = "http_1"
mismatch = "tcp21"
rule = [{ protocol = "tcp", port = 80 }]
[[group]]
id = 2
name = "tcp21"
match = 20
mismatch = 3
rule = [{ protocol = "tcp", port = 21 }]
[[group]]
id = 3
match = 30
mismatch = "DROP"
rule = [{ protocol = "tcp", port = 22 }]
[[group]]
id = 10
name = "http_1"
match = 11
mismatch = 11
rule = [{ payload = 'GET', label = "http", field = { host = "http.host" } }]
[[group]]
id = 11
mode = "all"
rule = [{ payload = 'evil', label = "evil", scope = "flow" }]
[[group]]
id = 20
rule = [{ stream = '^220[ -]', label = "ftp" }]
[[group]]
id = 30
rule = [{ stream = '^SSH-', label = "ssh", final = true }]
)";

// Group 1 with one rule; init leads there.
inline std::string one_rule(const std::string& rule, const std::string& match = "\"OUT\"") {
  return "[init]\ndefault = 1\n[[group]]\nid = 1\nmatch = " + match + "\n[[group.rule]]\n" + rule + "\n";
}

// "" if nothing was thrown.
template <class Call>
std::string policy_error(Call call) {
  try {
    call();
  } catch (const PolicyError& error) {
    return error.what();
  }
  return "";
}

inline std::string policy_refusal(const std::string& text) {
  return policy_error([&] { PolicyMemory::load(text); });
}

}  // namespace warpmeter::test
