// The columns of Flow Records as an Arrow schema: a struct with a field for each of typed_columns.h.
#pragma once

#include <vector>

#include "core/typed_columns.h"
#include "warpmeter/arrow_c_data.h"

namespace warpmeter {

// Fills it; the caller releases it, from any thread.
void export_schema(const std::vector<TypedColumn>& columns, ArrowSchema& to);

}  // namespace warpmeter
