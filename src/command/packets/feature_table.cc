#include "command/packets/flow_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/threads/in_threads.h"
#include "pipeline/batches/decoded_batch.h"
#include "pipeline/batches/ordered_batches.h"
#include "record/text/value_text.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline command {
namespace {

constexpr std::size_t kRowsAtOnce = 4'096;

// What is told of each of the first packets.
enum class OfFirst : std::uint8_t { direction, length, gap };

// Nothing, a whole number, any number, an address, or a list.
using FeatureValue = std::variant<std::monostate, std::int64_t, double, std::string, OfFirst>;

struct FeatureColumn {
  std::string name;
  std::string_view format;  // as Arrow writes types; of lists, of their items
  bool nullable = false, is_list = false;
  std::function<FeatureValue(const FeatureRow&)> value;
};

using FeatureColumns = std::vector<FeatureColumn>;

template <class T>
FeatureValue value_or_nothing(const std::optional<T>& value) {
  if (!value) return {};
  if constexpr (std::is_same_v<T, double>) return *value;
  else return static_cast<std::int64_t>(*value);
}

std::string address_text(const std::uint8_t (&address)[16], std::uint8_t version) {
  char text[kAddressText];
  return {text, write_address(text, address, version)};
}

template <class OfRow>
void add_number(FeatureColumns& columns, std::string name, std::string_view format, OfRow of_row) {
  columns.push_back({std::move(name), format, false, false,
                     [of_row](const FeatureRow& row) -> FeatureValue { return std::int64_t{of_row(row)}; }});
}

// Flow Key and times, as Flow Records have them.
void add_key_columns(FeatureColumns& columns, bool biflow, bool key_vlan) {
  using Row = const FeatureRow&;
  columns.push_back({std::string(kKeyColumns[0]), "u", false, false,
                     [](Row r) -> FeatureValue { return address_text(r.key.source, r.key.version); }});
  columns.push_back({std::string(kKeyColumns[1]), "u", false, false,
                     [](Row r) -> FeatureValue { return address_text(r.key.destination, r.key.version); }});
  add_number(columns, std::string(kKeyColumns[2]), "S", [](Row r) { return port_number(r.key.source_port); });
  add_number(columns, std::string(kKeyColumns[3]), "S", [](Row r) { return port_number(r.key.destination_port); });
  add_number(columns, std::string(kKeyColumns[4]), "C", [](Row r) { return r.key.protocol; });
  add_number(columns, std::string(kKeyColumns[5]), "tsn:UTC", [](Row r) { return r.forward.start_ns; });
  add_number(columns, std::string(kKeyColumns[6]), "tsn:UTC", [](Row r) { return r.forward.end_ns; });
  if (key_vlan) add_number(columns, std::string(kVlanColumn), "S", [](Row r) { return port_number(r.key.vlan); });
  if (biflow) {
    const auto add = [&columns](std::string_view name, std::int64_t FeatureRow::Direction::*time) {
      columns.push_back({std::string(kReversePrefix).append(name), "tsn:UTC", true, false,
                         [time](Row r) { return r.has_reverse ? FeatureValue(r.reverse.*time) : FeatureValue(); }});
    };
    add(kKeyColumns[5], &FeatureRow::Direction::start_ns);
    add(kKeyColumns[6], &FeatureRow::Direction::end_ns);
  }
  columns.push_back({std::string(kFirstPacketColumn), "l", false, false,
                     [](Row r) -> FeatureValue { return static_cast<std::int64_t>(r.first_packet); }});
}

// Least, mean, deviation and most of values. `whole`: the type of the first and the last.
template <class OfRow>
void add_moments(FeatureColumns& columns, const std::string& before, const std::string& behind, std::string_view whole,
                 OfRow of_row) {
  using Row = const FeatureRow&;
  columns.push_back(
      {before + "min_" + behind, whole, true, false, [of_row](Row r) { return value_or_nothing(of_row(r).least()); }});
  columns.push_back(
      {before + "mean_" + behind, "g", true, false, [of_row](Row r) { return value_or_nothing(of_row(r).mean()); }});
  columns.push_back({before + "stddev_" + behind, "g", true, false,
                     [of_row](Row r) { return value_or_nothing(of_row(r).deviation()); }});
  columns.push_back(
      {before + "max_" + behind, whole, true, false, [of_row](Row r) { return value_or_nothing(of_row(r).most()); }});
}

void add_direction_columns(FeatureColumns& columns, const std::string& before, FeatureRow::Direction FeatureRow::*which,
                           bool is_always_there) {
  using Row = const FeatureRow&;
  const auto number = [which](std::uint64_t FeatureRow::Direction::*of) {
    return [which, of](Row r) { return static_cast<std::int64_t>(r.*which.*of); };
  };
  columns.push_back({before + "duration_ns", "l", !is_always_there, false, [which](Row r) -> FeatureValue {
                       const FeatureRow::Direction& d = r.*which;
                       return d.packets > 0 ? FeatureValue(d.end_ns - d.start_ns) : FeatureValue();
                     }});
  add_number(columns, before + "packets", "l", number(&FeatureRow::Direction::packets));
  add_number(columns, before + "bytes", "l", number(&FeatureRow::Direction::bytes));
  add_moments(columns, before, "ps", "I", [which](Row r) -> const Moments& { return (r.*which).lengths; });
  add_moments(columns, before, "piat_ns", "l", [which](Row r) -> const Moments& { return (r.*which).gaps; });
}

void add_both_columns(FeatureColumns& columns) {
  using Row = const FeatureRow&;
  const std::string before = "bidirectional_";
  add_number(columns, before + "duration_ns", "l", [](Row r) {
    if (!r.has_reverse) return r.forward.end_ns - r.forward.start_ns;
    return std::max(r.forward.end_ns, r.reverse.end_ns) - std::min(r.forward.start_ns, r.reverse.start_ns);
  });
  add_number(columns, before + "packets", "l",
             [](Row r) { return static_cast<std::int64_t>(r.forward.packets + r.reverse.packets); });
  add_number(columns, before + "bytes", "l",
             [](Row r) { return static_cast<std::int64_t>(r.forward.bytes + r.reverse.bytes); });
  add_moments(columns, before, "ps", "I", [](Row r) {
    Moments both = r.forward.lengths;
    both.add(r.reverse.lengths);
    return both;
  });
  add_moments(columns, before, "piat_ns", "l", [](Row r) -> const Moments& { return r.gaps; });
}

void add_period_columns(FeatureColumns& columns, const std::string& name, Moments FeatureRow::*which) {
  add_number(columns, name + "_periods", "l",
             [which](const FeatureRow& r) { return static_cast<std::int64_t>((r.*which).count()); });
  add_moments(columns, name + "_", "ns", "l", [which](const FeatureRow& r) -> const Moments& { return r.*which; });
}

FeatureColumns feature_columns(bool biflow, bool key_vlan) {
  FeatureColumns columns;
  add_key_columns(columns, biflow, key_vlan);
  if (biflow) add_both_columns(columns);
  add_direction_columns(columns, "src2dst_", &FeatureRow::forward, true);
  if (biflow) add_direction_columns(columns, "dst2src_", &FeatureRow::reverse, false);
  add_period_columns(columns, "active", &FeatureRow::active);
  add_period_columns(columns, "idle", &FeatureRow::idle);
  const auto add_list = [&columns](const char* name, std::string_view format, OfFirst what) {
    columns.push_back({name, format, false, true, [what](const FeatureRow&) -> FeatureValue { return what; }});
  };
  add_list("splt_direction", "C", OfFirst::direction);
  add_list("splt_ps", "I", OfFirst::length);
  add_list("splt_piat_ns", "l", OfFirst::gap);
  return columns;
}

std::int64_t told_of(const FirstPacket& packet, OfFirst what) {
  switch (what) {
    case OfFirst::direction: return packet.is_reverse;
    case OfFirst::length: return packet.length;
    default: return static_cast<std::int64_t>(packet.gap_ns);
  }
}

// Calls append(encode(first, last)) for all rows, in their order; `threads` encode.
template <class Encode, class Append>
void each_part_of_rows(std::size_t rows, unsigned threads, const Encode& encode, const Append& append) {
  using Part = decltype(encode(std::size_t{0}, std::size_t{0}));
  for (std::size_t begin = 0; begin < rows; begin += threads * kRowsAtOnce) {
    std::vector<std::optional<Part>> parts(threads);
    in_threads(
        threads,
        [&](unsigned i) {
          const std::size_t first = std::min(rows, begin + i * kRowsAtOnce), last = std::min(rows, first + kRowsAtOnce);
          if (first < last) parts[i] = encode(first, last);
        },
        [] {});
    for (std::optional<Part>& part : parts) {
      if (part) append(*part);
    }
  }
}

// CSV and JSON lines.
class FeatureLines {
 public:
  FeatureLines(const FlowFeatures& features, const FeatureColumns& columns, bool is_json)
      : features_(features), columns_(columns), is_json_(is_json) {}

  std::string names() const {
    std::string line;
    if (is_json_) return line;
    for (const FeatureColumn& column : columns_) (line += line.empty() ? "" : ",") += column.name;
    return line += '\n';
  }
  std::string of(std::size_t first, std::size_t last) const {
    std::string text;
    for (const FeatureRow& row : features_.rows().subspan(first, last - first)) add(text, row);
    return text;
  }

 private:
  void add(std::string& text, const FeatureRow& row) const {
    bool is_first = true;
    for (const FeatureColumn& column : columns_) {
      if (is_json_) text.append(is_first ? "{\"" : ",\"").append(column.name) += "\":";
      else if (!is_first) text += ',';
      is_first = false;
      add(text, row, column.value(row));
    }
    text += is_json_ ? "}\n" : "\n";
  }
  void add(std::string& text, const FeatureRow& row, const FeatureValue& value) const {
    const char* const quote = is_json_ ? "\"" : "";
    if (const auto* whole = std::get_if<std::int64_t>(&value)) text += fmt::format_int(*whole).c_str();
    else if (const auto* any = std::get_if<double>(&value)) fmt::format_to(std::back_inserter(text), "{}", *any);
    else if (const auto* word = std::get_if<std::string>(&value)) text.append(quote).append(*word) += quote;
    else if (const auto* list = std::get_if<OfFirst>(&value)) add_list(text, row, *list);
    else if (is_json_) text += "null";
  }
  void add_list(std::string& text, const FeatureRow& row, OfFirst what) const {
    const char* between = "";
    if (is_json_) text += '[';
    for (const FirstPacket& packet : features_.first_packets(row)) {
      text.append(between) += fmt::format_int(told_of(packet, what)).c_str();
      between = is_json_ ? "," : ";";
    }
    if (is_json_) text += ']';
  }

  const FlowFeatures& features_;
  const FeatureColumns& columns_;
  const bool is_json_;
};

void append_typed(ArrowColumn& to, std::string_view format, std::int64_t value) {
  switch (format.front()) {
    case 'C': append_number(to, static_cast<std::uint8_t>(value)); break;
    case 'S': append_number(to, static_cast<std::uint16_t>(value)); break;
    case 'I': append_number(to, static_cast<std::uint32_t>(value)); break;
    case 'g': append_number(to, static_cast<double>(value)); break;
    default: append_number(to, value);
  }
}

struct FeatureArray {
  std::vector<ArrowColumn> columns;
  std::int64_t rows;
};

// One column of these rows.
ArrowColumn arrow_column_of(const FlowFeatures& features, std::span<const FeatureRow> rows,
                            const FeatureColumn& column) {
  ArrowColumn to;
  if (column.is_list || column.format == "u") to.offsets.push_back(0);
  if (column.is_list) to.items.emplace_back();
  std::int64_t number = 0;
  for (const FeatureRow& row : rows) {
    const FeatureValue value = column.value(row);
    if (column.nullable) append_validity(to, number, value.index() != 0);
    ++number;
    if (const auto* word = std::get_if<std::string>(&value)) {
      append_text(to, *word);
    } else if (const auto* list = std::get_if<OfFirst>(&value)) {
      const std::span<const FirstPacket> packets = features.first_packets(row);
      for (const FirstPacket& packet : packets) append_typed(to.items[0], column.format, told_of(packet, *list));
      to.offsets.push_back(to.offsets.back() + static_cast<std::int32_t>(packets.size()));
    } else if (const auto* any = std::get_if<double>(&value)) {
      append_number(to, *any);
    } else {
      const auto* const whole = std::get_if<std::int64_t>(&value);
      append_typed(to, column.format, whole ? *whole : 0);
    }
  }
  return to;
}

void write_arrays(const FlowFeatures& features, const FeatureColumns& columns, RowsWriter& writer, unsigned threads) {
  const auto encode = [&](std::size_t first, std::size_t last) {
    FeatureArray array{{}, static_cast<std::int64_t>(last - first)};
    const std::span<const FeatureRow> rows = features.rows().subspan(first, last - first);
    for (const FeatureColumn& column : columns) array.columns.push_back(arrow_column_of(features, rows, column));
    return array;
  };
  each_part_of_rows(features.rows().size(), threads, encode, [&writer](FeatureArray& part) {
    ArrowArray array;
    export_array(std::move(part.columns), part.rows, array);
    writer.append(array);
  });
  writer.end();
}

std::vector<ArrowField> feature_fields(const FeatureColumns& columns) {
  std::vector<ArrowField> fields;
  for (const FeatureColumn& column : columns) {
    if (column.is_list) fields.push_back({column.name, "+l", column.nullable, column.format});
    else fields.push_back({column.name, column.format, column.nullable});
  }
  return fields;
}

// Segments of both directions of a Flow Key are in one shard, those of a shard in order.
class ListedBatch : public DecodedBatch<SegmentBatch> {
 public:
  using DecodedBatch<SegmentBatch>::DecodedBatch;
  void finish(std::uint64_t first_number) {
    DecodedBatch<SegmentBatch>::finish(first_number);
    shares.front().list_by_shard();
  }
};

}  // namespace

DecodeCounters add_packets(TraceSource& trace, const Decoder& decoder, StageClock& clock, unsigned threads,
                           FlowFeatures& features) {
  constexpr unsigned kGroups = 16, kShardsOfGroup = kShards / kGroups;
  const BatchShape shape = shape_of_cached_batches(threads, kGroups);
  OrderedBatches<ListedBatch> batches(
      trace, shape, [&] { return ListedBatch(decoder, clock, one_share<SegmentBatch>(kCachedFrames)); });
  DecodeCounters counters;
  batches.run([&](unsigned group, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b) {
      if (group == 0) counters.add(batches[b].counters);
      const SegmentBatch& batch = batches[b].shares.front();
      for (const ListedSegment& one : batch.of_shards(group * kShardsOfGroup, (group + 1) * kShardsOfGroup)) {
        features.add(batch.key[one.at], one.hash, batch.segment[one.at]);
      }
    }
  });
  return counters;
}

void write_features(const FlowFeatures& features, bool key_vlan, TableForm form, OutputFile& file, unsigned threads) {
  const FeatureColumns columns = feature_columns(features.has_biflows(), key_vlan);
  if (form == TableForm::parquet || form == TableForm::arrow) {
    const std::unique_ptr<RowsWriter> writer = make_written_rows(feature_fields(columns), form, file, threads);
    return write_arrays(features, columns, *writer, threads);
  }
  const FeatureLines lines(features, columns, form == TableForm::json);
  file.write(lines.names());
  each_part_of_rows(
      features.rows().size(), threads, [&](std::size_t first, std::size_t last) { return lines.of(first, last); },
      [&file](const std::string& text) { file.write(text); });
}

void write_features(const FlowFeatures& features, bool key_vlan, const RowsTaker& taker, unsigned threads) {
  const FeatureColumns columns = feature_columns(features.has_biflows(), key_vlan);
  const std::unique_ptr<RowsWriter> writer = make_taken_rows(feature_fields(columns), taker);
  write_arrays(features, columns, *writer, threads);
}

}  // namespace warpmeter::inline command
