#include "record/parquet/module/rows_file_writer.h"

#include <arrow/array/concatenate.h>
#include <arrow/c/bridge.h>
#include <arrow/util/base64.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <arrow/util/parallel.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/schema.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "record/parquet/module/group_column.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::int64_t kRowsOfBatch = 1 << 14, kRowsOfGroup = 1 << 17, kRowsOfLists = 1 << 15;

// The first values of a column, by which its encoding is chosen.
class Sample {
 public:
  Sample(const arrow::RecordBatchVector& rows, int column) {
    for (const auto& batch : rows) {
      const arrow::Array& array = *batch->column(column);
      const auto sampled = std::min<std::size_t>(kRows - std::max(numbers_.size(), texts_.size()), array.length());
      const auto add = [&](const auto* values) {
        for (std::size_t i = 0; i < sampled; ++i) {
          if (array.IsValid(i)) numbers_.push_back(static_cast<std::int64_t>(values[i]));
        }
      };
      if (array.type_id() == arrow::Type::STRING) add_texts(array, sampled);
      else take_numbers(array, add);
    }
  }

  // Whether a dictionary suits it: to find values in one costs several times what it costs to compress them, if most
  // are new.
  bool repeats() const {
    if (texts_.empty()) return !numbers_.empty() && repeat(numbers_, kNumbersBySome);
    return repeat(texts_, kTextsBySome);
  }

  // Whether its numbers, as so many bytes each, get shorter by a codec; for less than a few percent none is worth its
  // time.
  bool shrinks(std::size_t bytes_each) const {
    if (numbers_.empty() || bytes_each == 0) return true;
    std::vector<std::uint8_t> plain(numbers_.size() * bytes_each);
    for (std::size_t i = 0; i < numbers_.size(); ++i) std::memcpy(&plain[i * bytes_each], &numbers_[i], bytes_each);
    const auto codec = value(arrow::util::Codec::Create(arrow::Compression::ZSTD, kZstdLevel));
    const auto size = static_cast<std::int64_t>(plain.size());
    std::vector<std::uint8_t> packed(codec->MaxCompressedLen(size, plain.data()));
    const std::int64_t left =
        value(codec->Compress(size, plain.data(), static_cast<std::int64_t>(packed.size()), packed.data()));
    return 16 * left < 15 * size;
  }

 private:
  // Values; of those that are there, one of so many may be new.
  static constexpr std::size_t kRows = 1 << 14, kNumbersBySome = 8, kTextsBySome = 2;

  void add_texts(const arrow::Array& array, std::size_t sampled) {
    const auto* const offsets = array.data()->GetValues<std::int32_t>(1);
    const auto* const letters = array.data()->GetValues<char>(2, 0);
    for (std::size_t i = 0; i < sampled; ++i) {
      if (array.IsValid(i)) texts_.emplace_back(letters + offsets[i], offsets[i + 1] - offsets[i]);
    }
  }

  template <class T>
  static bool repeat(std::vector<T> values, std::size_t by_some) {
    std::ranges::sort(values);
    const auto others = std::ranges::unique(values);
    return (values.size() - others.size()) * by_some <= values.size();
  }

  std::vector<std::int64_t> numbers_;
  std::vector<std::string_view> texts_;
};

// Older versions of Arrow cannot: then a page has all rows of a group.
template <class Builder>
void limit_pages(Builder& builder) {
  if constexpr (requires { builder.max_rows_per_page(kRowsOfPage); }) builder.max_rows_per_page(kRowsOfPage);
}

// Numbers of 64 bits and times mostly lie close to those before them; what is left of them is nothing to compress. The
// first and the last of texts say nothing of where others are. Pages and dictionaries end by rows alone, not by bytes.
std::shared_ptr<::parquet::WriterProperties> properties(const arrow::Schema& schema,
                                                        const arrow::RecordBatchVector& rows) {
  constexpr std::int64_t kAny = std::int64_t{1} << 30;
  ::parquet::WriterProperties::Builder builder;
  builder.version(::parquet::ParquetVersion::PARQUET_2_6)
      ->created_by("warpmeter version " WARPMETER_VERSION)
      ->memory_pool(arrow::system_memory_pool())
      ->compression(::parquet::Compression::ZSTD)
      ->compression_level(kZstdLevel)
      ->data_pagesize(kAny)
      ->dictionary_pagesize_limit(kAny)
      ->enable_page_checksum();
  limit_pages(builder);
  for (int i = 0; i < schema.num_fields(); ++i) {
    const auto& field = schema.field(i);
    const int bits = arrow::is_primitive(field->type()->id()) ? field->type()->bit_width() : 0;
    if (bits == 0) builder.disable_statistics(field->name());
    const Sample sample(rows, i);
    if (has_keys(*field->type()) || sample.repeats()) continue;
    builder.disable_dictionary(field->name());
    const bool is_wide = bits == 64 && !arrow::is_floating(field->type()->id());
    if (is_wide) builder.encoding(field->name(), ::parquet::Encoding::DELTA_BINARY_PACKED);
    // Numbers of 16 bits take four bytes.
    if (!is_wide && sample.shrinks(bits == 0 ? 0 : 4)) continue;
    builder.compression(field->name(), ::parquet::Compression::UNCOMPRESSED)
        ->compression_level(field->name(), arrow::util::Codec::UseDefaultCompressionLevel());
  }
  return builder.build();
}

// Behind the end of a buffer that is a part of another an Arrow file would have what stands there.
std::shared_ptr<arrow::RecordBatch> copy_of(const std::vector<std::shared_ptr<arrow::RecordBatch>>& rows) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  std::int64_t count = 0;
  for (const auto& batch : rows) count += batch->num_rows();
  for (int i = 0; i < rows.front()->num_columns(); ++i) {
    arrow::ArrayVector arrays;
    for (const auto& batch : rows) arrays.push_back(batch->column(i));
    columns.push_back(value(arrow::Concatenate(arrays)));
  }
  return arrow::RecordBatch::Make(rows.front()->schema(), count, std::move(columns));
}

// Parquet has no type for lengths of time: whoever knows Arrow's finds it beside them, others have numbers.
std::shared_ptr<const arrow::KeyValueMetadata> types_of(const arrow::Schema& schema) {
  const auto is_duration = [](const auto& field) { return field->type()->id() == arrow::Type::DURATION; };
  if (std::ranges::none_of(schema.fields(), is_duration)) return nullptr;
  const auto bytes = value(arrow::ipc::SerializeSchema(schema, arrow::system_memory_pool()));
  return arrow::key_value_metadata({"ARROW:schema"}, {arrow::util::base64_encode(std::string_view(*bytes))});
}

std::int64_t rows_of_group(const arrow::Schema& schema) {
  const auto is_list = [](const auto& field) { return field->type()->id() == arrow::Type::LIST; };
  return std::ranges::any_of(schema.fields(), is_list) ? kRowsOfLists : kRowsOfGroup;
}

}  // namespace

RowsFileWriter::RowsFileWriter(ByteSink& sink, RowsForm form, ArrowSchema& schema, unsigned threads)
    : stream_(std::make_shared<SinkStream>(sink)), threads_(threads) {
  guarded([&] {
    schema_ = value(arrow::ImportSchema(&schema));
    rows_of_part_ = form == RowsForm::arrow ? kRowsOfBatch : rows_of_group(*schema_);
    if (form == RowsForm::arrow) arrow_ = value(arrow::ipc::MakeFileWriter(stream_, schema_));
    else if (threads > 1) check(arrow::SetCpuThreadPoolCapacity(static_cast<int>(threads)));
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

void RowsFileWriter::append(ArrowArray& rows) {
  guarded([&] {
    waiting_.push_back(value(arrow::ImportRecordBatch(&rows, schema_)));
    rows_waiting_ += waiting_.back()->num_rows();
    while (rows_waiting_ >= rows_of_part_) write_first(rows_of_part_);
  });
}

RowsFileWriter::Batches RowsFileWriter::take_first(std::int64_t rows) {
  rows_waiting_ -= rows;
  std::size_t whole = 0;
  for (; whole < waiting_.size() && waiting_[whole]->num_rows() <= rows; ++whole) rows -= waiting_[whole]->num_rows();
  Batches first(waiting_.begin(), waiting_.begin() + whole);
  waiting_.erase(waiting_.begin(), waiting_.begin() + whole);
  if (rows > 0) {
    first.push_back(waiting_.front()->Slice(0, rows));
    waiting_.front() = waiting_.front()->Slice(rows);
  }
  return first;
}

// Row groups, pages and batches end where so many rows do, wherever those ended that came.
void RowsFileWriter::write_first(std::int64_t rows) {
  const Batches first = take_first(rows);
  if (arrow_) return check(arrow_->WriteRecordBatch(*copy_of(first)));
  if (!parquet_) open_parquet(first);
  write_group(first);
}

void RowsFileWriter::open_parquet(const Batches& first) {
  arrow::FieldVector fields = schema_->fields();
  for (auto& field : fields) {
    if (has_keys(*field->type())) field = field->WithType(arrow::utf8());
  }
  const arrow::Schema schema(std::move(fields));
  const auto how = properties(*schema_, first);
  std::shared_ptr<::parquet::SchemaDescriptor> columns;
  check(::parquet::arrow::ToParquetSchema(&schema, *how, *::parquet::default_arrow_writer_properties(), &columns));
  parquet_ = ::parquet::ParquetFileWriter::Open(
      stream_, std::static_pointer_cast<::parquet::schema::GroupNode>(columns->schema_root()), how, types_of(schema));
}

void RowsFileWriter::write_group(const Batches& rows) {
  ::parquet::RowGroupWriter* const group = parquet_->AppendBufferedRowGroup();
  std::vector<GroupColumn> columns;
  for (int i = 0; i < schema_->num_fields(); ++i)
    columns.emplace_back(*group->column(i), schema_->field(i)->nullable());
  const auto write_column = [&](int i) {
    try {
      columns[i].add(rows, i);
    } catch (const std::exception& error) {
      return arrow::Status::UnknownError(error.what());
    }
    return arrow::Status::OK();
  };
  check(arrow::internal::OptionalParallelFor(threads_ > 1, schema_->num_fields(), write_column));
  group->Close();
}

void RowsFileWriter::end() {
  guarded([&] {
    if (rows_waiting_ > 0) write_first(rows_waiting_);
    if (arrow_) return check(arrow_->Close());
    if (!parquet_) open_parquet({});
    parquet_->Close();
  });
}

}  // namespace warpmeter::inline record
