#include "analysis/page/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/page/html.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

bool is_tcp_only(std::string_view column) { return kColumns[column_number(column)].tcp_only; }

// Of a key whose version of IP is `version`, the address at `at`.
std::string address_name(std::uint8_t version, const std::uint8_t* at) {
  return words::host(version, std::span<const std::uint8_t, 16>(at, 16));
}

// An address of IPv6 breaks at its colons where it does not fit.
std::string breakable(const std::string& address) {
  std::string html;
  for (const char c : address) {
    html += c;
    if (c == ':') html += "<wbr>";
  }
  return html;
}

std::uint16_t port_number(const PortKey& port) { return static_cast<std::uint16_t>(port[0] << 8 | port[1]); }

}  // namespace

bool measured(const ReportData& data, std::initializer_list<std::string_view> columns) {
  return std::ranges::all_of(columns, [&](std::string_view c) { return data.coverage.measured(c); });
}

std::string why_not(const ReportData& data, std::initializer_list<std::string_view> columns) {
  if (data.tcp_flows == 0 && std::ranges::any_of(columns, is_tcp_only)) {
    return html::lead("There is no TCP here, and other protocols do not tell.");
  }
  if (!measured(data, columns)) return html::lead("Not measured by the meter that wrote this input.");
  return {};
}

std::string partly(const ReportData& data, std::string_view column) {
  const std::uint64_t known = data.coverage.known(column), asked = data.coverage.asked(column);
  if (known == asked) return {};
  return html::note(fmt::format("Measured for {} of {} only; the meter of the others does not count it.",
                                words::exact(known), words::some(asked, is_tcp_only(column) ? "TCP flow" : "flow")));
}

template <class Key, class Sums>
std::string forgotten(const CountedBy<Key, Sums>& counted, std::string_view what) {
  if (!counted.forgot()) return {};
  const Counts& others = counted.others();
  return html::note(
      fmt::format("There were more than {0} {1}: those that were first in no list and had the fewest packets were put "
                  "together as “others” on the way ({2} flows, {3} packets), so that a small one may be "
                  "missing here, or have the numbers of a part of the time only.",
                  words::exact(counted.most_keys()), what, words::count(others.flows), words::count(others.packets)));
}

template std::string forgotten(const CountedBy<HostKey, HostCounts>&, std::string_view);
template std::string forgotten(const CountedBy<HostPairKey>&, std::string_view);
template std::string forgotten(const CountedTexts&, std::string_view);

std::string host_name(const HostKey& host) { return address_name(host[0], host.data() + 1); }

namespace {

// The address, and where it is, if that is known.
std::string place_html(const ReportData& data, std::uint8_t version, const std::uint8_t* address) {
  const std::string where = data.where_is ? data.where_is(version, address) : "";
  const std::string name = breakable(address_name(version, address));
  return where.empty() ? name : fmt::format("{} <span class=\"faint\">{}</span>", name, html::escaped(where));
}

}  // namespace

html::Cell host_cell(const ReportData& data, const HostKey& host) {
  return {"<span class=\"host\">" + place_html(data, host[0], host.data() + 1) + "</span>"};
}

html::Cell pair_cell(const ReportData& data, const HostPairKey& pair) {
  return {fmt::format("<span class=\"host\">{}</span> <span class=\"host\">→ {}</span>",
                      place_html(data, pair[0], pair.data() + 1), place_html(data, pair[0], pair.data() + 17))};
}

html::Cell port_cell(const ReportData&, const PortKey& port) {
  return {fmt::format("{} <span class=\"faint\">{}</span>", port_number(port), words::service(port_number(port)))};
}

std::string filter_of(const ReportData& data, const HostKey& sender) {
  return (data.has_biflows ? "addr " : "src addr ") + host_name(sender);
}

std::string filter_of(const ReportData& data, const HostPairKey& pair) {
  return fmt::format(fmt::runtime(data.has_biflows ? "addr {} and addr {}" : "src addr {} and dst addr {}"),
                     address_name(pair[0], pair.data() + 1), address_name(pair[0], pair.data() + 17));
}

std::string filter_of(const ReportData&, const PortKey& port) { return fmt::format("port {}", port_number(port)); }

}  // namespace warpmeter::inline analysis
