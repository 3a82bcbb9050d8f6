// Columns as one Arrow array, which owns them from then on.
#pragma once

#include <cstdint>
#include <vector>

#include "record/arrow/arrow_column.h"
#include "warpmeter/arrow_c_data.h"

namespace warpmeter::inline record {

// A struct of them. Fills it; the caller releases it, from any thread.
void export_array(std::vector<ArrowColumn> columns, std::int64_t rows, ArrowArray& to);

}  // namespace warpmeter::inline record
