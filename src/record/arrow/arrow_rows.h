// Rows of values as Arrow arrays: of what is not simply whole Flow Records. Any value may be null.
//
// An array belongs to whoever took it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "record/arrow/arrow_export.h"

namespace warpmeter::inline record {

class ArrowRows {
 public:
  // REQUIRES: their formats are those of texts ("u"), of numbers that typed columns have, and of double ("g").
  explicit ArrowRows(std::vector<ArrowField> fields);

  // Of the field with that number, once a row.
  void put_null(std::size_t field);
  void put(std::size_t field, std::int64_t value);  // of an unsigned field its bits
  void put(std::size_t field, double value);
  void put(std::size_t field, std::string_view text);
  void end_row() { ++rows_; }

  std::int64_t rows() const { return rows_; }
  std::size_t bytes() const { return bytes_; }

  // All rows, as a struct array; the caller releases it. No rows are left.
  void take(ArrowArray& to);

 private:
  void begin();

  const std::vector<ArrowField> fields_;
  std::vector<ArrowColumn> data_;
  std::int64_t rows_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace warpmeter::inline record
