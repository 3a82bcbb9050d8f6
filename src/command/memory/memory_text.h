// The memory tables as text: for people, as CSV, as JSON; and as a page.
#pragma once

#include <string>

#include "analysis/page/page.h"
#include "command/memory/memory_cells.h"
#include "command/memory/memory_words.h"

namespace warpmeter::inline command {

std::string memory_table_text(const MemoryTables& tables, MemoryChoice choice);
std::string memory_csv(const MemoryTables& tables);  // a row for each timeout and block size; none of an empty trace
std::string memory_json(const MemoryTables& tables, MemoryChoice choice);
std::string memory_html(const MemoryTables& tables, MemoryChoice choice, const PageOptions& options);

}  // namespace warpmeter::inline command
