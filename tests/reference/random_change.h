// Policies made at random of a policy that is in force, each by one of the ways in which users change it: a file that
// differs from the one before in some rules, places or groups, quite another one, the same once more, or an earlier
// one; and a group, or an init rule, that is set.
#pragma once

#include <cstdint>
#include <vector>

#include "policy_draft.h"

namespace reference {

// A random policy whose groups know more of connections than most do, so that it shows what is kept of that and what is
// not: rules that count, patterns that need all of a text, chains of groups that the same packets pass. The same seed
// gives the same on every machine.
PolicyDraft remembering_policy(uint64_t seed);

// Of a trace of so many frames, in the order in which they come; several may come at once. The same seed gives the same
// on every machine. Their columns of fields are among those of `first`.
std::vector<LaterPolicy> random_changes(const PolicyDraft& first, uint64_t seed, int64_t frames);

}  // namespace reference
