// `warpmeter memory INPUT...`: what streams of a trace would need to be put together, by timeout and block size.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "command/memory/memory_cells.h"
#include "pipeline/metering/command_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

enum class MemoryFormat { table, csv, json, html };

// What the user asked of it, parsed and with defaults filled in.
struct MemoryOptions : CommandOptions {
  std::string output = "-";
  MemoryFormat format = MemoryFormat::table;
  std::string title;                           // of a page; empty: a general one
  std::size_t timeout = kDefaultTimeout;       // whose needs are told
  std::size_t block_size = kDefaultBlockSize;  // as well
  std::uint64_t memory = 0;                    // bytes
};

// Once `interrupted` is true, reading ends, and the tables are of what was read. Throws Error; then there is no output.
ExitStatus measure_memory(const MemoryOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
