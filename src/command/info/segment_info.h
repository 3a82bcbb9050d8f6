// What sets of segment files hold, for `warpmeter info`.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "command/info/info_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// Writes to standard output what each set says of itself, after all of its files that are given were read and checked;
// on standard error what is damaged: of the captures that it was decoded from too. Throws Error if one cannot be read.
ExitStatus segment_info(const std::vector<std::string>& files, const InfoOptions& options,
                        const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
