#include "record/parquet/module/record_file_reader.h"
#include "core/biflow_key.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "record/parquet/module/column_cursor.h"
#include "record/parquet/module/file_limits.h"

namespace warpmeter::inline record {
namespace {

constexpr std::int64_t kBatch = 1024;
constexpr std::int64_t kStreamBuffer = 1 << 18;  // bytes of a column chunk that are read at a time

constexpr std::uint8_t kMappedPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_mapped(const std::uint8_t (&address)[16]) {
  return std::memcmp(address, kMappedPrefix, sizeof kMappedPrefix) == 0;
}

void unmap(std::uint8_t (&address)[16]) {
  std::memmove(address, address + sizeof kMappedPrefix, 4);
  std::memset(address + 4, 0, 12);
}

// Columns that apply to the record but were null or not there.
std::uint32_t unknown(const FlowRecord& record, std::uint32_t seen) {
  std::uint32_t absent = 0;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (!(seen >> i & 1) && kColumns[i].value(record)) absent |= std::uint32_t{1} << i;
  }
  return absent;
}

// One line of what Arrow says.
std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

Holds holds_of(const TypedColumn& column) {
  if (column.type == TypedColumn::Type::address) return Holds::address;
  return column.moment() ? Holds::time : Holds::number;
}

std::int64_t unit_of(const TypedColumn& column) { return column.name.ends_with("_us") ? kNsPerUs : 1; }

int number_of(const ::parquet::SchemaDescriptor& schema, std::string_view column) {
  int number = 0;
  while (number < schema.num_columns() && schema.Column(number)->path()->ToDotString() != column) ++number;
  return number;
}

// A table of packets (`warpmeter packets`) has all of a Flow Key in each row, as Flow Records have.
bool is_of_packets(const ::parquet::SchemaDescriptor& schema) {
  const auto has = [&schema](std::string_view column) { return number_of(schema, column) != schema.num_columns(); };
  return has("time_ns") && has("verdict") && has("duplicate_of") && !has(time_names(TimeForm::ns).start);
}

// What a record has, each with its other name. What follows from the rest (durations) is passed over.
std::vector<std::pair<TypedColumn, TypedColumn>> readable_columns() {
  RecordLayout layout{.vlan = true, .biflow = true};
  const std::vector<TypedColumn> in_ns = typed_columns(layout);
  layout.times = TimeForm::us;
  const std::vector<TypedColumn> in_us = typed_columns(layout);
  std::vector<std::pair<TypedColumn, TypedColumn>> columns;
  for (std::size_t i = 0; i < in_ns.size(); ++i) {
    if (!in_ns[i].name.ends_with(time_names(TimeForm::ns).duration)) columns.emplace_back(in_ns[i], in_us[i]);
  }
  for (const bool reverse : {false, true}) {
    const std::string name = std::string(reverse ? kReversePrefix : "") + std::string(kFirstPacketColumn);
    const TypedColumn column{.name = name, .type = TypedColumn::Type::count, .reverse = reverse};
    columns.emplace_back(column, column);
  }
  return columns;
}

}  // namespace

RecordFileReader::RecordFileReader(const std::string& path, Descriptor file) {
  auto input = open_file(path, std::move(file));
  const std::int64_t size = checked_size(*input, path);
  pool_.limit_all(most_memory(size));
  rows_allowed_ = most_rows(size);
  texts_allowed_ = most_in_lists(size);
  ::parquet::ReaderProperties properties(&pool_);
  properties.enable_buffered_stream();
  properties.set_buffer_size(kStreamBuffer);
  properties.set_page_checksum_verification(true);
  properties.set_thrift_container_size_limit(kMostInList);
  try {
    file_ = ::parquet::ParquetFileReader::Open(std::move(input), properties);
  } catch (const std::exception& error) {
    throw Error(path + ": no Parquet file, or not all of it: " + first_line(error));
  }
  find_columns(path);
  find_annotations();
  find_annexes();
}

void RecordFileReader::find_columns(const std::string& path) {
  const ::parquet::SchemaDescriptor& schema = *file_->metadata()->schema();
  if (is_of_packets(schema)) throw Error(path + ": a table of packets, which are no Flow Records");
  std::uint32_t found = 0;
  for (auto& [column, other_name] : readable_columns()) {
    int number = number_of(schema, column.name);
    if (number == schema.num_columns()) {
      number = number_of(schema, other_name.name);
      if (number != schema.num_columns()) column = other_name;
    }
    if (number == schema.num_columns()) {
      if (column.name.ends_with("_addr") || column.name == "protocol") {
        throw Error(path + ": has no column " + column.name + ", so no Flow Records");
      }
      continue;
    }
    if (schema.Column(number)->max_repetition_level() > 0 || !can_hold(*schema.Column(number), holds_of(column))) {
      throw Error(path + ": the type of its column " + column.name + " is none that Flow Records can have");
    }
    if (column.name == kVlanColumn) layout_.vlan = true;
    if (column.reverse) layout_.biflow = true;
    if (!column.reverse && column.counter != TypedColumn::kNoCounter) found |= std::uint32_t{1} << column.counter;
    const Holds holds = holds_of(column);
    sources_.push_back({std::move(column), number, holds, {}, nullptr});
  }
  layout_.absent = ~found & ((std::uint32_t{1} << kColumns.size()) - 1);
}

// A column of another type is somebody else's.
void RecordFileReader::find_annexes() {
  const ::parquet::SchemaDescriptor& schema = *file_->metadata()->schema();
  std::uint32_t fields[2] = {};
  for (const auto& extra : annex_columns(~0u, ~0u)) {
    const int number = number_of(schema, extra->name());
    const Holds holds = extra->is_number() ? Holds::number : Holds::text;
    if (number == schema.num_columns() || !can_hold(*schema.Column(number), holds)) continue;
    TypedColumn column{.name = std::string(extra->name()), .reverse = extra->is_reverse(), .extra = extra};
    sources_.push_back({std::move(column), number, holds, {}, nullptr});
    fields[extra->is_reverse()] |= bit_of(*extra->annex());
  }
  add_annotation_columns(layout_.extra, annex_columns(fields[0], fields[1]));
}

void RecordFileReader::fill_annex(Source& source, std::size_t rows) {
  const auto take = [&](const auto& value, auto set) {
    if (value && !set(noted_[filled_].annex_to_fill(source.column.reverse))) throw BadColumn("not possible here");
    ++filled_;
  };
  const AnnexField field = *source.column.extra->annex();
  if (source.holds == Holds::number) {
    return source.cursor->numbers(static_cast<std::int64_t>(rows), [&](std::optional<std::int64_t> value) {
      take(value, [&](Annex& annex) { return annex.set_number(field, *value); });
    });
  }
  source.cursor->bytes(static_cast<std::int64_t>(rows), [&](std::optional<std::span<const std::uint8_t>> bytes) {
    take(bytes, [&](Annex& annex) {
      return annex.set_text(field, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    });
  });
}

// `labels` may be called labels.list.element, or something like that.
void RecordFileReader::find_annotations() {
  const ::parquet::SchemaDescriptor& schema = *file_->metadata()->schema();
  std::vector<std::pair<int, Holds>> found;
  bool has_labels = false;
  for (int i = 0; i < schema.num_columns(); ++i) {
    const bool is_labels = schema.GetColumnRoot(i)->name() == kLabelsName;
    for (const Holds holds : {Holds::text, Holds::texts}) {
      const bool may_be = is_labels || (holds == Holds::text && schema.Column(i)->path()->ToDotVector().size() == 1);
      if (!may_be || !can_hold(*schema.Column(i), holds)) continue;
      has_labels |= is_labels;
      found.emplace_back(i, holds);
    }
  }
  if (!has_labels) return;
  noted_columns_.add(kLabelsName);  // whatever there is no room for
  for (const auto& [number, holds] : found) {
    TypedColumn column{.name = schema.GetColumnRoot(number)->name(), .type = TypedColumn::Type::text};
    const auto noted = noted_columns_.add(column.name);
    const auto is_it = [&](const Source& other) { return other.noted == noted; };
    if (!noted || std::ranges::any_of(sources_, is_it)) continue;  // columns may have the same name
    sources_.push_back({std::move(column), number, holds, noted, nullptr});
  }
  layout_.extra = noted_columns_.columns();
}

bool RecordFileReader::next(Biflow& flow) {
  if (at_ == batch_.size() && !read_batch()) return false;
  if (!layout_.extra.empty()) annotations_ = &noted_[at_];
  flow = batch_[at_++];
  return true;
}

bool RecordFileReader::open_next_group() {
  if (++group_ == file_->metadata()->num_row_groups()) return false;
  const auto group = file_->RowGroup(group_);
  check_rows(group->metadata()->num_rows());
  rows_left_ = group->metadata()->num_rows();
  if (rows_left_ == 0) return true;
  bound_memory(*group->metadata());
  for (Source& source : sources_) {
    auto pages =
        std::make_unique<BoundedPages>(group->GetColumnPageReader(source.number),
                                       source.holds == Holds::text || source.noted ? kMostOfText : kMostOfNumber);
    auto column =
        ::parquet::ColumnReader::Make(file_->metadata()->schema()->Column(source.number), std::move(pages), &pool_);
    source.cursor = std::make_unique<ColumnCursor>(std::move(column), source.holds, unit_of(source.column));
  }
  return true;
}

void RecordFileReader::check_rows(std::int64_t rows) {
  if (rows < 0) throw BadColumn("its number of rows is negative");
  if (rows > rows_allowed_) {
    throw BadColumn(std::to_string(rows) + " rows, more than such a small file can have");
  }
  rows_allowed_ -= rows;
}

// What pages and their decoders may well need, by what the footer says of the columns.
void RecordFileReader::bound_memory(const ::parquet::RowGroupMetaData& group) {
  constexpr std::int64_t kLeast = 16 << 20, kBytesOfRow = 64, kMost = std::int64_t{1} << 40;
  std::int64_t largest = 0;
  for (const Source& source : sources_) {
    largest = std::max(largest, group.ColumnChunk(source.number)->total_uncompressed_size());
  }
  pool_.limit_piece(kLeast + 4 * std::min(largest, kMost) + kBytesOfRow * std::min(rows_left_, kMost));
}

bool RecordFileReader::read_batch() {
  rows_read_ += batch_.size();
  batch_.clear();
  at_ = 0;
  if (damage_ || group_ == file_->metadata()->num_row_groups()) return false;
  try {
    while (rows_left_ == 0) {
      if (!open_next_group()) return false;
    }
  } catch (const std::exception& error) {
    set_damage(first_line(error));
    return false;
  }
  const std::int64_t rows = std::min(rows_left_, kBatch);
  rows_left_ -= rows;
  read_rows(static_cast<std::size_t>(rows));
  return !batch_.empty();
}

// The rows of the batch, up to the first that has a column that makes no sense.
void RecordFileReader::read_rows(std::size_t rows) {
  batch_.assign(rows, Biflow());
  seen_.assign(rows, Seen());
  if (!layout_.extra.empty()) noted_.assign(rows, Annotations());
  std::size_t good = rows;
  std::string reason;
  const auto guarded = [&](const std::string& what, auto&& read) {
    filled_ = 0;
    try {
      read();
    } catch (const std::exception& error) {
      if (filled_ >= good) return;
      good = filled_;
      reason = "row " + std::to_string(rows_read_ + good + 1) + ": " + what + first_line(error);
    }
  };
  for (Source& source : sources_) guarded(source.column.name + ": ", [&] { fill(source, rows); });
  guarded("", [&] {
    for (std::size_t last = good; filled_ < last; ++filled_) finish(filled_);
  });
  batch_.resize(good);
  if (!reason.empty()) set_damage(reason);
}

void RecordFileReader::fill_annotations(Source& source, std::size_t rows) {
  const auto note = [&](std::span<const std::uint8_t> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    noted_columns_.note(noted_[filled_], *source.noted, text);
  };
  if (source.holds == Holds::texts) {
    source.cursor->lists(
        static_cast<std::int64_t>(rows), texts_allowed_,
        [&](std::span<const std::uint8_t> bytes) {
          --texts_allowed_;
          note(bytes);
        },
        [&] { ++filled_; });
    return;
  }
  source.cursor->bytes(static_cast<std::int64_t>(rows), [&](std::optional<std::span<const std::uint8_t>> bytes) {
    if (bytes) note(*bytes);
    ++filled_;
  });
}

void RecordFileReader::fill(Source& source, std::size_t rows) {
  if (source.noted) return fill_annotations(source, rows);
  if (source.column.extra) return fill_annex(source, rows);
  if (source.holds == Holds::address) {
    source.cursor->bytes(static_cast<std::int64_t>(rows), [&](std::optional<std::span<const std::uint8_t>> bytes) {
      if (!bytes) throw BadColumn("null");
      set_address(source, filled_, *bytes);
      ++filled_;
    });
    return;
  }
  source.cursor->numbers(static_cast<std::int64_t>(rows), [&](std::optional<std::int64_t> value) {
    if (value) set_number(source, filled_, *value);
    ++filled_;
  });
}

void RecordFileReader::set_address(const Source& source, std::size_t row, std::span<const std::uint8_t> bytes) {
  FlowKey& key = batch_[row].forward.key;
  const bool is_source = source.column.name == "src_addr";
  auto& address = is_source ? key.source : key.destination;
  const bool raw = holds_raw_address(*file_->metadata()->schema()->Column(source.number), bytes.size());
  std::uint8_t version = 0;
  if (raw) {
    version = bytes.size() == 4 ? 4 : 6;
    std::memcpy(address, bytes.data(), bytes.size());
  } else {
    char text[INET6_ADDRSTRLEN] = {};
    std::memcpy(text, bytes.data(), std::min(bytes.size(), sizeof text - 1));
    if (inet_pton(AF_INET, text, address) == 1) version = 4;
    else if (inet_pton(AF_INET6, text, address) == 1) version = 6;
    if (version == 0 || std::strlen(text) != bytes.size()) throw BadColumn("no address");
  }
  if (is_source) {
    key.version = version;
    seen_[row].raw = raw;
  } else {
    seen_[row].destination_version = version;
    seen_[row].raw &= raw;
  }
}

void RecordFileReader::set_number(const Source& source, std::size_t row, std::int64_t value) {
  const TypedColumn& column = source.column;
  FlowRecord& record = column.reverse ? batch_[row].reverse : batch_[row].forward;
  const auto in_range = [&](std::int64_t largest) {
    if (value < 0 || value > largest) throw BadColumn(std::to_string(value) + " is not possible");
  };
  if (column.type == TypedColumn::Type::uint16) in_range(UINT16_MAX);
  if (column.type == TypedColumn::Type::uint8) in_range(UINT8_MAX);
  if (column.type == TypedColumn::Type::count) in_range(INT64_MAX);
  if (column.counter != TypedColumn::kNoCounter) {
    kColumns[column.counter].set(record, value);
    (column.reverse ? seen_[row].reverse : seen_[row].forward) |= std::uint32_t{1} << column.counter;
  } else if (column.moment()) {
    (column.name.find("start") != std::string::npos ? record.start_ns : record.end_ns) = value;
    seen_[row].reverse_time |= column.reverse;
  } else if (column.name.ends_with(kFirstPacketColumn)) {
    record.arrival = static_cast<std::uint64_t>(value);
  } else if (column.name == "protocol") {
    record.key.protocol = static_cast<std::uint8_t>(value);
  } else {
    set_port_number(column.name == "src_port"   ? record.key.source_port
                    : column.name == "dst_port" ? record.key.destination_port
                                                : record.key.vlan,
                    value);
  }
}

void RecordFileReader::finish(std::size_t row) {
  FlowRecord &forward = batch_[row].forward, &reverse = batch_[row].reverse;
  const Seen& seen = seen_[row];
  FlowKey& key = forward.key;
  if (key.version != seen.destination_version) throw BadColumn("one address is IPv4, the other IPv6");
  if (key.version == 6 && seen.raw && is_mapped(key.source) && is_mapped(key.destination)) {
    key.version = 4;
    unmap(key.source);
    unmap(key.destination);
  }
  forward.absent = unknown(forward, seen.forward);
  batch_[row].has_reverse = seen.reverse != 0 || seen.reverse_time;
  if (!batch_[row].has_reverse) return;
  reverse.key = key_of_answers(key);
  reverse.absent = unknown(reverse, seen.reverse);
}

// Where the row group begins: at the first of its column chunks.
void RecordFileReader::set_damage(const std::string& reason) {
  std::int64_t offset = 0;
  try {
    const auto chunk = file_->metadata()->RowGroup(group_)->ColumnChunk(0);
    offset = chunk->has_dictionary_page() ? chunk->dictionary_page_offset() : chunk->data_page_offset();
  } catch (const std::exception&) {
    offset = 0;  // the footer does not tell
  }
  const std::string where = "row group " + std::to_string(group_ + 1) + ": ";
  damage_ = ReadDamage{static_cast<std::uint64_t>(std::max<std::int64_t>(offset, 0)), where + reason};
}

}  // namespace warpmeter::inline record
