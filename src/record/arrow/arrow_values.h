// The values of a column that a program gave as Arrow array, whatever of Arrow's types they have.
//
// Arrays are in this process, and what they say of their lengths is believed where nothing tells: they do not say how
// long their buffers are. What contradicts itself is told, in place of a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "warpmeter/arrow_c_data.h"

namespace warpmeter::inline record {

class ArrowType {
 public:
  // Nothing of a type that no column of a Flow Record can have: of those are whole numbers, doubles that are whole,
  // moments and lengths of time, and texts; dictionaries of these; and the type of a column that has no values.
  static std::optional<ArrowType> of(const ArrowSchema& field);

  bool is_text() const { return is_text(kind_); }
  // Of a time with a type: its unit; 0 of a plain number.
  std::int64_t ns_per_unit() const { return ns_per_unit_; }

  // What is wrong with a column of this type, of which rows up to `rows` are to be read; empty: nothing.
  std::string problem_of(const ArrowArray* array, std::int64_t rows) const;

  // The same of a list, of which these are the offsets.
  static std::string problem_of_offsets(const ArrowArray* array, std::int64_t rows) {
    return problem_of(Kind::i32, array, rows);
  }
  static bool is_null_list(const ArrowArray& array, std::int64_t row) { return is_null(Kind::i32, array, row); }

  // REQUIRES of these: problem_of() of the array is empty, and the row is one of those. Rows count from its offset.
  // There is no value, or a double that stands for none, as pandas has them.
  bool is_none(const ArrowArray& array, std::int64_t row) const;
  // REQUIRES: there is a value. Nothing where the place of the text makes no sense.
  std::optional<std::string_view> text(const ArrowArray& array, std::int64_t row) const;
  // Nothing where it is no whole number that 64 bits with a sign hold.
  std::optional<std::int64_t> number(const ArrowArray& array, std::int64_t row) const;

 private:
  enum class Kind : std::uint8_t { none, i8, u8, i16, u16, i32, u32, i64, u64, real, text, long_text, text_view };
  // Where a value lies: in the array, or in its dictionary.
  struct Place {
    const ArrowArray& array;
    std::int64_t row;
  };
  static bool is_text(Kind kind) { return kind == Kind::text || kind == Kind::long_text || kind == Kind::text_view; }
  explicit ArrowType(Kind kind, std::int64_t ns_per_unit = 0) : kind_(kind), ns_per_unit_(ns_per_unit) {}

  static std::optional<ArrowType> of_format(const char* format);
  static std::optional<std::int64_t> number(Kind kind, const ArrowArray& array, std::int64_t row);
  static std::string problem_of(Kind kind, const ArrowArray* array, std::int64_t rows);
  static bool is_null(Kind kind, const ArrowArray& array, std::int64_t row);
  std::optional<Place> place(const ArrowArray& array, std::int64_t row) const;

  Kind kind_;                // of the values
  Kind index_ = Kind::none;  // of the numbers of a dictionary's values
  std::int64_t ns_per_unit_;
};

}  // namespace warpmeter::inline record
