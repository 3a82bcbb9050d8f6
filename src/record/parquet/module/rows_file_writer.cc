#include "record/parquet/module/rows_file_writer.h"

#include <arrow/array/concatenate.h>
#include <arrow/c/bridge.h>
#include <arrow/table.h>
#include <arrow/util/thread_pool.h>

#include <string>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::int64_t kRowsOfPiece = 1 << 14;

void check(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <class T>
T value(arrow::Result<T> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

// Numbers of 64 bits and times mostly lie close to those before them. To find others in a dictionary takes longer than
// to compress them, of addresses several times as long, for a fifth less of a file. The first and the last of texts say
// nothing of where others are.
std::shared_ptr<::parquet::WriterProperties> properties(const arrow::Schema& schema) {
  ::parquet::WriterProperties::Builder builder;
  builder.version(::parquet::ParquetVersion::PARQUET_2_6)
      ->created_by("warpmeter version " WARPMETER_VERSION)
      ->memory_pool(arrow::system_memory_pool())
      ->compression(::parquet::Compression::ZSTD)
      ->compression_level(kZstdLevel)
      ->max_row_group_length(kRowsInGroup)
      ->enable_page_checksum();
  for (const auto& field : schema.fields()) {
    const int bits = arrow::is_primitive(field->type()->id()) ? field->type()->bit_width() : 0;
    if (bits == 0) builder.disable_statistics(field->name());
    if (bits == 8) continue;
    builder.disable_dictionary(field->name());
    if (bits == 64 && !arrow::is_floating(field->type()->id()))
      builder.encoding(field->name(), ::parquet::Encoding::DELTA_BINARY_PACKED);
  }
  return builder.build();
}

// Behind the end of a buffer that is a part of another an Arrow file would have what stands there.
std::shared_ptr<arrow::RecordBatch> copy_of(const arrow::RecordBatch& rows) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const auto& column : rows.columns()) columns.push_back(value(arrow::Concatenate({column})));
  return arrow::RecordBatch::Make(rows.schema(), rows.num_rows(), std::move(columns));
}

}  // namespace

RowsFileWriter::RowsFileWriter(ByteSink& sink, RowsForm form, ArrowSchema& schema, unsigned threads)
    : stream_(std::make_shared<SinkStream>(sink)) {
  guarded([&] {
    schema_ = value(arrow::ImportSchema(&schema));
    open(form, threads);
  });
}

// Arrow's errors, most of which are the sink's, as Errors.
template <class Do>
void RowsFileWriter::guarded(Do&& what) {
  try {
    what();
  } catch (const std::exception& error) {
    stream_->rethrow();
    stream_->abandon();
    throw Error(std::string("the table cannot be written: ") + error.what());
  }
}

void RowsFileWriter::open(RowsForm form, unsigned threads) {
  if (form == RowsForm::arrow) {
    arrow_ = value(arrow::ipc::MakeFileWriter(stream_, schema_));
    return;
  }
  if (threads > 1) check(arrow::SetCpuThreadPoolCapacity(static_cast<int>(threads)));
  const auto how = ::parquet::ArrowWriterProperties::Builder().set_use_threads(threads > 1)->build();
  parquet_ = value(
      ::parquet::arrow::FileWriter::Open(*schema_, arrow::system_memory_pool(), stream_, properties(*schema_), how));
}

void RowsFileWriter::append(ArrowArray& rows) {
  guarded([&] {
    waiting_.push_back(value(arrow::ImportRecordBatch(&rows, schema_)));
    rows_waiting_ += waiting_.back()->num_rows();
    if (rows_waiting_ >= kRowsOfPiece) write_pieces(kRowsOfPiece);
  });
}

// Pages and batches end where pieces do, wherever those ended that came.
void RowsFileWriter::write_pieces(std::int64_t least) {
  if (waiting_.empty()) return;
  const auto table = value(arrow::Table::FromRecordBatches(schema_, std::exchange(waiting_, {})));
  std::shared_ptr<arrow::RecordBatch> rows = value(table->CombineChunksToBatch());
  while (rows->num_rows() >= least && rows->num_rows() > 0) {
    const std::shared_ptr<arrow::RecordBatch> piece = rows->Slice(0, kRowsOfPiece);
    check(parquet_ ? parquet_->WriteRecordBatch(*piece) : arrow_->WriteRecordBatch(*copy_of(*piece)));
    rows = rows->Slice(piece->num_rows());
  }
  rows_waiting_ = rows->num_rows();
  if (rows_waiting_ > 0) waiting_.push_back(std::move(rows));
}

void RowsFileWriter::end() {
  guarded([&] {
    write_pieces(1);
    check(parquet_ ? parquet_->Close() : arrow_->Close());
  });
}

}  // namespace warpmeter::inline record
