// What the user asked of `warpmeter memory`, parsed and with defaults filled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "command/memory/memory_cells.h"
#include "pipeline/metering/command_options.h"

namespace warpmeter::inline command {

enum class MemoryFormat { table, csv, json, html };

struct MemoryOptions : CommandOptions {
  std::string output = "-";
  MemoryFormat format = MemoryFormat::table;
  std::string title;                           // of a page; empty: a general one
  std::size_t timeout = kDefaultTimeout;       // whose needs are told
  std::size_t block_size = kDefaultBlockSize;  // as well
  std::uint64_t memory = 0;                    // bytes
};

}  // namespace warpmeter::inline command
