// The files of --rotate: which interval of --rotate TIME one is of, and its name, which is the output's with something
// before the suffix; with --date-folders in folders of its date and hour.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "record/write/file_writer.h"
#include "record/write/output_options.h"

namespace warpmeter::inline record {

// Of the interval that a time lies in: a multiple of `length` since 1970; ns.
std::int64_t beginning_of_interval(std::int64_t ns, std::int64_t length);

// 20260131T120000Z; with a fraction where intervals are shorter than a second or lie between seconds.
std::string interval_name(std::int64_t beginning_ns);

// Makes the folders that the file of such a middle lies in, where it has some of its own (date_folders). Throws Error.
void make_date_folders(const std::string& middle, const OutputOptions& options);

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
