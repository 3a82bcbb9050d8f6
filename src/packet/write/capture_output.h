// The file that a capture is written to.
//
// Threads: one.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/files/output_file.h"

namespace warpmeter::inline packet {

// Compressed as its name says, by so many threads; "-" is standard output. A capture holds what people have said to
// each other: nobody else may read it. What is referred to must outlive it. Throws Error.
std::unique_ptr<OutputFile> open_capture_output(const std::string& name, unsigned threads,
                                                const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline packet
