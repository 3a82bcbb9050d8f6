#include "command/memory/measure_memory.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "analysis/page/page.h"
#include "base/words/human_units.h"
#include "base/words/json_value_text.h"
#include "record/text/text_table.h"

namespace warpmeter::inline command {
namespace {

constexpr std::array<unsigned, 3> kGigabits = {1, 10, 100};

std::string seconds_text(std::uint64_t length_ns) { return human_time(static_cast<double>(length_ns) / 1e9); }

// The first timeout that the trace is shorter than.
std::size_t first_long_timeout(const MemoryTables& tables) {
  std::size_t timeout = 0;
  while (timeout < kTimeouts && timeout_ns(timeout) <= tables.length_ns) ++timeout;
  return timeout;
}

using Json = nlohmann::ordered_json;

double mean_of(const OverTime& amount) { return amount.mean; }
double peak_of(const OverTime& amount) { return static_cast<double>(amount.peak); }
using Which = double (*)(const OverTime&);

std::string timeout_name(std::size_t timeout) { return fmt::format("{} s", timeout_seconds(timeout)); }
std::string block_name(std::size_t block) { return fmt::format("{}K", block_bytes(block) >> 10); }

void add_streams(std::string& text, const MemoryTables& tables) {
  TextTable table({{.title = "TIMEOUT"}, {.title = "MEAN"}, {.title = "PEAK"}}, {},
                  [&text](std::string_view lines) { text += lines; });
  for (std::size_t timeout = 0; timeout < kTimeouts; ++timeout) {
    const OverTime& streams = tables.streams[timeout];
    table.add({timeout_name(timeout), fmt::format("{:.2f}", streams.mean / tables.mbps()),
               fmt::format("{:.2f}", peak_of(streams) / tables.mbps())});
  }
  table.end();
}

void add_buffered(std::string& text, const MemoryTables& tables, Which which) {
  std::vector<TableColumn> columns = {{.title = "TIMEOUT"}};
  for (std::size_t block = 0; block < kBlockSizes; ++block) columns.push_back({.title = block_name(block)});
  TextTable table(columns, {}, [&text](std::string_view lines) { text += lines; });
  for (std::size_t timeout = 0; timeout < kTimeouts; ++timeout) {
    std::vector<std::string> row = {timeout_name(timeout)};
    for (const OverTime& bytes : tables.buffered[timeout])
      row.push_back(fmt::format("{:.4f}", which(bytes) / (1e6 * tables.mbps())));
    table.add(row);
  }
  table.end();
}

Json streams_json(const MemoryTables& tables, Which which, double unit) {
  Json list = Json::array();
  for (const OverTime& streams : tables.streams) list.push_back(which(streams) / unit);
  return list;
}

Json buffered_json(const MemoryTables& tables, Which which, double unit) {
  Json rows = Json::array();
  for (const auto& row : tables.buffered) {
    Json list = Json::array();
    for (const OverTime& bytes : row) list.push_back(which(bytes) / unit);
    rows.push_back(list);
  }
  return rows;
}

Json peaks_json(const MemoryTables& tables) {
  Json rows = Json::array();
  for (const auto& row : tables.buffered) {
    Json list = Json::array();
    for (const OverTime& bytes : row) list.push_back(bytes.peak);
    rows.push_back(list);
  }
  return rows;
}

Json peak_streams_json(const MemoryTables& tables) {
  Json list = Json::array();
  for (const OverTime& streams : tables.streams) list.push_back(streams.peak);
  return list;
}

Json needs_json(const MemoryTables& tables, MemoryChoice choice) {
  Json list = Json::array();
  const OverTime& bytes = tables.buffered[choice.timeout][choice.block_size];
  const OverTime& streams = tables.streams[choice.timeout];
  for (const double gigabits : {1.0, 10.0, 100.0}) {
    const double times = gigabits * 1000 / tables.mbps();
    list.push_back({{"gbps", gigabits},
                    {"bytes", {{"mean", bytes.mean * times}, {"peak", peak_of(bytes) * times}}},
                    {"streams", {{"mean", streams.mean * times}, {"peak", peak_of(streams) * times}}}});
  }
  return {
      {"timeout_s", timeout_seconds(choice.timeout)}, {"block_bytes", block_bytes(choice.block_size)}, {"of", list}};
}

}  // namespace

bool has_rate(const MemoryTables& tables) { return tables.length_ns > 0; }

std::string trace_in_words(const MemoryTables& tables) {
  if (tables.is_empty()) return "no IP packets";
  const std::string packets =
      fmt::format("{} IP packet{}", human_count(static_cast<double>(tables.packets)), tables.packets == 1 ? "" : "s");
  const std::string bytes = human_decimal_bytes(static_cast<double>(tables.ip_bytes));
  if (!has_rate(tables)) return fmt::format("{}, {}, all at one time", packets, bytes);
  return fmt::format("{}, {}, {}, {}", seconds_text(tables.length_ns), packets, bytes,
                     human_bit_rate(static_cast<double>(tables.ip_bytes) / tables.seconds()));
}

std::string needs_heading(MemoryChoice choice) {
  return fmt::format("With a timeout of {} s and blocks of {}K such traffic would need, of",
                     timeout_seconds(choice.timeout), block_bytes(choice.block_size) >> 10);
}

std::vector<std::string> needs_in_words(const MemoryTables& tables, MemoryChoice choice) {
  const OverTime& bytes = tables.buffered[choice.timeout][choice.block_size];
  const OverTime& streams = tables.streams[choice.timeout];
  std::vector<std::string> sentences;
  for (const unsigned gigabits : kGigabits) {
    const double times = 1000.0 * gigabits / tables.mbps();
    const auto peak = [times](const OverTime& amount) { return static_cast<double>(amount.peak) * times; };
    sentences.push_back(fmt::format("{} Gbit/s: {} (peak {}) for {} streams (peak {})", gigabits,
                                    human_decimal_bytes(bytes.mean * times), human_decimal_bytes(peak(bytes)),
                                    human_count(streams.mean * times), human_count(peak(streams))));
  }
  return sentences;
}

std::vector<std::string> remarks_on(const MemoryTables& tables) {
  if (tables.is_empty()) return {"There is not a single IP packet, and so nothing to tell."};
  std::vector<std::string> remarks;
  if (!has_rate(tables)) {
    remarks.emplace_back("All packets have one time: there is no rate, and so nothing to tell.");
  } else if (const std::size_t timeout = first_long_timeout(tables); timeout < kTimeouts) {
    remarks.push_back(fmt::format(
        "The trace is {} long: it says little about timeouts {} {} s.", seconds_text(tables.length_ns),
        timeout + 1 < kTimeouts ? "from" : "of",
        timeout + 1 < kTimeouts ? fmt::format("{} to {}", timeout_seconds(timeout), timeout_seconds(kTimeouts - 1))
                                : std::to_string(timeout_seconds(timeout))));
  }
  if (tables.ended_early > 0) {
    remarks.push_back(fmt::format("{} had to end early for want of memory: the figures are too low (--memory).",
                                  human_number_of(tables.ended_early, "connection")));
  }
  if (tables.forgotten > 0) {
    remarks.push_back(fmt::format(
        "{} had to be forgotten for want of memory: what was sent once more thereafter counts as new (--memory).",
        human_number_of(tables.forgotten, "dead connection")));
  }
  if (tables.joined_ranges > 0) {
    remarks.push_back(fmt::format(
        "{} between bytes had to be taken for seen, as there were too many: what was to fill them is not counted.",
        human_number_of(tables.joined_ranges, "gap")));
  }
  if (tables.damaged_inputs > 0) {
    remarks.push_back(fmt::format("{} could not be read to the end: the figures are of the rest.",
                                  human_number_of(tables.damaged_inputs, "input")));
  }
  if (tables.interrupted) remarks.emplace_back("Reading was interrupted: the figures are of what was read.");
  return remarks;
}

std::string memory_table_text(const MemoryTables& tables, MemoryChoice choice) {
  std::string text = "Trace: " + trace_in_words(tables) + "\n";
  if (has_rate(tables)) {
    text += "\nStreams per Mbit/s\n";
    add_streams(text, tables);
    text += "\nBuffered MB per Mbit/s by block size, mean\n";
    add_buffered(text, tables, mean_of);
    text += "\nBuffered MB per Mbit/s by block size, peak\n";
    add_buffered(text, tables, peak_of);
    text.append("\n").append(needs_heading(choice)).append("\n");
    for (const std::string& line : needs_in_words(tables, choice)) text.append("  ").append(line).append("\n");
  }
  const std::vector<std::string> remarks = remarks_on(tables);
  if (!remarks.empty()) text += "\n";
  for (const std::string& line : remarks) text += line + "\n";
  return text;
}

std::string memory_csv(const MemoryTables& tables) {
  std::string text =
      "timeout_s,block_bytes,streams_mean,streams_peak,buffered_bytes_mean,buffered_bytes_peak,streams_per_mbps_mean,"
      "streams_per_mbps_peak,buffered_mb_per_mbps_mean,buffered_mb_per_mbps_peak,trace_seconds,ip_bytes,mbps\n";
  if (tables.is_empty()) return text;
  const double mbps = tables.mbps();
  for (std::size_t timeout = 0; timeout < kTimeouts; ++timeout) {
    const OverTime& streams = tables.streams[timeout];
    for (std::size_t block = 0; block < kBlockSizes; ++block) {
      const OverTime& bytes = tables.buffered[timeout][block];
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", timeout_seconds(timeout), block_bytes(block),
                          streams.mean, streams.peak, bytes.mean, bytes.peak, streams.mean / mbps,
                          peak_of(streams) / mbps, bytes.mean / (1e6 * mbps), peak_of(bytes) / (1e6 * mbps),
                          tables.seconds(), tables.ip_bytes, mbps);
    }
  }
  return text;
}

std::string memory_json(const MemoryTables& tables, MemoryChoice choice) {
  Json json = {{"ip_packets", tables.packets}, {"ip_bytes", tables.ip_bytes}};
  if (!tables.is_empty()) {
    const double mbps = tables.mbps();
    json["seconds"] = tables.seconds();
    json["mbps"] = mbps;
    Json timeouts = Json::array(), blocks = Json::array();
    for (std::size_t i = 0; i < kTimeouts; ++i) timeouts.push_back(timeout_seconds(i));
    for (std::size_t i = 0; i < kBlockSizes; ++i) blocks.push_back(block_bytes(i));
    json["timeouts_s"] = timeouts;
    json["block_bytes"] = blocks;
    json["streams"] = {{"mean", streams_json(tables, mean_of, 1)}, {"peak", peak_streams_json(tables)}};
    json["buffered_bytes"] = {{"mean", buffered_json(tables, mean_of, 1)}, {"peak", peaks_json(tables)}};
    json["streams_per_mbps"] = {{"mean", streams_json(tables, mean_of, mbps)},
                                {"peak", streams_json(tables, peak_of, mbps)}};
    json["buffered_mb_per_mbps"] = {{"mean", buffered_json(tables, mean_of, 1e6 * mbps)},
                                    {"peak", buffered_json(tables, peak_of, 1e6 * mbps)}};
    json["needs"] = needs_json(tables, choice);
  }
  json["remarks"] = remarks_on(tables);
  return json_text(json, 1) + "\n";
}

std::string memory_html(const MemoryTables& tables, MemoryChoice choice, const PageOptions& options) {
  MemoryPageData data{.trace = trace_in_words(tables), .notes = remarks_on(tables)};
  data.timeout = choice.timeout;
  data.block = choice.block_size;
  for (std::size_t i = 0; i < kTimeouts; ++i) data.timeouts.push_back(static_cast<unsigned>(timeout_seconds(i)));
  for (std::size_t i = 0; i < kBlockSizes; ++i) data.blocks.push_back(static_cast<unsigned>(block_bytes(i) >> 10));
  if (!has_rate(tables)) return memory_page(data, options);
  data.needs.push_back(needs_heading(choice));
  for (const std::string& sentence : needs_in_words(tables, choice)) data.needs.push_back(sentence + ".");
  const auto amount = [](const OverTime& o, double unit) {
    return MemoryPageData::Amount{o.mean / unit, peak_of(o) / unit};
  };
  for (std::size_t timeout = 0; timeout < kTimeouts; ++timeout) {
    data.streams.push_back(amount(tables.streams[timeout], tables.mbps()));
    std::vector<MemoryPageData::Amount>& row = data.megabytes.emplace_back();
    for (const OverTime& bytes : tables.buffered[timeout]) row.push_back(amount(bytes, 1e6 * tables.mbps()));
  }
  return memory_page(data, options);
}

}  // namespace warpmeter::inline command
