// Traffic and retransmissions over time, and how large flows are: the sections that are mostly a chart.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/page/html.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

// The bin that holds half of all, counted from the small ones, as the size below which these flows stay.
std::string half_below(const ReportData& data, std::uint64_t Counts::*what) {
  std::uint64_t sum = 0;
  for (std::size_t bits = 0; bits < data.sizes.size(); ++bits) {
    sum += data.sizes[bits].*what;
    if (sum * 2 >= data.totals.*what) return bits < 64 ? words::bytes(std::uint64_t{1} << bits) : "2^64 bytes";
  }
  return {};
}

}  // namespace

std::string time_section(const ReportData& data) {
  const std::string every = words::width(data.over_time.width_ns());
  if (data.over_time.size() < 2) {
    return html::section("time", "Over time",
                         html::lead(fmt::format("All of it lies within {}: too short for a chart.", every)));
  }
  const std::vector<double> bytes = data.over_time.values(kOverBytes);
  const double seconds = static_cast<double>(data.over_time.width_ns()) / 1e9;
  std::string says =
      fmt::format("On average {}, and {} in the busiest interval of {}",
                  words::bit_rate(static_cast<double>(data.totals.bytes) / seconds / static_cast<double>(bytes.size())),
                  words::bit_rate(*std::ranges::max_element(bytes) / seconds), every);
  const bool with_share =
      data.totals.retransmitted_segments > 0 && measured(data, {"retransmitted_segments", "data_segments"});
  if (with_share) says += "; below it, the retransmitted share of the data segments";
  std::string body = html::lead(html::escaped(says + ".")) + html::chart("time", says);
  if (data.tcp_flows > 0 && !measured(data, {"retransmitted_segments", "data_segments"})) {
    body += html::note("Retransmissions were not measured by the meter that wrote this input.");
  }
  return html::section("time", "Over time", body);
}

std::string sizes_section(const ReportData& data) {
  if (data.totals.bytes == 0) {
    return html::section("sizes", "How large flows are",
                         html::lead("The input does not tell how many bytes its flows had."));
  }
  if (std::ranges::count_if(data.sizes, [](const Counts& c) { return c.flows > 0; }) == 1) {
    return html::section(
        "sizes", "How large flows are",
        html::lead(data.totals.flows == 1
                       ? "There is one flow, of " + words::bytes(data.totals.bytes) + "."
                       : "All are about the same size, below " + half_below(data, &Counts::flows) + "."));
  }
  const std::string says =
      fmt::format("Half of the flows are smaller than {}; half of all bytes are in flows smaller than {}",
                  half_below(data, &Counts::flows), half_below(data, &Counts::bytes));
  return html::section("sizes", "How large flows are",
                       html::lead(html::escaped(says + ".")) + html::chart("sizes", says));
}

}  // namespace warpmeter::inline analysis
