// Files of flows, for tests of what merges them.
#pragma once

#include <string>
#include <vector>

#include "command/merge/merge.h"
#include "flow/runs/flow_lists.h"
#include "record/write/file_writer.h"
#include "support/scratch_folder.h"
#include "support/writers.h"

namespace warpmeter::test {

inline std::string write_flow_file(const std::string& path, const std::vector<Biflow>& flows,
                                   const RecordLayout& layout = {}) {
  OutputOptions options;
  options.file = path;
  if (path.ends_with(".json")) options.format = Format::json;
  FileWriter writer(path, options, layout);
  write_all(writer, flows);
  return path;
}

}  // namespace warpmeter::test
