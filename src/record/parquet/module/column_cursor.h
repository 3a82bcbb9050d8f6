// One column of one row group, row by row, whatever Parquet type its numbers, times or addresses have.
//
// Numbers come from integers of any width, whole floating-point numbers (NaN is null: what pandas makes of a null) and
// decimals without a fraction (what Spark makes of a uint64); times from timestamps of any unit, INT96 and plain
// integers, which count what the column's name says. Throws BadColumn and Arrow's exceptions, after the rows before
// were handed out.
#pragma once

#include <parquet/api/reader.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace warpmeter::inline record {

class BadColumn : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Holds : std::uint8_t { number, time, address };

// Whether a column of this type can be read as that.
bool can_hold(const ::parquet::ColumnDescriptor& column, Holds holds);

// The 4 or 16 bytes of addresses, not their text.
bool holds_raw_address(const ::parquet::ColumnDescriptor& column, std::size_t bytes);

class ColumnCursor {
 public:
  // `unit`: what plain numbers count, ns. REQUIRES: can_hold().
  ColumnCursor(std::shared_ptr<::parquet::ColumnReader> reader, Holds holds, std::int64_t unit = 1);

  using TakeNumber = std::function<void(std::optional<std::int64_t>)>;
  // Values of uint64 beyond int64 keep their bits; `unsigned_numbers()` tells whether there may be some.
  void numbers(std::int64_t rows, const TakeNumber& take);
  bool unsigned_numbers() const { return unsigned_; }

  // Nothing where it is null. The bytes are gone with the next row.
  using TakeBytes = std::function<void(std::optional<std::span<const std::uint8_t>>)>;
  void bytes(std::int64_t rows, const TakeBytes& take);

 private:
  template <class Parquet, class Take, class Convert>
  void read(std::int64_t rows, const Take& take, Convert convert);
  std::int64_t in_ns(std::int64_t value) const;
  std::optional<std::int64_t> in_ns(std::optional<std::int64_t> value) const;
  std::int64_t of_decimal(const std::uint8_t* bytes, std::size_t count) const;

  const std::shared_ptr<::parquet::ColumnReader> reader_;
  bool unsigned_ = false;
  std::int64_t ns_;  // what a unit is
  std::vector<std::int16_t> levels_;
};

}  // namespace warpmeter::inline record
