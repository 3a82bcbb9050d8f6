// Policies made at random for what policy_words() are in: a few groups in an order that none goes back in, rules of any
// kind, patterns that meet the words often, chains that the program may fuse.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy_draft.h"

namespace reference {

// The same seed gives the same policy on every machine.
PolicyDraft random_policy(uint64_t seed);

// What streams and datagrams are to be made of, and what they are to begin with.
std::vector<std::string> policy_words();
std::vector<std::string> policy_heads();

}  // namespace reference
