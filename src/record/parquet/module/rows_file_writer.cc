#include "record/parquet/module/rows_file_writer.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/concatenate.h>
#include <arrow/c/bridge.h>
#include <arrow/util/base64.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <arrow/util/parallel.h>
#include <arrow/util/thread_pool.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::int64_t kRowsOfBatch = 1 << 14, kRowsOfGroup = 1 << 17, kRowsOfLists = 1 << 15;
// That are encoded at once: each time, caches lose what they have for metering.
constexpr std::int64_t kRowsTogether = 1 << 16;
static_assert(kRowsTogether % kRowsOfPage == 0 && kRowsOfGroup % kRowsTogether == 0);

std::int64_t rows_of(const arrow::RecordBatchVector& batches) {
  std::int64_t rows = 0;
  for (const auto& batch : batches) rows += batch->num_rows();
  return rows;
}

// Whether most texts of a column repeat, in its first values: to find others in a dictionary costs several times what
// it costs to compress them.
bool repeats(const arrow::RecordBatchVector& rows, int column) {
  std::vector<std::string_view> texts;
  for (const auto& batch : rows) {
    if (batch->column(column)->type_id() != arrow::Type::STRING) return false;
    const auto& array = static_cast<const arrow::StringArray&>(*batch->column(column));
    for (std::int64_t i = 0; i < array.length() && std::ssize(texts) < kRowsOfPage; ++i) {
      if (array.IsValid(i)) texts.push_back(array.GetView(i));
    }
  }
  const std::size_t all = texts.size();
  std::ranges::sort(texts);
  const auto again = std::ranges::unique(texts);
  return 2 * (all - again.size()) <= all;
}

template <class T>
std::unique_ptr<ColumnPages> numbers(PageForm form, bool nullable) {
  return std::make_unique<NumberPages<T>>(form, nullable);
}

// Null: Arrow writes such a column.
std::unique_ptr<ColumnPages> pages_of(const arrow::Field& field, PageForm form) {
  switch (field.type()->id()) {
    case arrow::Type::UINT8: return numbers<std::uint8_t>(form, field.nullable());
    case arrow::Type::UINT16: return numbers<std::uint16_t>(form, field.nullable());
    case arrow::Type::UINT32: return numbers<std::uint32_t>(form, field.nullable());
    case arrow::Type::UINT64: return numbers<std::uint64_t>(form, field.nullable());
    case arrow::Type::INT64:
    case arrow::Type::DURATION:
    case arrow::Type::TIMESTAMP: return numbers<std::int64_t>(form, field.nullable());
    case arrow::Type::FIXED_SIZE_BINARY: break;
    default: return nullptr;
  }
  const int bytes = field.type()->bit_width() / 8;
  if (bytes == kAddressBytes) return std::make_unique<KeyPages<kAddressBytes>>(field.nullable());
  if (bytes == kWordBytes) return std::make_unique<KeyPages<kWordBytes>>(field.nullable());
  throw std::runtime_error("keys of another size");
}

// How a column is written, by the last page of the first rows: in the first page all flows are new.
struct ColumnChoice {
  std::unique_ptr<ColumnPages> pages;
  bool is_packed = true;
};

// Whether a row group with such pages gets shorter by a codec; for less than a few percent none is worth its time.
bool shrinks(ColumnPages& pages) {
  constexpr std::int64_t kPages = kRowsOfGroup / kRowsOfPage;
  const auto codec = zstd();
  std::vector<std::uint8_t> room;
  const auto left = [&](const PageBytes& bytes) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    room.resize(codec->MaxCompressedLen(size, bytes.data()));
    return value(codec->Compress(size, bytes.data(), static_cast<std::int64_t>(room.size()), room.data()));
  };
  std::int64_t before = kPages * pages.bytes().size(), after = kPages * left(pages.bytes());
  if (pages.has_dictionary()) {
    const PageBytes& entries = *pages.dictionary().second;
    before += static_cast<std::int64_t>(entries.size());
    after += left(entries);
  }
  return 16 * after < 15 * before;
}

// A dictionary suits numbers of which at most one of eight is new.
ColumnChoice choose(const arrow::Field& field, const arrow::RecordBatchVector& rows, int column) {
  constexpr std::size_t kBySome = 8;
  ColumnChoice chosen{pages_of(field, PageForm::dictionary)};
  if (!chosen.pages) return chosen;
  const std::int64_t first = std::max<std::int64_t>(0, rows_of(rows) - kRowsOfPage);
  chosen.pages->add(rows, column, first);
  if (!has_keys(*field.type()) && kBySome * chosen.pages->dictionary().first > chosen.pages->count()) {
    chosen.pages = pages_of(field, PageForm::plain);
    std::unique_ptr<ColumnPages> deltas = pages_of(field, PageForm::deltas);
    for (ColumnPages* const pages : {chosen.pages.get(), deltas.get()}) pages->add(rows, column, first);
    if (deltas->bytes().size() < chosen.pages->bytes().size()) chosen.pages = std::move(deltas);
  }
  chosen.is_packed = shrinks(*chosen.pages);
  chosen.pages->clear();
  if (chosen.is_packed) chosen.pages->pack();
  return chosen;
}

// Older versions of Arrow cannot: then a page has all rows of a group.
template <class Builder>
void limit_pages(Builder& builder) {
  if constexpr (requires { builder.max_rows_per_page(kRowsOfPage); }) builder.max_rows_per_page(kRowsOfPage);
}

// Of columns that Arrow writes, pages and dictionaries end by rows alone, not by bytes; and the first and the last of
// texts say nothing of where others are.
::parquet::WriterProperties::Builder whole_properties() {
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
  return builder;
}

// Behind the end of a buffer that is a part of another an Arrow file would have what stands there.
std::shared_ptr<arrow::RecordBatch> copy_of(const std::vector<std::shared_ptr<arrow::RecordBatch>>& rows) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (int i = 0; i < rows.front()->num_columns(); ++i) {
    arrow::ArrayVector arrays;
    for (const auto& batch : rows) arrays.push_back(batch->column(i));
    columns.push_back(value(arrow::Concatenate(arrays)));
  }
  return arrow::RecordBatch::Make(rows.front()->schema(), rows_of(rows), std::move(columns));
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
    rows_of_group_ = rows_of_group(*schema_);
    rows_of_part_ = form == RowsForm::arrow ? kRowsOfBatch : std::min(rows_of_group_, kRowsTogether);
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
  if (!file_) open_parquet(first);
  write_pages(first);
}

void RowsFileWriter::open_parquet(const Batches& first) {
  arrow::FieldVector fields = schema_->fields();
  ::parquet::WriterProperties::Builder builder = whole_properties();
  for (int i = 0; i < schema_->num_fields(); ++i) {
    auto& field = fields[i];
    ColumnChoice chosen = choose(*field, first, i);
    if (!arrow::is_primitive(field->type()->id())) builder.disable_statistics(field->name());
    if (!chosen.pages && !repeats(first, i)) builder.disable_dictionary(field->name());
    if (!chosen.is_packed) {
      builder.compression(field->name(), ::parquet::Compression::UNCOMPRESSED)
          ->compression_level(field->name(), arrow::util::Codec::UseDefaultCompressionLevel());
    }
    if (has_keys(*field->type())) field = field->WithType(arrow::utf8());
    pages_.push_back(std::move(chosen.pages));
  }
  file_.emplace(stream_, arrow::Schema(std::move(fields)), builder.build(), types_of(*schema_));
}

void RowsFileWriter::write_pages(const Batches& rows) {
  if (!group_) group_.emplace(file_->new_group());
  const auto write_column = [&](int i) {
    try {
      if (pages_[i]) pages_[i]->add(rows, i);
      else group_->write(i, rows);
    } catch (const std::exception& error) {
      return arrow::Status::UnknownError(error.what());
    }
    return arrow::Status::OK();
  };
  check(arrow::internal::OptionalParallelFor(threads_ > 1, schema_->num_fields(), write_column));
  rows_in_group_ += rows_of(rows);
  if (rows_in_group_ == rows_of_group_) end_group();
}

void RowsFileWriter::end_group() {
  group_->end(std::exchange(rows_in_group_, 0), pages_);
  group_.reset();
}

void RowsFileWriter::end() {
  guarded([&] {
    if (rows_waiting_ > 0) write_first(rows_waiting_);
    if (arrow_) return check(arrow_->Close());
    if (!file_) open_parquet({});
    if (group_) end_group();
    file_->end();
  });
}

}  // namespace warpmeter::inline record
