#include "record/arrow/arrow_values.h"

#include <cmath>
#include <cstring>

namespace warpmeter::inline record {
namespace {

template <class T>
T value_at(const ArrowArray& array, std::int64_t row) {
  return static_cast<const T*>(array.buffers[1])[array.offset + row];
}

// No value of a Flow Record is as long. Arrays do not tell how long their texts are together: an offset that leads
// beyond them is seen by what it would make of one.
constexpr std::int64_t kMostText = 1 << 16;

// Of the widest values they fill the memory that addresses can tell apart.
constexpr std::int64_t kMostRows = std::int64_t{1} << 59;

template <class Offset>
std::optional<std::string_view> text_at(const ArrowArray& array, std::int64_t row) {
  const Offset* const offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset + row;
  const std::int64_t begin = offsets[0], end = offsets[1];
  if (begin < 0 || end < begin || end - begin > kMostText) return std::nullopt;
  if (end == begin) return "";
  const char* const texts = static_cast<const char*>(array.buffers[2]);
  if (!texts) return std::nullopt;
  return std::string_view(texts + begin, static_cast<std::size_t>(end - begin));
}

// 16 bytes: the length, and a short text itself; of a long one its first letters, the buffer and the place there.
// The last buffer has the lengths of those behind the views.
std::optional<std::string_view> viewed_text(const ArrowArray& array, std::int64_t row) {
  constexpr std::int32_t kShort = 12;
  const char* const view = static_cast<const char*>(array.buffers[1]) + 16 * (array.offset + row);
  std::int32_t length, buffer, at;
  std::memcpy(&length, view, sizeof length);
  if (length < 0) return std::nullopt;
  if (length <= kShort) return std::string_view(view + 4, static_cast<std::size_t>(length));
  std::memcpy(&buffer, view + 8, sizeof buffer);
  std::memcpy(&at, view + 12, sizeof at);
  const std::int64_t buffers = array.n_buffers - 3;
  const auto* const lengths = static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1]);
  if (buffer < 0 || buffer >= buffers || !lengths || at < 0 || at > lengths[buffer] - length) return std::nullopt;
  const char* const texts = static_cast<const char*>(array.buffers[2 + buffer]);
  if (!texts) return std::nullopt;
  return std::string_view(texts + at, static_cast<std::size_t>(length));
}

std::int64_t ns_of_unit(char unit) {
  switch (unit) {
    case 's': return 1'000'000'000;
    case 'm': return 1'000'000;
    case 'u': return 1'000;
    default: return 1;
  }
}

}  // namespace

std::optional<ArrowType> ArrowType::of(const ArrowSchema& field) {
  if (!field.dictionary) return of_format(field.format);
  if (field.dictionary->dictionary) return std::nullopt;
  const std::optional<ArrowType> index = of_format(field.format);
  std::optional<ArrowType> values = of_format(field.dictionary->format);
  if (!index || !values || index->ns_per_unit_ || index->kind_ < Kind::i8 || index->kind_ > Kind::u64) {
    return std::nullopt;
  }
  values->index_ = index->kind_;
  return values;
}

std::optional<ArrowType> ArrowType::of_format(const char* words) {
  if (!words) return std::nullopt;
  const std::string_view format = words;
  // Moments ("tsn:" and a time zone, which changes nothing of when they are) and lengths of time ("tDn").
  if (format.size() >= 3 && (format.starts_with("ts") || format.starts_with("tD"))) {
    return ArrowType(Kind::i64, ns_of_unit(format[2]));
  }
  if (format == "vu") return ArrowType(Kind::text_view);
  if (format.size() != 1) return std::nullopt;
  switch (format.front()) {
    case 'n': return ArrowType(Kind::none);
    case 'c': return ArrowType(Kind::i8);
    case 'C': return ArrowType(Kind::u8);
    case 's': return ArrowType(Kind::i16);
    case 'S': return ArrowType(Kind::u16);
    case 'i': return ArrowType(Kind::i32);
    case 'I': return ArrowType(Kind::u32);
    case 'l': return ArrowType(Kind::i64);
    case 'L': return ArrowType(Kind::u64);
    case 'g': return ArrowType(Kind::real);
    case 'u': return ArrowType(Kind::text);
    case 'U': return ArrowType(Kind::long_text);
    default: return std::nullopt;
  }
}

// Nothing where the dictionary has no such value.
std::optional<ArrowType::Place> ArrowType::place(const ArrowArray& array, std::int64_t row) const {
  if (index_ == Kind::none) return Place{array, row};
  const std::int64_t at = number(index_, array, row).value_or(-1);
  if (at < 0 || at >= array.dictionary->length) return std::nullopt;
  return Place{*array.dictionary, at};
}

bool ArrowType::is_null(Kind kind, const ArrowArray& array, std::int64_t row) {
  if (kind == Kind::none) return true;  // which has no buffers
  const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  const std::int64_t at = array.offset + row;
  return bits && array.null_count != 0 && !(bits[at / 8] >> at % 8 & 1);
}

std::string ArrowType::problem_of(Kind kind, const ArrowArray* array, std::int64_t rows) {
  if (!array) return "is missing";
  if (array->length < 0 || array->offset < 0) return "has a negative length or offset";
  std::int64_t end = 0;
  if (__builtin_add_overflow(array->offset, array->length, &end) || end > kMostRows) {
    return "has an impossible length or offset";
  }
  if (array->length < rows) return "is shorter than its batch";
  if (kind == Kind::none) return {};
  if (array->n_buffers < (is_text(kind) ? 3 : 2) || !array->buffers) return "has too few buffers";
  if (array->length > 0 && !array->buffers[1]) return "has no values";
  return {};
}

std::string ArrowType::problem_of(const ArrowArray* array, std::int64_t rows) const {
  if (index_ == Kind::none) return problem_of(kind_, array, rows);
  std::string problem = problem_of(index_, array, rows);
  if (problem.empty()) problem = problem_of(kind_, array->dictionary, 0);
  return problem;
}

bool ArrowType::is_none(const ArrowArray& array, std::int64_t row) const {
  if (index_ != Kind::none && is_null(index_, array, row)) return true;
  const std::optional<Place> at = place(array, row);
  if (!at) return false;
  return is_null(kind_, at->array, at->row) ||
         (kind_ == Kind::real && std::isnan(value_at<double>(at->array, at->row)));
}

std::optional<std::string_view> ArrowType::text(const ArrowArray& array, std::int64_t row) const {
  const std::optional<Place> at = place(array, row);
  if (!at) return std::nullopt;
  if (kind_ == Kind::text_view) return viewed_text(at->array, at->row);
  return kind_ == Kind::long_text ? text_at<std::int64_t>(at->array, at->row)
                                  : text_at<std::int32_t>(at->array, at->row);
}

std::optional<std::int64_t> ArrowType::number(const ArrowArray& array, std::int64_t row) const {
  const std::optional<Place> at = place(array, row);
  return at ? number(kind_, at->array, at->row) : std::nullopt;
}

std::optional<std::int64_t> ArrowType::number(Kind kind, const ArrowArray& array, std::int64_t row) {
  switch (kind) {
    case Kind::i8: return value_at<std::int8_t>(array, row);
    case Kind::u8: return value_at<std::uint8_t>(array, row);
    case Kind::i16: return value_at<std::int16_t>(array, row);
    case Kind::u16: return value_at<std::uint16_t>(array, row);
    case Kind::i32: return value_at<std::int32_t>(array, row);
    case Kind::u32: return value_at<std::uint32_t>(array, row);
    case Kind::i64: return value_at<std::int64_t>(array, row);
    case Kind::real: {
      constexpr double kBeyond = 0x1p63;
      const double value = value_at<double>(array, row);
      if (value != std::trunc(value) || value < -kBeyond || value >= kBeyond) return std::nullopt;
      return static_cast<std::int64_t>(value);
    }
    case Kind::u64: {
      const auto value = value_at<std::uint64_t>(array, row);
      if (value > INT64_MAX) return std::nullopt;
      return static_cast<std::int64_t>(value);
    }
    default: return std::nullopt;
  }
}

}  // namespace warpmeter::inline record
