#include "analysis/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/page/html.h"
#include "base/words/json_value_text.h"

namespace warpmeter::inline analysis {
namespace {

using Json = nlohmann::ordered_json;
using Amount = MemoryPageData::Amount;

constexpr double kMbpsOfCharts = 1000;

std::vector<Amount> by_timeout(const MemoryPageData& data) {
  std::vector<Amount> column;
  for (const auto& row : data.megabytes) column.push_back(row[data.block]);
  return column;
}

Json values(const std::vector<Amount>& amounts, double unit) {
  Json mean = Json::array(), peak = Json::array();
  for (const Amount& amount : amounts) {
    mean.push_back(amount.mean * unit);
    peak.push_back(amount.peak * unit);
  }
  return {{"mean", mean}, {"peak", peak}};
}

std::string charts_of(const MemoryPageData& data) {
  const Json json = {{"timeouts", data.timeouts},
                     {"blocks", data.blocks},
                     {"streams", values(data.streams, kMbpsOfCharts)},
                     {"by_timeout", values(by_timeout(data), kMbpsOfCharts * 1e6)},
                     {"by_block", values(data.megabytes[data.timeout], kMbpsOfCharts * 1e6)}};
  return json_text(json);
}

std::string paragraphs(const std::vector<std::string>& sentences, std::string (&paragraph)(std::string_view)) {
  std::string text;
  for (const std::string& sentence : sentences) text += paragraph(html::escaped(sentence));
  return text;
}

std::string streams_table(const MemoryPageData& data) {
  html::Table table("Streams per Mbit/s", {"Timeout", "On average", "At most"});
  for (std::size_t i = 0; i < data.timeouts.size(); ++i) {
    table.row({html::text(fmt::format("{} s", data.timeouts[i])),
               {fmt::format("{:.2f}", data.streams[i].mean)},
               {fmt::format("{:.2f}", data.streams[i].peak)}});
  }
  return table.html();
}

// A heat map with its numbers. Grounds go by the square root, or all but the largest would look alike.
std::string memory_table(const MemoryPageData& data, std::string_view caption, double Amount::*which) {
  double most = 0;
  for (const std::vector<Amount>& row : data.megabytes) {
    for (const Amount& amount : row) most = std::max(most, amount.*which);
  }
  std::vector<std::string> titles;
  for (const unsigned block : data.blocks) titles.push_back(fmt::format("{}K", block));
  std::vector<std::string_view> header = {"Timeout"};
  header.insert(header.end(), titles.begin(), titles.end());
  html::Table table(caption, header);
  for (std::size_t i = 0; i < data.timeouts.size(); ++i) {
    std::vector<html::Cell> row = {html::text(fmt::format("{} s", data.timeouts[i]))};
    for (const Amount& amount : data.megabytes[i]) {
      html::Cell cell{fmt::format("{:.4f}", amount.*which)};
      cell.heat = most > 0 ? std::sqrt(amount.*which / most) : 0;
      cell.value = amount.*which;
      row.push_back(std::move(cell));
    }
    table.row(row);
  }
  return table.html();
}

std::string content(const MemoryPageData& data) {
  if (data.streams.empty()) return paragraphs(data.notes, html::lead);
  const std::string timeout = fmt::format("{} s", data.timeouts[data.timeout]);
  const std::string block = fmt::format("{}K", data.blocks[data.block]);
  const std::string by_timeout_says = "Buffered bytes by timeout, with blocks of " + block;
  const std::string by_block_says = "Buffered bytes by block size, with a timeout of " + timeout;
  return html::section("needs", "What such traffic needs",
                       paragraphs(data.needs, html::lead) + paragraphs(data.notes, html::note)) +
         html::section("streams", "Streams",
                       html::lead("How many streams are alive: from their first byte to FIN or RST, or until nothing "
                                  "came for as long as the timeout.") +
                           html::chart("streams", "Streams by timeout") + streams_table(data)) +
         html::section("timeouts", "Memory by timeout",
                       html::lead(html::escaped(by_timeout_says + ".")) + html::chart("timeouts", by_timeout_says)) +
         html::section("blocks", "Memory by block size",
                       html::lead(html::escaped(by_block_says + ".")) + html::chart("blocks", by_block_says)) +
         html::section(
             "memory", "Memory by both",
             html::lead("Buffered bytes for each timeout and block size: the deeper the ground of a number, the "
                        "more.") +
                 memory_table(data, "Buffered MB per Mbit/s, on average", &Amount::mean) +
                 memory_table(data, "Buffered MB per Mbit/s, at most", &Amount::peak));
}

}  // namespace

std::string memory_page(const MemoryPageData& data, const PageOptions& options) {
  return framed_page({.title = options.title.empty() ? "Memory for streams" : options.title,
                      .about = html::escaped(data.trace) + " · " + inputs_of_page(options),
                      .source = "packets",
                      .content = troubles_of_page(options) + content(data),
                      .data = data.streams.empty() ? "{}" : charts_of(data),
                      .charts = kMemoryChartsJs});
}

}  // namespace warpmeter::inline analysis
