// What the words after -i mean: "eth0", "any" or "veth*", "shm:NAME", "hpcap:N" or "folder:PATH"; and which Observation
// Points a capture has by them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "command/live/live.h"
#include "packet/nic/cpus/affinity.h"
#include "packet/nic/ring/network_interface.h"
#include "packet/nic/ring/observation_points.h"

namespace warpmeter::inline command {

enum class SourceKind { network, pattern, feeder, hpcap, folder };

inline constexpr std::string_view kFeederWord = "shm:", kHpcapWord = "hpcap:", kFolderWord = "folder:";

inline SourceKind source_kind_of(std::string_view word) {
  if (word.starts_with(kFeederWord)) return SourceKind::feeder;
  if (word.starts_with(kHpcapWord)) return SourceKind::hpcap;
  if (word.starts_with(kFolderWord)) return SourceKind::folder;
  return is_interface_pattern(word) ? SourceKind::pattern : SourceKind::network;
}

// Opens all of them, in the order of the words. Throws Error: there is no such thing, rights are missing, a word came
// twice. Their rings are made on the CPUs that they have by the plan, and added to it.
std::vector<std::unique_ptr<ObservationPoint>> open_points(const LiveOptions& options, CpuPlan& cpus);

}  // namespace warpmeter::inline command
