#include "record/parquet/module/column_cursor.h"

#include <cmath>

namespace warpmeter::inline record {
namespace {

using Physical = ::parquet::Type;

bool is_whole_decimal(const ::parquet::LogicalType& type) {
  return type.is_decimal() && dynamic_cast<const ::parquet::DecimalLogicalType&>(type).scale() == 0;
}

bool is_number(const ::parquet::ColumnDescriptor& column) {
  const ::parquet::LogicalType& type = *column.logical_type();
  switch (column.physical_type()) {
    case Physical::INT32:
    case Physical::INT64: return type.is_none() || type.is_int() || is_whole_decimal(type);
    case Physical::FLOAT:
    case Physical::DOUBLE: return true;
    case Physical::BYTE_ARRAY:
    case Physical::FIXED_LEN_BYTE_ARRAY: return is_whole_decimal(type);
    default: return false;
  }
}

std::int64_t unit_ns(const ::parquet::LogicalType& type) {
  switch (dynamic_cast<const ::parquet::TimestampLogicalType&>(type).time_unit()) {
    case ::parquet::LogicalType::TimeUnit::MILLIS: return 1'000'000;
    case ::parquet::LogicalType::TimeUnit::MICROS: return 1000;
    default: return 1;
  }
}

std::optional<std::int64_t> of_double(double value) {
  if (std::isnan(value)) return std::nullopt;
  if (value != std::trunc(value) || value < -0x1p63 || value >= 0x1p64) {
    throw BadColumn(std::to_string(value) + " is no whole number");
  }
  return value < 0 ? static_cast<std::int64_t>(value) : static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
}

}  // namespace

bool holds_raw_address(const ::parquet::ColumnDescriptor& column, std::size_t bytes) {
  if (column.physical_type() == Physical::FIXED_LEN_BYTE_ARRAY) return true;
  return !column.logical_type()->is_string() && (bytes == 4 || bytes == 16);
}

bool can_hold(const ::parquet::ColumnDescriptor& column, Holds holds) {
  switch (holds) {
    case Holds::number: return is_number(column);
    case Holds::time:
      return column.physical_type() == Physical::INT96 || column.logical_type()->is_timestamp() || is_number(column);
    case Holds::text:
    case Holds::texts:
      return column.physical_type() == Physical::BYTE_ARRAY && column.logical_type()->is_string() &&
             column.max_repetition_level() == (holds == Holds::texts ? 1 : 0);
    case Holds::address: break;
  }
  if (column.physical_type() == Physical::BYTE_ARRAY) return !column.logical_type()->is_decimal();
  return column.physical_type() == Physical::FIXED_LEN_BYTE_ARRAY &&
         (column.type_length() == 4 || column.type_length() == 16);
}

ColumnCursor::ColumnCursor(std::shared_ptr<::parquet::ColumnReader> reader, Holds holds, std::int64_t unit)
    : reader_(std::move(reader)), ns_(unit) {
  const ::parquet::LogicalType& type = *reader_->descr()->logical_type();
  if (type.is_int()) unsigned_ = !dynamic_cast<const ::parquet::IntLogicalType&>(type).is_signed();
  if (holds == Holds::time && type.is_timestamp()) ns_ = unit_ns(type);
}

std::optional<std::int64_t> ColumnCursor::in_ns(std::optional<std::int64_t> value) const {
  return value ? std::optional(in_ns(*value)) : value;
}

std::int64_t ColumnCursor::in_ns(std::int64_t value) const {
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(value, ns_, &ns)) throw BadColumn("a time beyond what nanoseconds can count");
  return ns;
}

// Big-endian, two's complement.
std::int64_t ColumnCursor::of_decimal(const std::uint8_t* bytes, std::size_t count) const {
  __int128 value = count > 0 && bytes[0] & 0x80 ? -1 : 0;
  if (count > sizeof value) throw BadColumn("a decimal of too many digits");
  for (std::size_t i = 0; i < count; ++i)
    value = static_cast<__int128>(static_cast<unsigned __int128>(value) << 8 | bytes[i]);
  if (value < INT64_MIN || value > static_cast<__int128>(UINT64_MAX)) throw BadColumn("a decimal beyond 64 bits");
  return static_cast<std::int64_t>(value);
}

// Arrow hands out no more than a page at a time; levels tell which rows have one of the values.
template <class Parquet, class Take, class Convert>
void ColumnCursor::read(std::int64_t rows, const Take& take, Convert convert) {
  auto& reader = dynamic_cast<::parquet::TypedColumnReader<Parquet>&>(*reader_);
  const std::int16_t present = reader_->descr()->max_definition_level();
  std::vector<typename Parquet::c_type> values(static_cast<std::size_t>(rows));
  levels_.assign(static_cast<std::size_t>(rows), present);
  while (rows > 0) {
    std::int64_t count = 0;
    const std::int64_t got = reader.ReadBatch(rows, levels_.data(), nullptr, values.data(), &count);
    if (got <= 0) throw BadColumn("ends before its rows do");
    std::int64_t used = 0;
    for (std::int64_t i = 0; i < got; ++i) {
      if (present > 0 && levels_[i] < present) take(std::nullopt);
      else if (used == count) throw BadColumn("fewer values than it says");
      else take(convert(values[used++]));
    }
    rows -= got;
  }
}

void ColumnCursor::numbers(std::int64_t rows, const TakeNumber& take) {
  const auto fixed = static_cast<std::size_t>(std::max(reader_->descr()->type_length(), 0));
  switch (reader_->type()) {
    case Physical::INT32:
      return read<::parquet::Int32Type>(rows, take, [this](std::int32_t v) {
        return in_ns(unsigned_ ? static_cast<std::int64_t>(static_cast<std::uint32_t>(v)) : v);
      });
    case Physical::INT64:
      return read<::parquet::Int64Type>(rows, take, [this](std::int64_t v) {
        if (unsigned_ && v < 0) throw BadColumn(std::to_string(static_cast<std::uint64_t>(v)) + " is not possible");
        return in_ns(v);
      });
    case Physical::INT96:
      return read<::parquet::Int96Type>(rows, take,
                                        [](const ::parquet::Int96& v) { return ::parquet::Int96GetNanoSeconds(v); });
    case Physical::FLOAT:
      return read<::parquet::FloatType>(rows, take, [this](float v) { return in_ns(of_double(v)); });
    case Physical::DOUBLE:
      return read<::parquet::DoubleType>(rows, take, [this](double v) { return in_ns(of_double(v)); });
    case Physical::BYTE_ARRAY:
      return read<::parquet::ByteArrayType>(
          rows, take, [this](const ::parquet::ByteArray& v) { return in_ns(of_decimal(v.ptr, v.len)); });
    default:
      return read<::parquet::FLBAType>(
          rows, take, [this, fixed](const ::parquet::FixedLenByteArray& v) { return in_ns(of_decimal(v.ptr, fixed)); });
  }
}

void ColumnCursor::bytes(std::int64_t rows, const TakeBytes& take) {
  using Bytes = std::span<const std::uint8_t>;
  const auto fixed = static_cast<std::size_t>(std::max(reader_->descr()->type_length(), 0));
  if (reader_->type() == Physical::BYTE_ARRAY) {
    return read<::parquet::ByteArrayType>(rows, take,
                                          [](const ::parquet::ByteArray& v) { return Bytes(v.ptr, v.len); });
  }
  read<::parquet::FLBAType>(rows, take, [fixed](const ::parquet::FixedLenByteArray& v) { return Bytes(v.ptr, fixed); });
}

// False at the end of the column.
bool ColumnCursor::fill_levels() {
  constexpr std::int64_t kLevels = 1024;
  auto& reader = dynamic_cast<::parquet::TypedColumnReader<::parquet::ByteArrayType>&>(*reader_);
  levels_.resize(kLevels);
  repeats_.resize(kLevels);
  values_.resize(kLevels);
  std::int64_t values = 0;
  at_ = at_value_ = 0;
  filled_ = reader.ReadBatch(kLevels, levels_.data(), repeats_.data(), values_.data(), &values);
  values_.resize(static_cast<std::size_t>(values));
  return filled_ > 0;
}

void ColumnCursor::lists(std::int64_t rows, std::int64_t most,
                         const std::function<void(std::span<const std::uint8_t>)>& take,
                         const std::function<void()>& end_row) {
  const std::int16_t present = reader_->descr()->max_definition_level();
  for (; rows > 0; --rows, end_row()) {
    if (at_ == filled_ && !fill_levels()) throw BadColumn("ends before its rows do");
    do {
      if (levels_[static_cast<std::size_t>(at_++)] < present) continue;
      if (at_value_ == static_cast<std::int64_t>(values_.size())) throw BadColumn("fewer values than it says");
      if (most-- == 0) throw BadColumn("more texts in its lists than such a small file can have");
      const ::parquet::ByteArray& value = values_[static_cast<std::size_t>(at_value_++)];
      take({value.ptr, value.len});
    } while ((at_ < filled_ || fill_levels()) && repeats_[static_cast<std::size_t>(at_)] > 0);
  }
}

}  // namespace warpmeter::inline record
