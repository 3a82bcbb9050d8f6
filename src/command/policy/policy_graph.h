// The graph of a policy as an SVG drawing: groups as boxes in layers, from where packets begin downwards, so that every
// line leads down. Lines of match and mismatch differ in colour and in stroke.
//
// Threads: any. Errors: Error, of wrong usage, where there are more groups than a drawing can show.
#pragma once

#include <string>

#include "policy/memory/policy_memory.h"

namespace warpmeter::inline command {

std::string policy_graph(const PolicyMemory& memory);

}  // namespace warpmeter::inline command
