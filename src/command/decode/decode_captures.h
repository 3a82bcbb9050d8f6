// `warpmeter decode INPUT... -o DIR`: captures to a set of segment files.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "packet/segments/segment_format.h"
#include "pipeline/metering/command_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// What the user asked of it, parsed and with defaults filled in.
struct DecodeCommandOptions : CommandOptions {
  bool key_vlan = false;
  std::string stdin_name;  // what the set calls standard input; empty: as messages do
  std::string output;      // a folder, which is not there or is empty
  unsigned partitions = 16;
  std::uint32_t row_frames = kRowFrames;  // tests take fewer
  std::string hash_seed;                  // any text; empty: one of its own
};

// Once `interrupted` is true, reading ends, and the set holds what was read and says that it is not all. Throws Error;
// then there is no set.
ExitStatus decode_captures(const DecodeCommandOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
