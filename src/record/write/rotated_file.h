// One of the files of --rotate: its name is the output's with something before the suffix.
#pragma once

#include <memory>
#include <string>

#include "record/write/file_writer.h"
#include "record/write/output_options.h"

namespace warpmeter::inline record {

// flows.csv and 000001: flows.000001.csv, which has begun when this returns. `format`: that of the options. Throws
// Error.
std::unique_ptr<FileWriter> open_rotated_file(const std::string& middle, const OutputOptions& options,
                                              const std::shared_ptr<const FileFormat>& format);

// The same name in two: before what tells several of one middle apart, and behind it.
struct RotatedName {
  std::string before, behind;
};
RotatedName rotated_in_two(const std::string& middle, const OutputOptions& options);

// `middle`; or that and -2, -3, ... where files of these names are there already.
std::string free_middle(const std::string& middle, const OutputOptions& options);

// Whether such files can be made, to know it before hours of metering. Throws Error if not.
void try_rotated_file(const OutputOptions& options);

}  // namespace warpmeter::inline record
