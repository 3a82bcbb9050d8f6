#include "app/library/record_takers.h"

#include <algorithm>
#include <string_view>

#include "core/typed_columns.h"

namespace warpmeter {
namespace {

std::string_view format_by_type(FieldType type, bool us) {
  switch (type) {
    case FieldType::address:
    case FieldType::text:
    case FieldType::texts:
    case FieldType::endpoint: return "u";
    case FieldType::port: return "S";
    case FieldType::protocol:
    case FieldType::flags:
    case FieldType::end_reason: return "C";
    case FieldType::time: return us ? "tsu:UTC" : "tsn:UTC";
    case FieldType::span: return "l";
    case FieldType::share: return "g";
    case FieldType::number:
    case FieldType::bytes: break;
  }
  return "L";
}

// The same types as in whole Flow Records, where these have such a column.
ArrowField field_of(const RowColumn& column) {
  static const std::vector<TypedColumn> known = typed_columns({.vlan = true, .biflow = true});
  const auto found = std::ranges::find(known, column.name, &TypedColumn::name);
  if (found != known.end()) return {column.name, arrow_format_of(found->type), true};
  return {column.name, format_by_type(column.type, column.name.find("_us") != std::string::npos), true};
}

}  // namespace

void RowTaker::begin(const std::vector<RowColumn>& columns) {
  std::vector<ArrowField> fields;
  for (const RowColumn& column : columns) fields.push_back(field_of(column));
  know_(fields);
  rows_.emplace(std::move(fields));
}

void RowTaker::write(const std::vector<RowValue>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (const auto* whole = std::get_if<std::int64_t>(&row[i])) rows_->put(i, *whole);
    else if (const auto* share = std::get_if<double>(&row[i])) rows_->put(i, *share);
    else if (const auto* text = std::get_if<std::string>(&row[i])) rows_->put(i, *text);
    else rows_->put_null(i);
  }
  rows_->end_row();
  if (rows_->bytes() >= kEnough) push();
}

void RowTaker::push() {
  if (rows_->rows() == 0) return;
  auto taken = std::make_unique<TakenRecords>();
  taken->array.reset(new ArrowArray{});
  rows_->take(*taken->array);
  queue_.push(std::move(taken));
}

void RowTaker::end() {
  push();
  queue_.check_wanted();  // before any output has its name
}

}  // namespace warpmeter
