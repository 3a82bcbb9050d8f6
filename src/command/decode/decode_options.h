// What the user asked of `warpmeter decode`, parsed and with defaults filled in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tunnel_ports.h"
#include "packet/file/input_format.h"
#include "packet/file/trace_files.h"
#include "packet/segments/segment_format.h"

namespace warpmeter::inline command {

struct DecodeCommandOptions {
  std::vector<std::string> inputs;
  InputFormat input_format = InputFormat::automatic;  // of all inputs
  bool resync = false;                                // goes on behind damage
  FileOrder order = FileOrder::time;                  // of several
  bool recursive = false;                             // folders with all below them
  std::string filter;                                 // empty = all packets
  bool key_vlan = false;
  bool decapsulate = false;
  TunnelPorts tunnel_ports;  // with decapsulate
  std::string stdin_name;    // what the set calls standard input; empty: as messages do
  std::string output;        // a folder, which is not there or is empty
  unsigned partitions = 16;
  std::uint32_t row_frames = kRowFrames;  // tests take fewer
  std::string hash_seed;                  // any text; empty: one of its own
  unsigned threads = 1;
  std::string stats_file;  // empty = none
  bool quiet = false;
};

}  // namespace warpmeter::inline command
