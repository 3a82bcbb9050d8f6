// The columns of a Parquet file of Flow Records: typed_columns.h as Parquet's types. Texts have a dictionary.
#pragma once

#include <parquet/api/schema.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/typed_columns.h"

namespace warpmeter::inline record {

// Rows of a row group: what Parquet's readers hand out to their threads, and skip by its statistics.
inline constexpr std::int64_t kRowsInGroup = 1 << 19;

// Parquet's INT32; other numbers are INT64.
inline bool is_narrow(const TypedColumn& column) {
  return column.type == TypedColumn::Type::uint8 || column.type == TypedColumn::Type::uint16;
}

std::shared_ptr<::parquet::schema::GroupNode> file_schema(const std::vector<TypedColumn>& columns);

}  // namespace warpmeter::inline record
