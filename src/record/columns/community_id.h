// Community ID of a Flow Key, for who asks for flows by it; community_id.cc has its definition, and its column.
//
// Threads: any, at once.
#pragma once

#include <string>

#include "warpmeter/flow_key.h"

namespace warpmeter::inline record {

// With seed 0, such as "1:LQU9qZlK+B5F3KDmev6m5PMibrg=".
std::string community_id_of(const FlowKey& key);

}  // namespace warpmeter::inline record
