// What the user asked of `warpmeter decode`, parsed and with defaults filled in.
#pragma once

#include <cstdint>
#include <string>

#include "packet/segments/segment_format.h"
#include "pipeline/metering/command_options.h"

namespace warpmeter::inline command {

struct DecodeCommandOptions : CommandOptions {
  bool key_vlan = false;
  std::string stdin_name;  // what the set calls standard input; empty: as messages do
  std::string output;      // a folder, which is not there or is empty
  unsigned partitions = 16;
  std::uint32_t row_frames = kRowFrames;  // tests take fewer
  std::string hash_seed;                  // any text; empty: one of its own
};

}  // namespace warpmeter::inline command
