// Files of Flow Records, whatever their format: it is recognised by what is in them, not by their name.
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

}  // namespace warpmeter::inline record
