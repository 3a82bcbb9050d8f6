// Groups that the same packets pass, one behind the other, whatever matches in them: their patterns can be looked for
// at once, since each would be given the same bytes.
//
// Threads: any. Errors: none.
#pragma once

#include <vector>

#include "policy/memory/policy_memory.h"

namespace warpmeter::inline policy {

// All groups, in the order in which they run; of each chain its groups, of another group itself alone. A chain goes on
// where match, mismatch and all `next` lead to one group, and nothing else leads there: no other group that packets
// come to, and not the initial table.
std::vector<std::vector<GroupId>> merged_groups(const PolicyMemory& memory);

}  // namespace warpmeter::inline policy
