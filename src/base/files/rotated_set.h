// The files that `extract --rotate` made of one output, found again by the name of that output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmeter::inline base {

// flows.csv: flows.000001.csv, flows.000002.csv, ... or flows.20260131T120000Z.csv, ..., in their order; of
// flows.csv.gz, flows.000001.csv.gz and so on. Empty if there are none, or if the folder cannot be read. Throws Error
// where there are both, which together are no set.
std::vector<std::string> rotated_set(const std::string& output);

// The largest number that a file of --rotate SIZE has; 0: there is none.
std::uint64_t last_rotated(const std::string& output);

// After a run that wrote the files 1 to `last` of --rotate SIZE: a line for users that those beyond, which an earlier
// run left, are still there. Empty if there are none.
std::string rotated_beyond(const std::string& output, std::uint64_t last);

}  // namespace warpmeter::inline base
