// Rows of any columns that Arrow has, as a Parquet file or as an Arrow file (IPC, with a footer), by Arrow's own
// writers. The same rows give the same bytes, in whatever pieces they come. Errors as of RecordFileWriter. One
// thread.
#pragma once

#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/byte_sink.h"
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
  template <class Do>
  void guarded(Do&& what);
  void open(RowsForm form, unsigned threads);
  void write_pieces(std::int64_t least);

  const std::shared_ptr<SinkStream> stream_;
  std::shared_ptr<arrow::Schema> schema_;
  // One of these.
  std::unique_ptr<::parquet::arrow::FileWriter> parquet_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> arrow_;
  // Rows that are no piece yet.
  std::vector<std::shared_ptr<arrow::RecordBatch>> waiting_;
  std::int64_t rows_waiting_ = 0;
};

}  // namespace warpmeter::inline record
