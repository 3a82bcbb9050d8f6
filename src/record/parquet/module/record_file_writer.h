// Writes Flow Records as a Parquet file: zstd, dictionaries, statistics, a checksum a page. Columns: typed_columns.h.
//
// A file that would have less than a byte a row, and so more than readers take it for (file_limits.h), gets zeros
// between its row groups.
//
// Records are gathered to a batch that stays in a core's cache and then encoded column by column. The same records give
// the same bytes. Errors are those of the sink; after one, only destroying it makes sense. One thread.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/util/compression.h>
#include <parquet/api/writer.h>

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/byte_sink.h"
#include "core/one_by_one_writer.h"
#include "core/record_layout.h"
#include "core/typed_columns.h"

namespace warpmeter::inline record {

// Rows of a row group: what Parquet's readers hand out to their threads, and skip by its statistics.
inline constexpr std::int64_t kRowsInGroup = 1 << 19;

// By which pages are compressed.
inline constexpr int kZstdLevel = 1;

inline void check(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <class T>
T value(arrow::Result<T> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

inline std::unique_ptr<arrow::util::Codec> zstd() {
  return value(arrow::util::Codec::Create(arrow::Compression::ZSTD, kZstdLevel));
}

// A ByteSink as Arrow writes to it. What the sink throws is kept and comes out of rethrow(), since Arrow knows no more
// than that writing failed. After that, and after abandon(), nothing reaches the sink any more: Arrow's destructors
// would write the end of a file that nobody wants.
class SinkStream : public arrow::io::OutputStream {
 public:
  explicit SinkStream(ByteSink& sink) : sink_(sink) {}

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* bytes, std::int64_t count) override {
    if (abandoned_) return arrow::Status::IOError("given up");
    try {
      sink_.write(bytes, static_cast<std::size_t>(count));
    } catch (...) {
      error_ = std::current_exception();
      abandon();
      return arrow::Status::IOError("the output cannot be written");
    }
    written_ += count;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return written_; }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

  void abandon() { abandoned_ = true; }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  ByteSink& sink_;
  std::int64_t written_ = 0;
  std::exception_ptr error_;
  bool abandoned_ = false;
  bool closed_ = false;
};

class RecordFileWriter : public OneByOneWriter {
 public:
  RecordFileWriter(ByteSink& sink, const RecordLayout& layout);
  ~RecordFileWriter() override;
  void begin() override;
  void write(const FlowRecord& record, const FlowRecord* reverse) override;
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override;
  void flush() override;  // ends the row group
  void end() override;

 private:
  static constexpr std::size_t kBatch = 1024;

  template <class Do>
  void guarded(Do&& what);
  void write_batch();
  void end_group();
  void write_addresses(int column, const std::uint8_t (FlowKey::*address)[16]);
  void write_extra(int column, const ExtraColumn& extra);
  void write_noted(int column, const ExtraColumn& extra);
  void write_lists(int column, const ExtraColumn& extra);
  void write_texts(int column);
  void write_numbers(int column);
  const FlowRecord* record_of(const TypedColumn& column, std::size_t row) const;
  const Annotations& noted_of(std::size_t row) const;
  std::optional<std::int64_t> value_of(const TypedColumn& column, std::size_t row) const;

  const RecordLayout layout_;
  const std::vector<TypedColumn> columns_;
  const std::shared_ptr<SinkStream> stream_;
  std::unique_ptr<::parquet::ParquetFileWriter> file_;
  ::parquet::RowGroupWriter* group_ = nullptr;  // file_ owns it
  std::int64_t rows_in_group_ = 0;
  std::int64_t rows_ = 0;  // in groups that have ended

  // The batch.
  std::vector<FlowRecord> forward_;
  std::vector<FlowRecord> reverse_;  // of biflows only
  std::vector<bool> has_reverse_;
  std::map<std::size_t, Annotations> noted_;  // by the row

  // One column of it, as Parquet takes it: a definition level a row (0: null), and the values that there are.
  std::vector<std::int16_t> levels_;
  std::vector<std::int16_t> repetitions_;  // of lists: 0 where one begins
  std::vector<std::int64_t> wide_;
  std::vector<std::int32_t> narrow_;
  std::vector<::parquet::ByteArray> texts_;
  std::vector<char> letters_;  // of a column's texts
};

}  // namespace warpmeter::inline record
