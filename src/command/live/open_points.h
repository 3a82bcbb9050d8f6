// What the words after -i mean: which Observation Points a capture has.
#pragma once

#include <memory>
#include <vector>

#include "command/live/live.h"
#include "packet/nic/cpus/affinity.h"
#include "packet/nic/ring/observation_points.h"

namespace warpmeter::inline command {

// Opens all of them, in the order of the words. Throws Error: there is no such thing, rights are missing, a word came
// twice. Their rings are made on the CPUs that they have by the plan, and added to it.
std::vector<std::unique_ptr<ObservationPoint>> open_points(const LiveOptions& options, CpuPlan& cpus);

}  // namespace warpmeter::inline command
