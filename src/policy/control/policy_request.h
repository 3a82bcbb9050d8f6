// What is asked of a policy while it is in use: a line that says what, and a text in TOML.
//
//   set_memory   one [[group]], as policy files have it: takes the place of the group of its id, or is added
//   set_init     one [[init.rule]]: goes before those there are
//   replace      a whole file
//
// Source: docs/policies.md, "The control socket"; setInit and setMemory of the paper.
//
// Threads: any.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "policy/rounds/running_policy.h"

namespace warpmeter::inline policy {

// What was done, for people. Throws PolicyError, with the line of the request where that is to blame, or PatternError;
// the policy in force stays. `stop`: nobody waits any more.
std::string apply_request(std::string_view request, RunningPolicy& policy, const std::stop_token& stop = {});

}  // namespace warpmeter::inline policy
