// Files of a folder that are read together, as one trace: packets of files that overlap in time are merged.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "packet/file/trace.h"
#include "packet/folder/seen_files.h"

namespace warpmeter::inline packet {

struct FolderRound {
  std::vector<SeenFile> files;
  std::unique_ptr<Trace> trace;
  // Of its chunks, by those who hand them out and take them back (GrowingFolder).
  std::uint64_t claimed = 0, committed = 0;
  bool is_claimed = false;  // there will be no more
};

}  // namespace warpmeter::inline packet
