#include "command/packets/packet_table.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/text/value_text.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline command {
namespace {

using Value = std::optional<std::int64_t>;

struct PacketColumn {
  enum class Text : std::uint8_t { none, source, destination, verdict };

  std::string_view name, format;  // this as Arrow writes types
  bool nullable = false;
  Value (*value)(const PacketRow&) = nullptr;  // null: a text
  // The same of rows that begin at a place which is a multiple of 8.
  void (*fill)(std::span<const PacketRow> rows, std::size_t at, ArrowColumn& column) = nullptr;
  std::size_t bytes = 0;  // of a number
  Text text = Text::none;
};

constexpr std::size_t kFilled = 128;  // rows, which a core's nearest cache has for all columns

// A loop over one column takes a fraction of what it takes to go through all columns of each row.
template <class T, class OfRow>
void fill(std::span<const PacketRow> rows, std::size_t at, ArrowColumn& column) {
  std::uint8_t* to = column.values.data() + at * sizeof(T);
  for (const PacketRow& row : rows) {
    const auto value = static_cast<T>(OfRow()(row));
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
  }
}

// What stands where there is no value is in an Arrow file, too.
template <class T, class OfRow, class HasValue>
void fill_some(std::span<const PacketRow> rows, std::size_t at, ArrowColumn& column) {
  std::uint8_t* to = column.values.data() + at * sizeof(T);
  std::uint8_t* validity = column.validity.data() + at / 8;
  const auto put_byte = [&](const PacketRow* row, std::size_t count) {
    unsigned bits = 0, lacking = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool has = HasValue()(row[i]);
      const auto value = static_cast<T>(OfRow()(row[i])), kept = has ? value : T{0};
      std::memcpy(to + i * sizeof(T), &kept, sizeof kept);
      bits |= unsigned{has} << i;
      lacking += !has;
    }
    to += count * sizeof(T);
    *validity++ = static_cast<std::uint8_t>(bits);
    column.nulls += lacking;
  };
  std::size_t row = 0;
  for (; row + 8 <= rows.size(); row += 8) put_byte(&rows[row], 8);  // which the compiler unrolls
  if (row < rows.size()) put_byte(&rows[row], rows.size() - row);
}

// Numbers that all packets have: of_row(row).
template <class T, class OfRow>
PacketColumn numbers(std::string_view name, std::string_view format, OfRow) {
  return {name, format, false, [](const PacketRow& row) -> Value { return OfRow()(row); }, fill<T, OfRow>, sizeof(T)};
}

// And that some have.
template <class T, class OfRow, class HasValue>
PacketColumn some_numbers(std::string_view name, std::string_view format, OfRow, HasValue) {
  return {name,
          format,
          true,
          [](const PacketRow& row) { return HasValue()(row) ? Value(OfRow()(row)) : std::nullopt; },
          fill_some<T, OfRow, HasValue>,
          sizeof(T)};
}

// Of TCP segments.
template <class T, class OfRow>
PacketColumn tcp_numbers(std::string_view name, std::string_view format, OfRow of_row) {
  return some_numbers<T>(name, format, of_row, [](const PacketRow& row) { return is_tcp(row.segment); });
}

PacketColumn texts(std::string_view name, PacketColumn::Text text) {
  return {name, "u", false, nullptr, nullptr, 0, text};
}

std::vector<PacketColumn> packet_columns(bool key_vlan) {
  using Row = const PacketRow&;
  using Text = PacketColumn::Text;
  std::vector<PacketColumn> columns = {
      numbers<std::int64_t>("number", "l", [](Row r) { return r.number; }),
      numbers<std::int64_t>("time_ns", "tsn:UTC", [](Row r) { return r.segment.time_ns; }),
      texts(kKeyColumns[0], Text::source),
      texts(kKeyColumns[1], Text::destination),
      numbers<std::uint16_t>(kKeyColumns[2], "S", [](Row r) { return port_number(r.key.source_port); }),
      numbers<std::uint16_t>(kKeyColumns[3], "S", [](Row r) { return port_number(r.key.destination_port); }),
      numbers<std::uint8_t>(kKeyColumns[4], "C", [](Row r) { return r.key.protocol; }),
      numbers<std::uint32_t>("bytes", "I", [](Row r) { return r.segment.length; }),
      tcp_numbers<std::uint32_t>("sequence", "I", [](Row r) { return r.segment.sequence; }),
      some_numbers<std::uint32_t>(
          "acknowledgement", "I", [](Row r) { return acknowledgement(r.segment); },
          [](Row r) { return is_tcp(r.segment) && r.segment.flags & kAck; }),
      tcp_numbers<std::uint16_t>("window", "S", [](Row r) { return r.segment.window; }),
      tcp_numbers<std::uint8_t>("tcp_flags", "C", [](Row r) { return r.segment.flags; }),
      tcp_numbers<std::uint32_t>("payload_bytes", "I", [](Row r) { return r.segment.payload_length; }),
      some_numbers<std::int64_t>(
          "gap_ns", "l", [](Row r) { return r.judged.gap_ns; },
          [](Row r) { return r.judged.gap_ns != JudgedPacket::kNoGap; }),
      tcp_numbers<std::int64_t>("skipped_bytes", "l", [](Row r) { return r.judged.skipped; }),
      texts("verdict", Text::verdict),
      tcp_numbers<std::uint32_t>("seen_before", "I", [](Row r) { return r.judged.verdict.seen_before; }),
      some_numbers<std::int64_t>(
          "duplicate_of", "l", [](Row r) { return r.judged.duplicate_of; },
          [](Row r) { return r.judged.duplicate_of != 0; }),
      numbers<std::int64_t>("flow", "l", [](Row r) { return r.judged.flow; })};
  if (key_vlan) {
    columns.push_back(numbers<std::uint16_t>(kVlanColumn, "S", [](Row r) { return port_number(r.key.vlan); }));
  }
  return columns;
}

// Returns its end. REQUIRES: a column of texts; room for kAddressText characters.
char* write_text(char* to, const PacketColumn& column, const PacketRow& row) {
  switch (column.text) {
    case PacketColumn::Text::source: return write_address(to, row.key.source, row.key.version);
    case PacketColumn::Text::destination: return write_address(to, row.key.destination, row.key.version);
    default: return std::ranges::copy(word_of(row.verdict), to).out;
  }
}

constexpr std::size_t kWordBytes = 16, kAddressBytes = 1 + sizeof FlowKey::source;
static_assert(std::ranges::all_of(kVerdictWords, [](std::string_view word) { return word.size() <= kWordBytes; }));

// Behind those before.
void fill_texts(const PacketColumn& column, std::span<const PacketRow> rows, ArrowColumn& to) {
  char* const begin = reinterpret_cast<char*>(to.values.data());
  for (const PacketRow& row : rows) {
    const char* const end = write_text(begin + to.offsets.back(), column, row);
    to.offsets.push_back(static_cast<std::int32_t>(end - begin));
  }
}

// The same for Parquet: bytes of one size.
std::size_t key_bytes(const PacketColumn& column) {
  return column.text == PacketColumn::Text::verdict ? kWordBytes : kAddressBytes;
}

constexpr auto kWordsAsKeys = [] {
  std::array<std::array<std::uint8_t, kWordBytes>, kVerdictWords.size()> keys{};
  for (std::size_t i = 0; i < keys.size(); ++i) std::ranges::copy(kVerdictWords[i], keys[i].begin());
  return keys;
}();

void fill_keys(const PacketColumn& column, std::span<const PacketRow> rows, std::size_t at, ArrowColumn& column_of) {
  std::uint8_t* to = column_of.values.data() + at * key_bytes(column);
  if (column.text == PacketColumn::Text::verdict) {
    for (const PacketRow& row : rows) {
      std::memcpy(to, kWordsAsKeys[static_cast<std::size_t>(row.verdict)].data(), kWordBytes);
      to += kWordBytes;
    }
    return;
  }
  const auto address = column.text == PacketColumn::Text::source ? &FlowKey::source : &FlowKey::destination;
  for (const PacketRow& row : rows) {
    *to = row.key.version;
    std::memcpy(to + 1, row.key.*address, sizeof FlowKey::source);
    to += kAddressBytes;
  }
}

constexpr std::size_t kMostOfText = kAddressText;  // no word is longer
static_assert(kMostOfText > std::size_t{kNumberText});

// CSV, with a line for the names, and JSON lines. `before`: what stands before a value, with its name where lines tell
// it.
class TextTable : public PacketTable {
 public:
  TextTable(TableForm form, bool key_vlan, OutputFile& file)
      : is_json_(form == TableForm::json), columns_(packet_columns(key_vlan)), file_(file) {
    for (const PacketColumn& column : columns_) {
      const bool is_first = before_.empty();
      std::string& before = before_.emplace_back(is_json_ ? (is_first ? "{\"" : ",\"") : (is_first ? "" : ","));
      if (is_json_) (before += column.name) += "\":";
      most_of_line_ += before.size() + kMostOfText + 2;
    }
  }

  std::unique_ptr<Section> new_section() const override { return std::make_unique<Lines>(*this); }
  void begin() override {
    if (is_json_) return;
    std::string header;
    for (const PacketColumn& column : columns_) (header += header.empty() ? "" : ",") += column.name;
    file_.write(header += '\n');
  }
  void append(Section& section) override { static_cast<Lines&>(section).give(file_); }

 private:
  class Lines : public Section {
   public:
    explicit Lines(const TextTable& table) : table_(table) {}
    void put(std::span<const PacketRow> rows) override {
      for (const PacketRow& row : rows) {
        if (text_.size() - fill_ < table_.most_of_line_) text_.resize(std::max(2 * text_.size(), kFirst));
        fill_ = static_cast<std::size_t>(table_.write_line(text_.data() + fill_, row) - text_.data());
      }
    }
    void give(OutputFile& file) { file.write(std::string_view(text_).substr(0, std::exchange(fill_, 0))); }

   private:
    static constexpr std::size_t kFirst = 256 << 10;
    const TextTable& table_;
    std::string text_;
    std::size_t fill_ = 0;
  };

  char* write_line(char* to, const PacketRow& row) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      to = std::ranges::copy(before_[i], to).out;
      if (columns_[i].text != PacketColumn::Text::none) {
        if (is_json_) *to++ = '"';
        to = write_text(to, columns_[i], row);
        if (is_json_) *to++ = '"';
      } else if (const Value value = columns_[i].value(row)) {
        to = write_number(to, *value);
      } else if (is_json_) {
        to = std::ranges::copy(std::string_view("null"), to).out;
      }
    }
    if (is_json_) *to++ = '}';
    *to++ = '\n';
    return to;
  }

  const bool is_json_;
  const std::vector<PacketColumn> columns_;
  OutputFile& file_;
  std::vector<std::string> before_;
  std::size_t most_of_line_ = 2;
};

// `has_keys`: in place of texts, for Parquet.
std::vector<ArrowField> fields_of(const std::vector<PacketColumn>& columns, bool has_keys) {
  std::vector<ArrowField> fields;
  for (const PacketColumn& column : columns) {
    std::string_view format = column.format;
    if (has_keys && column.text == PacketColumn::Text::verdict) format = kWordKeys;
    else if (has_keys && column.text != PacketColumn::Text::none) format = kAddressKeys;
    fields.push_back({std::string(column.name), format, column.nullable});
  }
  return fields;
}

// Parquet, and Arrow files: columns that Arrow's libraries write. And those that a program takes.
class ArrowTable : public PacketTable {
 public:
  ArrowTable(std::vector<PacketColumn> columns, bool has_keys, std::unique_ptr<RowsWriter> writer)
      : columns_(std::move(columns)), has_keys_(has_keys), writer_(std::move(writer)) {}

  std::unique_ptr<Section> new_section() const override { return std::make_unique<Rows>(*this); }
  void append(Section& section) override {
    Rows& rows = static_cast<Rows&>(section);
    if (rows.count == 0) return;
    ArrowArray array;
    export_array(std::exchange(rows.columns, {}), std::exchange(rows.count, 0), array, used_);
    writer_->append(array);
  }
  void end() override { writer_->end(); }

 private:
  struct Rows : Section {
    explicit Rows(const ArrowTable& of) : table(of) {}
    void put(std::span<const PacketRow> rows) override {
      count = static_cast<std::int64_t>(rows.size());
      columns = table.room_for(rows.size());
      for (std::size_t at = 0; at < rows.size(); at += kFilled) {
        const auto some = rows.subspan(at, std::min(kFilled, rows.size() - at));
        for (std::size_t i = 0; i < columns.size(); ++i) {
          const PacketColumn& column = table.columns_[i];
          if (column.fill) column.fill(some, at, columns[i]);
          else if (table.has_keys_) fill_keys(column, some, at, columns[i]);
          else fill_texts(column, some, columns[i]);
        }
      }
    }

    const ArrowTable& table;
    std::int64_t count = 0;
    std::vector<ArrowColumn> columns;
  };

  // Columns that others had before are not cleared.
  std::vector<ArrowColumn> room_for(std::size_t rows) const {
    std::vector<ArrowColumn> to;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      ArrowColumn& column = to.emplace_back(used_->take(i));
      const bool is_number = columns_[i].fill;
      column.nulls = 0;
      column.values.resize(rows * (is_number ? columns_[i].bytes : has_keys_ ? key_bytes(columns_[i]) : kAddressText));
      if (columns_[i].nullable) column.validity.resize((rows + 7) / 8);
      if (is_number || has_keys_) continue;
      column.offsets.reserve(rows + 1);
      column.offsets.assign(1, 0);
    }
    return to;
  }

  const std::vector<PacketColumn> columns_;
  const bool has_keys_;
  const std::shared_ptr<UsedColumns> used_ = std::make_shared<UsedColumns>(columns_.size());
  const std::unique_ptr<RowsWriter> writer_;
};

class TakenRows : public RowsWriter {
 public:
  explicit TakenRows(const RowsTaker& taker) : taker_(taker) {}
  void append(ArrowArray& rows) override { taker_.take(rows); }
  void end() override {}

 private:
  const RowsTaker taker_;
};

}  // namespace

std::unique_ptr<RowsWriter> make_taken_rows(const std::vector<ArrowField>& columns, const RowsTaker& taker) {
  taker.begin(columns);
  return std::make_unique<TakenRows>(taker);
}

std::unique_ptr<RowsWriter> make_written_rows(const std::vector<ArrowField>& columns, TableForm form, OutputFile& file,
                                              unsigned threads) {
  ArrowSchema schema;
  export_schema(columns, schema);
  return make_rows_writer(file, form == TableForm::parquet ? RowsForm::parquet : RowsForm::arrow, schema, threads);
}

std::unique_ptr<PacketTable> make_packet_table(TableForm form, bool key_vlan, OutputFile& file, unsigned threads) {
  if (form == TableForm::csv || form == TableForm::json) return std::make_unique<TextTable>(form, key_vlan, file);
  std::vector<PacketColumn> columns = packet_columns(key_vlan);
  const bool has_keys = form == TableForm::parquet;
  std::unique_ptr<RowsWriter> writer = make_written_rows(fields_of(columns, has_keys), form, file, threads);
  return std::make_unique<ArrowTable>(std::move(columns), has_keys, std::move(writer));
}

std::unique_ptr<PacketTable> make_packet_table(bool key_vlan, const RowsTaker& taker) {
  std::vector<PacketColumn> columns = packet_columns(key_vlan);
  std::unique_ptr<RowsWriter> writer = make_taken_rows(fields_of(columns, false), taker);
  return std::make_unique<ArrowTable>(std::move(columns), false, std::move(writer));
}

}  // namespace warpmeter::inline command
