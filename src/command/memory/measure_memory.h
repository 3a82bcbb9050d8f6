// `warpmeter memory INPUT...`: what streams of a trace would need to be put together, by timeout and block size.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/page/page.h"
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

// The memory tables as text: for people, as CSV, as JSON; and as a page. What they come to is told in words, the same
// on terminals and on the page.

// Of a timeout and a block size, by their numbers.
struct MemoryChoice {
  std::size_t timeout = kDefaultTimeout, block_size = kDefaultBlockSize;
};

// "Per Mbit/s" means something: there are IP packets, and time between them.
bool has_rate(const MemoryTables& tables);

std::string trace_in_words(const MemoryTables& tables);  // its length, packets and rate

// What such traffic would need, and of 1, 10 and 100 Gbit/s how much. REQUIRES: has_rate().
std::string needs_heading(MemoryChoice choice);
std::vector<std::string> needs_in_words(const MemoryTables& tables, MemoryChoice choice);

// What keeps the tables from saying much, or from being exact: sentences, if any.
std::vector<std::string> remarks_on(const MemoryTables& tables);

std::string memory_table_text(const MemoryTables& tables, MemoryChoice choice);
std::string memory_csv(const MemoryTables& tables);  // a row for each timeout and block size; none of an empty trace
std::string memory_json(const MemoryTables& tables, MemoryChoice choice);
std::string memory_html(const MemoryTables& tables, MemoryChoice choice, const PageOptions& options);

}  // namespace warpmeter::inline command
