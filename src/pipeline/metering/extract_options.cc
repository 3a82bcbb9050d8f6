#include "pipeline/metering/extract_options.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace warpmeter::inline pipeline {

std::vector<std::string> outputs_of(const ExtractOptions& run) {
  std::vector<std::string> names = {run.stats_file, run.output.file};
  for (const OutputOptions& other : run.output.also) names.push_back(other.file);
  return names;
}

std::uint64_t default_memory() {
  std::uint64_t bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  std::ifstream control_group("/sys/fs/cgroup/memory.max");  // a number, or "max"
  if (std::uint64_t limit = 0; control_group >> limit && limit > 0) bytes = std::min(bytes, limit);
  return bytes / 2;
}

}  // namespace warpmeter::inline pipeline
