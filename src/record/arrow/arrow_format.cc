#include "record/arrow/arrow_format.h"

#include <utility>

#include "record/arrow/arrow_export.h"
#include "record/text/value_text.h"

namespace warpmeter::inline record {
namespace {

using Type = TypedColumn::Type;

std::size_t append(ArrowColumn& to, Type type, std::int64_t value) {
  switch (type) {
    case Type::uint8: return append_number(to, static_cast<std::uint8_t>(value));
    case Type::uint16: return append_number(to, static_cast<std::uint16_t>(value));
    default: return append_number(to, value);
  }
}

}  // namespace

ArrowSection::ArrowSection(const std::vector<TypedColumn>& columns, const RecordLayout& layout)
    : columns_(columns), layout_(layout), text_(longest_value(layout.extra)) {
  begin();
}

void ArrowSection::begin() {
  data_.assign(columns_.size(), {});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].text()) data_[i].offsets.push_back(0);
    if (columns_[i].type == Type::texts) data_[i].items.resize(1), data_[i].items[0].offsets.push_back(0);
  }
  rows_ = 0;
  bytes_ = 0;
}

void ArrowSection::write_annotated(const FlowRecord& record, const FlowRecord* reverse,
                                   const Annotations& annotations) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].extra) put_extra(i, record, reverse, annotations);
    else put(i, record, columns_[i].reverse ? reverse : &record);
  }
  ++rows_;
}

void ArrowSection::put(std::size_t i, const FlowRecord& record, const FlowRecord* of_column) {
  const TypedColumn& column = columns_[i];
  if (column.type == Type::address) {
    return put_address(i, column.name == kKeyColumns[0] ? record.key.source : record.key.destination, record);
  }
  const auto value = of_column ? column.value(*of_column, layout_.absent | of_column->absent) : std::nullopt;
  if (column.nullable()) append_validity(data_[i], rows_, value.has_value());
  bytes_ += append(data_[i], column.type, value.value_or(0));
}

void ArrowSection::put_extra(std::size_t i, const FlowRecord& record, const FlowRecord* reverse,
                             const Annotations& noted) {
  const ExtraColumn& column = *columns_[i].extra;
  if (column.is_number()) {
    const std::optional<std::int64_t> number = column.number(record, reverse, noted);
    append_validity(data_[i], rows_, number.has_value());
    bytes_ += append(data_[i], columns_[i].type, number.value_or(0));
    return;
  }
  if (column.is_list()) {
    bytes_ += append_list(data_[i], noted.list_of(*column.annotation()));
    return;
  }
  const std::string_view text = column.annotation()
                                    ? noted.first_of(*column.annotation())
                                    : std::string_view(text_.data(), column.write(text_.data(), record, noted));
  if (column.nullable()) append_validity(data_[i], rows_, !text.empty());
  bytes_ += append_text(data_[i], text);
}

void ArrowSection::put_address(std::size_t i, const std::uint8_t (&address)[16], const FlowRecord& record) {
  char text[kAddressText];
  bytes_ += append_text(data_[i], {text, write_address(text, address, record.key.version)});
}

void ArrowSection::take(ArrowArray& to) {
  export_array(std::exchange(data_, {}), rows_, to);
  begin();
}

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
