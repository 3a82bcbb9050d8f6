// The frame of a Parquet file around the pages of its columns: marks, row groups, metadata and page index, all in
// Arrow's words.
//
// Threads: one; columns of a group by several, each by one.
#pragma once

#include <arrow/array/array_nested.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/api/writer.h>
#include <parquet/arrow/schema.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "record/parquet/module/column_pages.h"
#include "record/parquet/module/record_file_writer.h"

namespace warpmeter::inline record {

// A column of a row group that Arrow's writer makes: of texts, lists and numbers with a fraction. Encoding and codec
// are the file's (rows_file_writer.cc).
class GroupColumn {
 public:
  GroupColumn(::parquet::ColumnWriter& to, bool nullable) : to_(to), nullable_(nullable) {}

  // Rows behind those before. Pages end where so many rows end.
  void add(const arrow::RecordBatchVector& rows, int column) {
    for (const auto& batch : rows) add(*batch->column(column));
  }

 private:
  void add(const arrow::Array& array) {
    for (std::int64_t at = 0; at < array.length();) {
      const std::int64_t rows = std::min(array.length() - at, kRowsOfPage - rows_ % kRowsOfPage);
      const bool is_whole = rows == array.length();
      if (array.type_id() == arrow::Type::LIST) add_lists(static_cast<const arrow::ListArray&>(*array.Slice(at, rows)));
      else if (is_whole) add_values(array);
      else add_values(*array.Slice(at, rows));
      rows_ += rows;
      at += rows;
    }
  }

  void add_values(const arrow::Array& array) {
    if (nullable_) set_levels(array);
    write(array);
  }

  // As Parquet has them: 1 for a value, 0 for none.
  void set_levels(const arrow::Array& array) {
    levels_.assign(static_cast<std::size_t>(array.length()), 1);
    if (array.null_count() == 0) return;
    const std::uint8_t* const bits = array.null_bitmap_data();
    for (std::int64_t i = 0, at = array.offset(); i < array.length(); ++i, ++at)
      levels_[i] = bits[at / 8] >> at % 8 & 1;
  }

  // A list of no values takes a level, too. Values of lists are never null.
  void add_lists(const arrow::ListArray& lists) {
    const std::int16_t of_value = to_.descr()->max_definition_level();
    levels_.clear();
    repetitions_.clear();
    for (std::int64_t i = 0; i < lists.length(); ++i) {
      const std::int32_t count = lists.IsNull(i) ? 0 : lists.value_length(i);
      const auto levels = static_cast<std::size_t>(std::max(count, 1));
      const int lacking = count > 0 ? 0 : lists.IsNull(i) ? 2 : 1;
      levels_.insert(levels_.end(), levels, static_cast<std::int16_t>(of_value - lacking));
      repetitions_.push_back(0);
      repetitions_.resize(levels_.size(), 1);
    }
    const std::int32_t first = lists.value_offset(0), last = lists.value_offset(lists.length());
    write(*lists.values()->Slice(first, last - first));
  }

  void write(const arrow::Array& values) {
    check(to_.WriteArrow(levels(), repetitions(), levels_of(values), values, &context_, nullable_));
  }

  const std::int16_t* levels() const { return levels_.empty() ? nullptr : levels_.data(); }
  const std::int16_t* repetitions() const { return repetitions_.empty() ? nullptr : repetitions_.data(); }
  std::int64_t levels_of(const arrow::Array& values) const {
    return levels_.empty() ? values.length() : static_cast<std::int64_t>(levels_.size());
  }

  ::parquet::ColumnWriter& to_;
  const bool nullable_;
  std::int64_t rows_ = 0;
  std::vector<std::int16_t> levels_, repetitions_;  // of the rows that are written; empty: the column has none
  ::parquet::ArrowWriteContext context_{arrow::system_memory_pool(),
                                        ::parquet::default_arrow_writer_properties().get()};
};

// A row group. What Arrow's writers make is held until it ends.
class ParquetGroup {
 public:
  ParquetGroup(std::shared_ptr<SinkStream> stream, const ::parquet::WriterProperties& how,
               ::parquet::RowGroupMetaDataBuilder& about, ::parquet::PageIndexBuilder* index, std::int16_t number)
      : stream_(std::move(stream)), how_(how), about_(about), index_(index), number_(number) {
    for (int i = 0; i < about.num_columns(); ++i) columns_.push_back({about.NextColumnChunk()});
  }

  // Rows of a column that Arrow's writer makes, a part after the other.
  void write(int column, const arrow::RecordBatchVector& rows) {
    Column& to = columns_[column];
    if (!to.writer) {
      to.writer = ::parquet::ColumnWriter::Make(to.about, page_writer(column, true), &how_);
      to.arrays = std::make_unique<GroupColumn>(*to.writer, rows.front()->schema()->field(column)->nullable());
    }
    to.arrays->add(rows, column);
  }

  // With the pages of the other columns, and forgets these.
  void end(std::int64_t rows, const std::vector<std::unique_ptr<ColumnPages>>& pages) {
    std::int64_t bytes = 0;
    for (int i = 0; i < std::ssize(columns_); ++i) {
      if (!pages[i]) {
        bytes += columns_[i].writer->Close();
        continue;
      }
      const auto to = page_writer(i, false);
      bytes += pages[i]->write(*to, *columns_[i].about);
      to->Close(pages[i]->has_dictionary(), false);
    }
    about_.set_num_rows(rows);
    about_.Finish(bytes, number_);
  }

 private:
  struct Column {
    ::parquet::ColumnChunkMetaDataBuilder* about;
    std::shared_ptr<::parquet::ColumnWriter> writer = {};
    std::unique_ptr<GroupColumn> arrays = {};
  };

  std::unique_ptr<::parquet::PageWriter> page_writer(int column, bool is_held) {
    const auto& path = columns_[column].about->descr()->path();
    const auto options = how_.codec_options(path);
    return ::parquet::PageWriter::Open(
        stream_, how_.compression(path), columns_[column].about, number_, static_cast<std::int16_t>(column),
        arrow::system_memory_pool(), is_held, nullptr, nullptr, how_.page_checksum_enabled(),
        index_ ? index_->GetColumnIndexBuilder(column) : nullptr,
        index_ ? index_->GetOffsetIndexBuilder(column) : nullptr, options ? *options : ::parquet::CodecOptions());
  }

  const std::shared_ptr<SinkStream> stream_;
  const ::parquet::WriterProperties& how_;
  ::parquet::RowGroupMetaDataBuilder& about_;
  ::parquet::PageIndexBuilder* const index_;  // null: there is none
  const std::int16_t number_;
  std::vector<Column> columns_;
};

class ParquetFile {
 public:
  // `words`: for readers, beside the schema; null: none.
  ParquetFile(std::shared_ptr<SinkStream> stream, const arrow::Schema& schema,
              std::shared_ptr<::parquet::WriterProperties> how, std::shared_ptr<const arrow::KeyValueMetadata> words)
      : stream_(std::move(stream)), how_(std::move(how)), words_(std::move(words)) {
    check(::parquet::arrow::ToParquetSchema(&schema, *how_, *::parquet::default_arrow_writer_properties(), &columns_));
    about_ = ::parquet::FileMetaDataBuilder::Make(columns_.get(), how_);
    if (how_->page_index_enabled()) index_ = ::parquet::PageIndexBuilder::Make(columns_.get());
    check(stream_->Write(kMark, sizeof kMark));
  }

  // The one before has ended.
  ParquetGroup new_group() {
    if (index_) index_->AppendRowGroup();
    const auto number = groups_ <= std::numeric_limits<std::int16_t>::max() ? static_cast<std::int16_t>(groups_) : -1;
    ++groups_;
    return {stream_, *how_, *about_->AppendRowGroup(), index_.get(), static_cast<std::int16_t>(number)};
  }

  void end() {
    if (index_) write_index(*about_);
    ::parquet::WriteFileMetaData(*about_->Finish(words_), stream_.get());
  }

 private:
  static constexpr char kMark[] = {'P', 'A', 'R', '1'};

  // Older versions of Arrow cannot tell where it is, and make none unless they are asked to.
  template <class About>
  void write_index(About& about) {
    index_->Finish();
    if constexpr (requires { &About::SetIndexLocations; }) {
      const auto written = index_->WriteTo(stream_.get());
      set_places(about, &About::SetIndexLocations, written.column_index_locations, written.offset_index_locations);
    }
  }
  template <class About, class Kind, class Places>
  static void set_places(About& about, void (About::*set)(Kind, const Places&), const Places& columns,
                         const Places& offsets) {
    (about.*set)(Kind::kColumnIndex, columns);
    (about.*set)(Kind::kOffsetIndex, offsets);
  }

  const std::shared_ptr<SinkStream> stream_;
  const std::shared_ptr<::parquet::WriterProperties> how_;
  const std::shared_ptr<const arrow::KeyValueMetadata> words_;
  std::shared_ptr<::parquet::SchemaDescriptor> columns_;
  std::unique_ptr<::parquet::FileMetaDataBuilder> about_;
  std::unique_ptr<::parquet::PageIndexBuilder> index_;  // null: there is none
  int groups_ = 0;
};

}  // namespace warpmeter::inline record
