#include "columnar/arrow_format.h"

#include <cstring>
#include <utility>

#include "columnar/arrow_array.h"
#include "core/community_id.h"
#include "export/address_text.h"

namespace warpmeter {
namespace {

using Type = TypedColumn::Type;

template <class T>
std::size_t append(std::vector<std::uint8_t>& to, std::int64_t value) {
  const auto narrow = static_cast<T>(value);
  const std::size_t at = to.size();
  to.resize(at + sizeof narrow);
  std::memcpy(to.data() + at, &narrow, sizeof narrow);
  return sizeof narrow;
}

std::size_t append(std::vector<std::uint8_t>& to, Type type, std::int64_t value) {
  switch (type) {
    case Type::uint8: return append<std::uint8_t>(to, value);
    case Type::uint16: return append<std::uint16_t>(to, value);
    default: return append<std::int64_t>(to, value);  // the bits of a uint64
  }
}

void append_bit(std::vector<std::uint8_t>& bits, std::int64_t row, bool bit) {
  if (row % 8 == 0) bits.push_back(0);
  bits.back() = static_cast<std::uint8_t>(bits.back() | bit << row % 8);
}

}  // namespace

ArrowSection::ArrowSection(const std::vector<TypedColumn>& columns, const RecordLayout& layout)
    : columns_(columns), layout_(layout) {
  begin();
}

void ArrowSection::begin() {
  data_.assign(columns_.size(), {});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].text()) data_[i].offsets.push_back(0);
  }
  rows_ = 0;
  bytes_ = 0;
}

void ArrowSection::write(const FlowRecord& record, const FlowRecord* reverse) {
  for (std::size_t i = 0; i < columns_.size(); ++i) put(i, record, columns_[i].reverse ? reverse : &record);
  ++rows_;
}

void ArrowSection::put(std::size_t i, const FlowRecord& record, const FlowRecord* of_column) {
  const TypedColumn& column = columns_[i];
  if (column.type == Type::address) {
    return put_address(i, column.name == kKeyColumns[0] ? record.key.source : record.key.destination, record);
  }
  if (column.type == Type::community_id) {
    char text[kCommunityIdText];
    write_community_id(text, record.key, *layout_.community_id);
    return put_text(i, text, sizeof text);
  }
  const auto value = of_column ? column.value(*of_column, layout_.absent | of_column->absent) : std::nullopt;
  if (column.nullable()) append_bit(data_[i].validity, rows_, value.has_value());
  if (!value) ++data_[i].nulls;
  bytes_ += append(data_[i].values, column.type, value.value_or(0));
}

void ArrowSection::put_address(std::size_t i, const std::uint8_t (&address)[16], const FlowRecord& record) {
  char text[kAddressText];
  put_text(i, text, static_cast<std::size_t>(write_address(text, address, record.key.version) - text));
}

void ArrowSection::put_text(std::size_t i, const char* text, std::size_t bytes) {
  ArrowColumn& column = data_[i];
  column.values.insert(column.values.end(), text, text + bytes);
  column.offsets.push_back(static_cast<std::int32_t>(column.values.size()));
  bytes_ += bytes + sizeof(std::int32_t);
}

void ArrowSection::take(ArrowArray& to) {
  export_array(std::exchange(data_, {}), rows_, to);
  begin();
}

}  // namespace warpmeter
