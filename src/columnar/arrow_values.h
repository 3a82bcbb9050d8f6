// The values of a column that a program gave as Arrow array, whatever of Arrow's types they have.
//
// Arrays are in this process, and believed: what the program says of their lengths is not checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "warpmeter/arrow_c_data.h"

namespace warpmeter {

class ArrowType {
 public:
  // Nothing of a type that no column of a Flow Record can have: of those are whole numbers, doubles that are whole,
  // moments and lengths of time, and texts; dictionaries of these; and the type of a column that has no values.
  static std::optional<ArrowType> of(const ArrowSchema& field);

  bool is_text() const { return kind_ == Kind::text || kind_ == Kind::long_text || kind_ == Kind::text_view; }
  // Of a time with a type: its unit; 0 of a plain number.
  std::int64_t ns_per_unit() const { return ns_per_unit_; }

  // There is no value, or a double that stands for none, as pandas has them. Rows count from the array's offset.
  bool is_none(const ArrowArray& array, std::int64_t row) const;
  // REQUIRES of both: there is a value.
  std::string_view text(const ArrowArray& array, std::int64_t row) const;
  // Nothing where it is no whole number that 64 bits with a sign hold.
  std::optional<std::int64_t> number(const ArrowArray& array, std::int64_t row) const;

 private:
  enum class Kind : std::uint8_t { none, i8, u8, i16, u16, i32, u32, i64, u64, real, text, long_text, text_view };
  // Where a value lies: in the array, or in its dictionary.
  struct Place {
    const ArrowArray& array;
    std::int64_t row;
  };
  explicit ArrowType(Kind kind, std::int64_t ns_per_unit = 0) : kind_(kind), ns_per_unit_(ns_per_unit) {}

  static std::optional<ArrowType> of_format(std::string_view format);
  static std::optional<std::int64_t> number(Kind kind, const ArrowArray& array, std::int64_t row);
  static bool is_null(Kind kind, const ArrowArray& array, std::int64_t row);
  Place place(const ArrowArray& array, std::int64_t row) const;

  Kind kind_;                // of the values
  Kind index_ = Kind::none;  // of the numbers of a dictionary's values
  std::int64_t ns_per_unit_;
};

}  // namespace warpmeter
