// Flow Records, and rows of other values, as Arrow arrays, for whoever computes with them in this process: a format
// whose sections are columns instead of bytes.
//
// Threads: as of RecordFormat. An array belongs to whoever took it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/record_layout.h"
#include "core/record_writer.h"
#include "core/typed_columns.h"
#include "record/arrow/arrow_export.h"
#include "warpmeter/arrow_c_data.h"

namespace warpmeter::inline record {

class ArrowSection : public RecordSection {
 public:
  // What is referred to must outlive it.
  ArrowSection(const std::vector<TypedColumn>& columns, const RecordLayout& layout);

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    write_annotated(record, reverse, kNoAnnotations);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override;
  std::size_t bytes() const override { return bytes_; }
  std::int64_t rows() const { return rows_; }

  // All rows, as a struct array; the caller releases it. The section holds no records then.
  void take(ArrowArray& to);

 private:
  void put_address(std::size_t i, const std::uint8_t (&address)[16], const FlowRecord& record);
  void put(std::size_t i, const FlowRecord& record, const FlowRecord* of_column);
  void put_extra(std::size_t i, const FlowRecord& record, const FlowRecord* reverse, const Annotations& noted);
  void begin();

  const std::vector<TypedColumn>& columns_;
  const RecordLayout& layout_;
  std::vector<ArrowColumn> data_;
  std::int64_t rows_ = 0;
  std::size_t bytes_ = 0;
  std::vector<char> text_;  // room for the value of any extra column
};

class ArrowFormat : public RecordFormat {
 public:
  explicit ArrowFormat(const RecordLayout& layout) : layout_(layout), columns_(typed_columns(layout)) {}

  const std::vector<TypedColumn>& columns() const { return columns_; }
  std::unique_ptr<RecordSection> new_section() const override {
    return std::make_unique<ArrowSection>(columns_, layout_);
  }

 private:
  const RecordLayout layout_;
  const std::vector<TypedColumn> columns_;
};

// Rows of values as Arrow arrays: of what is not simply whole Flow Records. Any value may be null.
//
// An array belongs to whoever took it.
class ArrowRows {
 public:
  // REQUIRES: their formats are those of texts ("u"), of numbers that typed columns have, and of double ("g").
  explicit ArrowRows(std::vector<ArrowField> fields);

  // Of the field with that number, once a row.
  void put_null(std::size_t field);
  void put(std::size_t field, std::int64_t value);  // of an unsigned field its bits
  void put(std::size_t field, double value);
  void put(std::size_t field, std::string_view text);
  void end_row() { ++rows_; }

  std::int64_t rows() const { return rows_; }
  std::size_t bytes() const { return bytes_; }

  // All rows, as a struct array; the caller releases it. No rows are left.
  void take(ArrowArray& to);

 private:
  void begin();

  const std::vector<ArrowField> fields_;
  std::vector<ArrowColumn> data_;
  std::int64_t rows_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace warpmeter::inline record
