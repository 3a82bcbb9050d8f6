// What a detector beside a live capture gets of its TCP streams, parsed and with defaults filled in.
#pragma once

#include <cstdint>
#include <string>

#include "stream/reassembly/reassembler_options.h"

namespace warpmeter::inline command {

struct DetectorOptions {
  std::string socket;              // path of the Unix socket that it listens at; empty: there is none
  ReassemblerOptions streams;      // memory: of all connections
  std::uint64_t queue = 64 << 20;  // bytes of records that may wait for it
};

}  // namespace warpmeter::inline command
