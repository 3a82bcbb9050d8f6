// What the user asked of `warpmeter memory`, parsed and with defaults filled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "command/memory/memory_cells.h"
#include "core/tunnel_ports.h"
#include "packet/file/input_format.h"
#include "packet/file/trace_files.h"

namespace warpmeter::inline command {

enum class MemoryFormat { table, csv, json, html };

struct MemoryOptions {
  std::vector<std::string> inputs;
  InputFormat input_format = InputFormat::automatic;  // of all inputs
  bool resync = false;                                // goes on behind damage
  FileOrder order = FileOrder::time;                  // of several
  bool recursive = false;                             // folders with all below them
  std::string filter;                                 // empty = all packets
  bool decapsulate = false;
  TunnelPorts tunnel_ports;  // with decapsulate
  std::string output = "-";
  MemoryFormat format = MemoryFormat::table;
  std::string title;                           // of a page; empty: a general one
  std::size_t timeout = kDefaultTimeout;       // whose needs are told
  std::size_t block_size = kDefaultBlockSize;  // as well
  unsigned threads = 1;
  std::uint64_t memory = 0;  // bytes
  std::string stats_file;    // empty = none
  bool quiet = false;
};

}  // namespace warpmeter::inline command
