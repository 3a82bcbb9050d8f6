// Columns as an Arrow schema: a struct with a field for each. Those of Flow Records are those of typed_columns.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/typed_columns.h"
#include "warpmeter/arrow_c_data.h"

namespace warpmeter::inline record {

struct ArrowField {
  std::string name;
  std::string_view format;  // as Arrow writes types; a literal
  bool nullable = true;

  bool is_text() const { return format == "u"; }
};

std::string_view arrow_format_of(TypedColumn::Type type);
std::vector<ArrowField> arrow_fields(const std::vector<TypedColumn>& columns);

// Fills it; the caller releases it, from any thread.
void export_schema(const std::vector<ArrowField>& fields, ArrowSchema& to);

}  // namespace warpmeter::inline record
