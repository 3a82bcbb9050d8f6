// A file of Flow Records as its reader, whatever its format: that is recognised by what is in the file, not by its
// name. So is whether a file of a folder, among which may be anything, holds any.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/record_reader.h"

namespace warpmeter::inline record {

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
