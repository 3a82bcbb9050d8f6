// Rows of any columns that Arrow has, as a Parquet file or as an Arrow file (IPC, with a footer). Arrow writes the
// latter; of Parquet it has codec, checksums and metadata (file_frame.h), and texts, lists and numbers with a fraction,
// while pages of whole numbers and keys are made here (column_pages.h). The same rows give the same bytes, in whatever
// pieces they come. Errors as of RecordFileWriter. One thread.
#pragma once

#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/byte_sink.h"
#include "record/parquet/module/column_pages.h"
#include "record/parquet/module/file_frame.h"
#include "record/parquet/module/record_file_writer.h"
#include "record/parquet/parquet_files.h"

namespace warpmeter::inline record {

class RowsFileWriter : public RowsWriter {
 public:
  // Takes over the schema.
  RowsFileWriter(ByteSink& sink, RowsForm form, ArrowSchema& schema, unsigned threads);
  ~RowsFileWriter() override { stream_->abandon(); }

  void append(ArrowArray& rows) override;
  void end() override;

 private:
  using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

  template <class Do>
  void guarded(Do&& what);
  Batches take_first(std::int64_t rows);
  void write_first(std::int64_t rows);
  void open_parquet(const Batches& first);
  void write_pages(const Batches& rows);
  void end_group();

  const std::shared_ptr<SinkStream> stream_;
  const unsigned threads_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> arrow_;  // null: it is a Parquet file
  std::optional<ParquetFile> file_;                       // from its first rows on
  std::vector<std::unique_ptr<ColumnPages>> pages_;       // of its columns; null: Arrow makes them
  std::optional<ParquetGroup> group_;                     // that has not ended
  std::int64_t rows_in_group_ = 0, rows_of_group_ = 0;    // now, and when it is full
  std::int64_t rows_of_part_ = 0;                         // a batch of an Arrow file; of Parquet, some pages
  // Rows that are no such part yet.
  Batches waiting_;
  std::int64_t rows_waiting_ = 0;
};

}  // namespace warpmeter::inline record
