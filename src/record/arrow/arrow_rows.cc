#include "record/arrow/arrow_rows.h"

#include <utility>

#include "record/arrow/arrow_export.h"

namespace warpmeter::inline record {

ArrowRows::ArrowRows(std::vector<ArrowField> fields) : fields_(std::move(fields)) { begin(); }

void ArrowRows::begin() {
  data_.assign(fields_.size(), {});
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].is_text()) data_[i].offsets.push_back(0);
  }
  rows_ = 0;
  bytes_ = 0;
}

void ArrowRows::put_null(std::size_t field) {
  if (fields_[field].is_text()) put(field, std::string_view());
  else put(field, std::int64_t{0});
  ArrowColumn& column = data_[field];
  column.validity.back() = static_cast<std::uint8_t>(column.validity.back() & ~(1 << rows_ % 8));
  ++column.nulls;
}

void ArrowRows::put(std::size_t field, std::int64_t value) {
  ArrowColumn& column = data_[field];
  append_validity(column, rows_, true);
  switch (fields_[field].format.front()) {
    case 'C': bytes_ += append_number(column, static_cast<std::uint8_t>(value)); break;
    case 'S': bytes_ += append_number(column, static_cast<std::uint16_t>(value)); break;
    case 'g': bytes_ += append_number(column, static_cast<double>(value)); break;
    default: bytes_ += append_number(column, value);
  }
}

void ArrowRows::put(std::size_t field, double value) {
  append_validity(data_[field], rows_, true);
  bytes_ += append_number(data_[field], value);
}

void ArrowRows::put(std::size_t field, std::string_view text) {
  append_validity(data_[field], rows_, true);
  bytes_ += append_text(data_[field], text);
}

void ArrowRows::take(ArrowArray& to) {
  export_array(std::exchange(data_, {}), rows_, to);
  begin();
}

}  // namespace warpmeter::inline record
