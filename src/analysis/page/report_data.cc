#include "analysis/page/report_data.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace warpmeter::inline analysis {
namespace {

// No constexpr: for UndefinedBehaviorSanitizer, comparing addresses of functions is no constant expression.
template <auto kMember>
const std::size_t kColumnOf = [] {
  std::size_t i = 0;
  while (kColumns[i].value != &columns_detail::any<kMember> && kColumns[i].value != &columns_detail::of_tcp<kMember>)
    ++i;
  return i;
}();

template <auto kMember>
bool is_known(const FlowRecord& record) {
  const std::size_t column = kColumnOf<kMember>;
  return !(kColumns[column].tcp_only && record.key.protocol != kProtocolTcp) && !(record.absent >> column & 1);
}

template <auto kMember>
std::uint64_t known(const FlowRecord& record) {
  return is_known<kMember>(record) ? record.*kMember : 0;
}

HostKey source_of(const FlowKey& key) {
  HostKey host;
  host[0] = key.version;
  std::memcpy(host.data() + 1, key.source, sizeof key.source);
  return host;
}

HostPairKey pair_of(const FlowKey& key) {
  HostPairKey pair;
  pair[0] = key.version;
  std::memcpy(pair.data() + 1, key.source, sizeof key.source);
  std::memcpy(pair.data() + 1 + sizeof key.source, key.destination, sizeof key.destination);
  return pair;
}

PortKey server_port_of(const FlowKey& key) {
  const std::uint16_t port = std::min(port_number(key.source_port), port_number(key.destination_port));
  return {static_cast<std::uint8_t>(port >> 8), static_cast<std::uint8_t>(port)};
}

std::size_t duplicate_share_bin(const Counts& c) {
  const double share = static_cast<double>(c.duplicate_packets) / static_cast<double>(c.packets);
  const auto bin = static_cast<std::size_t>(std::lower_bound(kDuplicateShares.begin(), kDuplicateShares.end(), share) -
                                            kDuplicateShares.begin());
  return c.packets < kFewestPacketsOfTwice ? std::min(bin, kTwiceBin - 1) : bin;
}

}  // namespace

Counts counts_of(const FlowRecord& record) {
  Counts c;
  c.flows = 1;
  c.packets = known<&FlowRecord::packets>(record);
  c.bytes = known<&FlowRecord::bytes>(record);
  c.payload_bytes = known<&FlowRecord::payload_bytes>(record);
  c.data_segments = known<&FlowRecord::data_segments>(record);
  c.retransmitted_segments = known<&FlowRecord::retransmitted_segments>(record);
  c.duplicate_packets = known<&FlowRecord::duplicate_packets>(record);
  c.missing_bytes = known<&FlowRecord::missing_bytes>(record);
  c.zero_windows = known<&FlowRecord::zero_window_count>(record);
  c.stray_segments = known<&FlowRecord::stray_segments>(record);
  c.flows_with_data = c.data_segments > 0 || c.missing_bytes > 0;
  c.flows_with_gaps = c.missing_bytes > 0;
  return c;
}

HostCounts host_counts_of(const FlowRecord& record, const Counts& counts) {
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  HostCounts c{counts, {}, {}};
  if (is_known<&FlowRecord::data_segments>(record) && is_known<&FlowRecord::retransmitted_segments>(record)) {
    c.retransmissions.add_flow(number(counts.data_segments), number(counts.retransmitted_segments));
  }
  if (is_known<&FlowRecord::packets>(record) && is_known<&FlowRecord::zero_window_count>(record)) {
    c.closed_windows.add_flow(number(counts.packets), number(counts.zero_windows));
  }
  return c;
}

void WhatRuns::add_noted(const Counts& counts, const Annotations& noted) {
  if (labels_) {
    const std::vector<std::string_view> all = noted.list_of(*labels_);
    for (const std::string_view label : all) labels.add(std::string(label), counts);
    if (!all.empty()) labelled.add(counts);
  }
  for (auto at = noted.all().begin(); at != noted.all().end(); ++at) {
    if (at->column == labels_) continue;
    // Of a field the first text counts.
    const auto same = [&](const Annotation& other) { return other.column == at->column; };
    if (std::any_of(noted.all().begin(), at, same)) continue;
    if (Column* const to = column(at->column)) to->texts.add(at->text, counts);
  }
}

// Null if there are too many.
WhatRuns::Column* WhatRuns::column(std::uint32_t number) {
  const auto found = std::ranges::find(columns, number, &Column::number);
  if (found != columns.end()) return &*found;
  const bool has_host = std::ranges::any_of(columns, [this](const Column& c) { return is_host(c); });
  if (number != host_ && columns.size() - has_host >= kMostColumns) {
    left_out = true;
    return nullptr;
  }
  return &columns.emplace_back(number, AnnotationNames::of_process().name(number));
}

void ReportData::add(const Biflow& flow, const Annotations& noted) {
  add(flow.forward, noted);
  has_biflows |= flow.has_reverse;
  if (flow.has_reverse) add(flow.reverse, noted);
}

void ReportData::add(const FlowRecord& record, const Annotations& noted) {
  const Counts counts = counts_of(record);
  coverage.add(record);
  totals.add(counts);
  const bool forgot = hosts.add(source_of(record.key), host_counts_of(record, counts),
                                [&](HostCounts& host) { note_of_host(host, record, counts); });
  if (forgot) forget_hosts();
  pairs.add(pair_of(record.key), counts);
  if (record.key.protocol == kProtocolTcp) {
    ++tcp_flows;
    server_ports.add(server_port_of(record.key), counts);
  }
  sizes[static_cast<std::size_t>(std::bit_width(counts.bytes))].add(counts);
  if (counts.duplicate_packets > 0) duplicate_shares[duplicate_share_bin(counts)].add(counts);
  protocols[record.key.protocol].add(counts);
  end_reasons[static_cast<std::uint8_t>(record.end_reason)].add(counts);
  what_runs.add(counts, noted);
  add_to_time(record, counts);
}

void ReportData::note_of_host(HostCounts& host, const FlowRecord& record, const Counts& counts) {
  if (host.number == 0 && !free_numbers_.empty()) {
    host.number = free_numbers_.back();
    free_numbers_.pop_back();
  } else if (host.number == 0) {
    host.number = ++numbers_;
  }
  worst_flows.add(host.number, record, counts);
  if (worst_flows.is_full()) put_away_flows();
  if (counts.data_segments > 0) {
    host_times.add(host.number, record.start_ns, record.end_ns, counts.data_segments, counts.retransmitted_segments);
  }
}

// What is kept by number of those that are no longer known by name.
void ReportData::forget_hosts() {
  std::vector<bool> known(numbers_ + 1);
  hosts.for_each([&](const HostKey&, const HostCounts& host) { known[host.number] = true; });
  free_numbers_.clear();
  for (std::uint32_t number = numbers_; number > 0; --number) {
    if (known[number]) continue;
    worst_flows.forget(number);
    host_times.forget(number);
    free_numbers_.push_back(number);
  }
}

void ReportData::put_away_flows() {
  for (std::size_t m = 0; m < WorstFlows::kMeasures; ++m) {
    const auto measure = static_cast<WorstFlows::Measure>(m);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sums;
    hosts.for_each([&](const HostKey&, const HostCounts& host) {
      if (const std::uint64_t sum = WorstFlows::value_of(host, measure)) sums.emplace_back(sum, host.number);
    });
    worst_flows.keep_largest(measure, std::move(sums));
  }
}

void ReportData::add_to_time(const FlowRecord& record, const Counts& counts) {
  first_ns = std::min(first_ns, record.start_ns);
  last_ns = std::max({last_ns, record.start_ns, record.end_ns});
  std::array<std::uint64_t, kOverMeasures> values{};
  values[kOverBytes] = counts.bytes;
  values[kOverPackets] = counts.packets;
  values[kOverDataSegments] = counts.data_segments;
  values[kOverRetransmitted] = counts.retransmitted_segments;
  values[kOverMissing] = counts.missing_bytes;
  if (counts.data_segments >= kTellingSegments) {
    values[kOverTellingFlows] = kFlowUnit;
    values[kOverTellingFlowsWithGaps] = counts.flows_with_gaps * kFlowUnit;
  }
  over_time.add(record.start_ns, record.end_ns, values);
}

}  // namespace warpmeter::inline analysis
