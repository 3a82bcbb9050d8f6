// What the metering of captures had to say that a reader of its Flow Records should know, from what `extract --stats`
// wrote: inputs that could not be read, damage, time that runs back between files, packets without times or headers.
#pragma once

#include <string>
#include <vector>

namespace warpmeter::inline command {

// In sentences; none if all was well. Of many alike the first are named. Throws Error, naming the file: it cannot be
// read, or is nothing that --stats writes.
std::vector<std::string> metering_remarks(const std::string& stats_file);

}  // namespace warpmeter::inline command
