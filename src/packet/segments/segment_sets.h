// Segment files as sets, in the order in which they are a trace: what is to be read of which file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packet/file/trace_files.h"
#include "packet/segments/set_facts.h"

namespace warpmeter::inline packet {

// --partition I/N: the I-th of N equal parts of the shards.
struct PartitionChoice {
  unsigned number = 1, of = 1;
};

struct SegmentSet {
  std::string name;       // for messages: the folder, or the only file
  std::uint64_t set = 0;  // SegmentFile::set()
  SetFacts facts;
  unsigned partitions = 1;         // of the whole set
  std::vector<std::string> files;  // that are read, by partition
  bool has_first = false;          // partition 1 is among them
  std::uint64_t bytes = 0;         // of those files
};

struct SegmentSets {
  SetOptions options;  // of all
  std::vector<SegmentSet> sets;
  std::uint64_t segments = 0;     // of the files that are read
  std::uint64_t files_again = 0;  // that are another one under a second name
};

// Looks into all of them, and no further than facts. `whole`: folders whose files must be all of their sets.
// Throws Error: one that cannot be read or is damaged; a partition that is missing or that only some have; sets that
// differ in options or partitions; by time, sets that overlap in time, whose captures must be decoded together.
SegmentSets look_at_sets(const std::vector<std::string>& files, const std::vector<std::string>& whole, FileOrder order,
                         const std::optional<PartitionChoice>& choice);

// The sets that files belong to, as they come, whole or not, whatever they have in common. Throws Error: a file that
// cannot be read or is damaged.
std::vector<SegmentSet> sets_among(const std::vector<std::string>& files);

}  // namespace warpmeter::inline packet
