#include "record/parquet/module/record_file_writer.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "record/parquet/module/file_limits.h"
#include "record/text/value_text.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

using Type = TypedColumn::Type;
using ::parquet::LogicalType;

::parquet::ByteArray bytes_of(std::string_view text) {
  return {static_cast<std::uint32_t>(text.size()), reinterpret_cast<const std::uint8_t*>(text.data())};
}

// Dictionaries, which suit small numbers and zeros, wherever a column's values repeat: everywhere but in
// times and hashes.
std::shared_ptr<::parquet::WriterProperties> properties(const std::vector<TypedColumn>& columns) {
  ::parquet::WriterProperties::Builder builder;
  builder.version(::parquet::ParquetVersion::PARQUET_2_6)
      ->created_by("warpmeter version " WARPMETER_VERSION)
      ->compression(::parquet::Compression::ZSTD)
      ->compression_level(kZstdLevel)
      ->max_row_group_length(kRowsInGroup)
      ->write_batch_size(1024)
      ->enable_page_checksum();
  for (const TypedColumn& column : columns) {
    if (column.extra && !column.extra->repeats()) builder.disable_dictionary(column.name);
    if (!column.moment()) continue;
    builder.disable_dictionary(column.name)->encoding(column.name, ::parquet::Encoding::DELTA_BINARY_PACKED);
  }
  return builder.build();
}

// Parquet's INT32; other numbers are INT64.
bool is_narrow(const TypedColumn& column) {
  return column.type == TypedColumn::Type::uint8 || column.type == TypedColumn::Type::uint16;
}

// As the format has lists: a group, within it one that repeats, and in that the text.
::parquet::schema::NodePtr list_node(const TypedColumn& column) {
  using ::parquet::Repetition;
  const auto text = ::parquet::schema::PrimitiveNode::Make("element", Repetition::REQUIRED, LogicalType::String(),
                                                           ::parquet::Type::BYTE_ARRAY);
  const auto repeated = ::parquet::schema::GroupNode::Make("list", Repetition::REPEATED, {text});
  return ::parquet::schema::GroupNode::Make(column.name, Repetition::REQUIRED, {repeated}, LogicalType::List());
}

::parquet::schema::NodePtr node(const TypedColumn& column) {
  if (column.type == Type::texts) return list_node(column);
  const auto repetition = column.nullable() ? ::parquet::Repetition::OPTIONAL : ::parquet::Repetition::REQUIRED;
  const auto logical = [&] {
    switch (column.type) {
      case Type::address:
      case Type::text:
      case Type::texts: return LogicalType::String();
      case Type::uint8: return LogicalType::Int(8, false);
      case Type::uint16: return LogicalType::Int(16, false);
      case Type::count:
      case Type::int64: return LogicalType::Int(64, true);
      case Type::time_us: return LogicalType::Timestamp(true, LogicalType::TimeUnit::MICROS);
      case Type::time: break;
    }
    return LogicalType::Timestamp(true, LogicalType::TimeUnit::NANOS);
  }();
  const auto physical = column.text()       ? ::parquet::Type::BYTE_ARRAY
                        : is_narrow(column) ? ::parquet::Type::INT32
                                            : ::parquet::Type::INT64;
  return ::parquet::schema::PrimitiveNode::Make(column.name, repetition, logical, physical);
}

// typed_columns.h as Parquet's types. Texts have a dictionary.
std::shared_ptr<::parquet::schema::GroupNode> file_schema(const std::vector<TypedColumn>& columns) {
  ::parquet::schema::NodeVector fields;
  for (const TypedColumn& column : columns) fields.push_back(node(column));
  return std::static_pointer_cast<::parquet::schema::GroupNode>(
      ::parquet::schema::GroupNode::Make("flow_record", ::parquet::Repetition::REQUIRED, fields));
}

}  // namespace

RecordFileWriter::RecordFileWriter(ByteSink& sink, const RecordLayout& layout)
    : layout_(layout), columns_(typed_columns(layout)), stream_(std::make_shared<SinkStream>(sink)) {
  forward_.reserve(kBatch);
  levels_.reserve(kBatch);
  wide_.reserve(kBatch);
  narrow_.reserve(kBatch);
  texts_.reserve(kBatch);
  letters_.resize(kBatch * std::max<std::size_t>(kAddressText, longest_value(layout.extra)));
}

RecordFileWriter::~RecordFileWriter() { stream_->abandon(); }

// Arrow's errors, most of which are the sink's, as Errors.
template <class Do>
void RecordFileWriter::guarded(Do&& what) {
  try {
    what();
  } catch (const std::exception& error) {
    stream_->rethrow();
    stream_->abandon();
    throw Error(std::string("Parquet cannot be written: ") + error.what());
  }
}

void RecordFileWriter::begin() {
  guarded([&] { file_ = ::parquet::ParquetFileWriter::Open(stream_, file_schema(columns_), properties(columns_)); });
}

void RecordFileWriter::write(const FlowRecord& record, const FlowRecord* reverse) {
  forward_.push_back(record);
  if (layout_.biflow) {
    reverse_.push_back(reverse ? *reverse : FlowRecord());
    has_reverse_.push_back(reverse != nullptr);
  }
  if (forward_.size() == kBatch) guarded([&] { write_batch(); });
}

void RecordFileWriter::write_annotated(const FlowRecord& record, const FlowRecord* reverse,
                                       const Annotations& annotations) {
  noted_.emplace(forward_.size(), annotations);
  write(record, reverse);
}

void RecordFileWriter::flush() {
  guarded([&] {
    if (!forward_.empty()) write_batch();
    if (group_) end_group();
  });
}

void RecordFileWriter::end() {
  guarded([&] {
    if (!forward_.empty()) write_batch();
    if (group_) end_group();
    file_->Close();
  });
}

void RecordFileWriter::write_batch() {
  if (!group_) group_ = file_->AppendBufferedRowGroup();
  for (int i = 0; i < static_cast<int>(columns_.size()); ++i) {
    if (!columns_[i].text()) write_numbers(i);
    else if (columns_[i].type == TypedColumn::Type::texts) write_lists(i, *columns_[i].extra);
    else if (columns_[i].extra && columns_[i].extra->annotation()) write_noted(i, *columns_[i].extra);
    else if (columns_[i].extra) write_extra(i, *columns_[i].extra);
    else write_addresses(i, columns_[i].name == "src_addr" ? &FlowKey::source : &FlowKey::destination);
  }
  rows_in_group_ += static_cast<std::int64_t>(forward_.size());
  forward_.clear();
  reverse_.clear();
  has_reverse_.clear();
  noted_.clear();
  static_assert(kRowsInGroup % kBatch == 0);
  if (rows_in_group_ == kRowsInGroup) end_group();
}

void RecordFileWriter::end_group() {
  group_->Close();
  group_ = nullptr;
  rows_ += rows_in_group_;
  rows_in_group_ = 0;
  const std::int64_t lacking = rows_ - most_rows(*stream_->Tell());
  if (lacking > 0) PARQUET_THROW_NOT_OK(stream_->Write(std::string(static_cast<std::size_t>(lacking), '\0')));
}

void RecordFileWriter::write_addresses(int column, const std::uint8_t (FlowKey::*address)[16]) {
  texts_.clear();
  char* to = letters_.data();
  const FlowKey* last = nullptr;
  for (const FlowRecord& record : forward_) {
    const FlowKey& key = record.key;
    // In output order, sources repeat.
    if (last && last->version == key.version && std::memcmp(last->*address, key.*address, sizeof key.source) == 0) {
      texts_.push_back(texts_.back());
      continue;
    }
    last = &key;
    const char* text = to;
    to = write_address(to, key.*address, key.version);
    texts_.emplace_back(static_cast<std::uint32_t>(to - text), reinterpret_cast<const std::uint8_t*>(text));
  }
  write_texts(column);
}

void RecordFileWriter::write_extra(int column, const ExtraColumn& extra) {
  texts_.clear();
  levels_.clear();
  char* to = letters_.data();
  for (std::size_t row = 0; row < forward_.size(); ++row) {
    const char* text = to;
    to = extra.write(to, forward_[row], noted_of(row));
    levels_.push_back(to == text ? 0 : 1);
    if (to == text && extra.nullable()) continue;
    texts_.emplace_back(static_cast<std::uint32_t>(to - text), reinterpret_cast<const std::uint8_t*>(text));
  }
  static_cast<::parquet::ByteArrayWriter*>(group_->column(column))
      ->WriteBatch(static_cast<std::int64_t>(levels_.size()), extra.nullable() ? levels_.data() : nullptr, nullptr,
                   texts_.data());
}

// The texts stay where they are: in the annotations.
void RecordFileWriter::write_noted(int column, const ExtraColumn& extra) {
  texts_.clear();
  levels_.assign(forward_.size(), 0);
  for (const auto& [row, annotations] : noted_) {
    const std::string_view text = annotations.first_of(*extra.annotation());
    if (text.empty()) continue;
    levels_[row] = 1;
    texts_.push_back(bytes_of(text));
  }
  static_cast<::parquet::ByteArrayWriter*>(group_->column(column))
      ->WriteBatch(static_cast<std::int64_t>(levels_.size()), levels_.data(), nullptr, texts_.data());
}

void RecordFileWriter::write_lists(int column, const ExtraColumn& extra) {
  texts_.clear();
  levels_.clear();
  repetitions_.clear();
  for (std::size_t row = 0; row < forward_.size(); ++row) {
    const auto noted = noted_.find(row);
    const std::size_t before = texts_.size();
    if (noted != noted_.end()) {
      for (const std::string_view text : noted->second.list_of(*extra.annotation())) texts_.push_back(bytes_of(text));
    }
    const std::size_t count = texts_.size() - before;
    levels_.insert(levels_.end(), std::max<std::size_t>(count, 1), count > 0);  // of none there is a level all the same
    repetitions_.resize(levels_.size(), 1);
    repetitions_[levels_.size() - std::max<std::size_t>(count, 1)] = 0;
  }
  static_cast<::parquet::ByteArrayWriter*>(group_->column(column))
      ->WriteBatch(static_cast<std::int64_t>(levels_.size()), levels_.data(), repetitions_.data(), texts_.data());
}

void RecordFileWriter::write_texts(int column) {
  static_cast<::parquet::ByteArrayWriter*>(group_->column(column))
      ->WriteBatch(static_cast<std::int64_t>(texts_.size()), nullptr, nullptr, texts_.data());
}

const FlowRecord* RecordFileWriter::record_of(const TypedColumn& column, std::size_t row) const {
  if (!column.reverse) return &forward_[row];
  return has_reverse_[row] ? &reverse_[row] : nullptr;
}

const Annotations& RecordFileWriter::noted_of(std::size_t row) const {
  const auto noted = noted_.find(row);
  return noted == noted_.end() ? kNoAnnotations : noted->second;
}

std::optional<std::int64_t> RecordFileWriter::value_of(const TypedColumn& column, std::size_t row) const {
  if (column.extra) {
    const bool is_paired = layout_.biflow && has_reverse_[row];
    return column.extra->number(forward_[row], is_paired ? &reverse_[row] : nullptr, noted_of(row));
  }
  const FlowRecord* record = record_of(column, row);
  return record ? column.value(*record, layout_.absent | record->absent) : std::nullopt;
}

void RecordFileWriter::write_numbers(int i) {
  const TypedColumn& column = columns_[i];
  levels_.clear();
  wide_.clear();
  for (std::size_t row = 0; row < forward_.size(); ++row) {
    const auto value = value_of(column, row);
    levels_.push_back(value ? 1 : 0);
    if (value) wide_.push_back(*value);
  }
  const auto rows = static_cast<std::int64_t>(levels_.size());
  const std::int16_t* levels = column.nullable() ? levels_.data() : nullptr;
  ::parquet::ColumnWriter* writer = group_->column(i);
  if (!is_narrow(column)) {
    static_cast<::parquet::Int64Writer*>(writer)->WriteBatch(rows, levels, nullptr, wide_.data());
    return;
  }
  narrow_.assign(wide_.begin(), wide_.end());
  static_cast<::parquet::Int32Writer*>(writer)->WriteBatch(rows, levels, nullptr, narrow_.data());
}

}  // namespace warpmeter::inline record
