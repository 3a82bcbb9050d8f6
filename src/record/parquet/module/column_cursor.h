// One column of one row group, row by row, whatever Parquet type its numbers, times or addresses have.
//
// Numbers come from integers of any width, whole floating-point numbers (NaN is null: what pandas makes of a null) and
// decimals without a fraction (what Spark makes of a uint64); times from timestamps of any unit, INT96 and plain
// integers, which count what the column's name says. Throws BadColumn and Arrow's exceptions, after the rows before
// were handed out.
#pragma once

#include <parquet/api/reader.h>
#include <parquet/column_page.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "record/parquet/module/file_limits.h"

namespace warpmeter::inline record {

class BadColumn : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Holds : std::uint8_t { number, time, address, text, texts };

// Whether a column of this type can be read as that.
bool can_hold(const ::parquet::ColumnDescriptor& column, Holds holds);

// The 4 or 16 bytes of addresses, not their text.
bool holds_raw_address(const ::parquet::ColumnDescriptor& column, std::size_t bytes);

class ColumnCursor {
 public:
  // `unit`: what plain numbers count, ns. REQUIRES: can_hold().
  ColumnCursor(std::shared_ptr<::parquet::ColumnReader> reader, Holds holds, std::int64_t unit = 1);

  using TakeNumber = std::function<void(std::optional<std::int64_t>)>;
  // A uint64 beyond int64 is a BadColumn: nothing that is counted comes near it.
  void numbers(std::int64_t rows, const TakeNumber& take);

  // Nothing where it is null. The bytes are gone with the next row.
  using TakeBytes = std::function<void(std::optional<std::span<const std::uint8_t>>)>;
  void bytes(std::int64_t rows, const TakeBytes& take);

  // Of a column that repeats (Holds::texts), those of each row: `take` gets them, then `end_row` is called. No more
  // than `most` of all rows together. The bytes are gone when it returns.
  void lists(std::int64_t rows, std::int64_t most, const std::function<void(std::span<const std::uint8_t>)>& take,
             const std::function<void()>& end_row);

 private:
  bool fill_levels();
  template <class Parquet, class Take, class Convert>
  void read(std::int64_t rows, const Take& take, Convert convert);
  std::int64_t in_ns(std::int64_t value) const;
  std::optional<std::int64_t> in_ns(std::optional<std::int64_t> value) const;
  std::int64_t of_decimal(const std::uint8_t* bytes, std::size_t count) const;

  const std::shared_ptr<::parquet::ColumnReader> reader_;
  bool unsigned_ = false;
  std::int64_t ns_;  // what a unit is
  std::vector<std::int16_t> levels_;
  // Of lists: what has been read, and how far it has been taken.
  std::vector<std::int16_t> repeats_;
  std::vector<::parquet::ByteArray> values_;
  std::int64_t filled_ = 0, at_ = 0, at_value_ = 0;
};

// The pages of one column of a row group, none of them larger than its values can make it (file_limits.h): a page of
// one value that unpacks to a hundred megabytes costs that time once, and not each time that another one follows.
//
// Threads: as the reader that has it; one. Throws BadColumn.
class BoundedPages : public ::parquet::PageReader {
 public:
  BoundedPages(std::unique_ptr<::parquet::PageReader> pages, std::int64_t most_of_value)
      : pages_(std::move(pages)), most_of_value_(most_of_value) {}

  std::shared_ptr<::parquet::Page> NextPage() override {
    std::shared_ptr<::parquet::Page> page = pages_->NextPage();
    if (page && page->size() > most_of_page(values_of(*page), most_of_value_)) {
      throw BadColumn("a page of " + std::to_string(page->size()) + " bytes for " + std::to_string(values_of(*page)) +
                      " values");
    }
    return page;
  }
  void set_max_page_header_size(std::uint32_t size) override { pages_->set_max_page_header_size(size); }

 private:
  static std::int64_t values_of(const ::parquet::Page& page) {
    if (const auto* data = dynamic_cast<const ::parquet::DataPage*>(&page)) return data->num_values();
    if (const auto* words = dynamic_cast<const ::parquet::DictionaryPage*>(&page)) return words->num_values();
    return 0;
  }

  const std::unique_ptr<::parquet::PageReader> pages_;
  const std::int64_t most_of_value_;
};

}  // namespace warpmeter::inline record
