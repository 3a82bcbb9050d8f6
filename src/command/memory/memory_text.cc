#include "command/memory/memory_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/page/memory_page.h"
#include "record/text/text_table.h"

namespace warpmeter::inline command {
namespace {

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
  return json.dump(1) + "\n";
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
