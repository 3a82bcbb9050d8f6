// The inputs of `show`, `report` and `merge` as given on the command line, and the files behind them: what folders and
// names of rotated sets stand for. open_reader() opens one of these.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/record_reader.h"

namespace warpmeter::inline record {

struct RecordInputs {
  std::vector<std::string> files;       // in the order in which they are read; "-" is standard input
  std::vector<std::string> unreadable;  // messages: what is not there; what of folders cannot be opened or read
  std::size_t again = 0;                // regular files that are another one under a second name; not among `files`
  std::size_t passed_over = 0;          // of folders: what holds no Flow Records, no files at all
  std::size_t folders_below = 0;        // of folders, not looked into
  bool of_several = false;              // a folder or a rotated set was among them
};

// Files stay as they are. A folder becomes the files of Flow Records in it, of all formats, by content, in
// name_order(); with `recursive` those of the folders below it too (links to folders are not followed). What has a
// temporary name is not looked at (file_name.h), nor what a shell has just made for this run (OwnFiles). What does
// not exist, but was the name given to `extract --rotate`, becomes the files of that set in their order. A file that is
// there under several names, given or found, is taken once.
//
// Opens nothing for long, so that it can come before any output. Throws Error: nothing to be read in all of them,
// standard input given twice, or once `interrupted` turns true.
RecordInputs expand_record_inputs(const std::vector<std::string>& inputs, bool recursive,
                                  const std::atomic<bool>& interrupted);

// "5 files, 2 others passed over, 1 unreadable", for a summary; `unreadable` counts all.
std::string told(const RecordInputs& inputs, std::size_t unreadable);

// A file of Flow Records as its reader, whatever its format: that is recognised by what is in the file, not by its
// name. So is whether a file of a folder, among which may be anything, holds any.

// "-" is standard input, for the text formats alone. Throws Error, naming the file, if it cannot be read, holds no Flow
// Records, or is of a format that this build was made without.
//
// Once `interrupted` turns true, text ends with the line before, even if a pipe is being waited for.
std::unique_ptr<RecordReader> open_reader(const std::string& path, const std::atomic<bool>* interrupted = nullptr);

// Of a regular file, compressed or not: does it begin like Flow Records of a format that open_reader() knows? True
// where it seems to be a damaged one, so that opening it tells; of an empty file the name decides. Throws Error, naming
// the file, if it cannot be opened, read or unpacked. Gives up once `stop` turns true.
bool looks_like_records(const std::string& path, const std::atomic<bool>& stop);

// Of what holds none: is it a regular file with packets, to say who reads it?
bool is_capture(const std::string& path);

}  // namespace warpmeter::inline record
