// What is added up from Flow Records, against sums made another way.
#include "analysis/page/report_data.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include <map>
#include <random>

#include "support/report_flows.h"

namespace warpmeter {
namespace {

using test::flow_between;

FlowRecord random_flow(std::mt19937_64& random) {
  FlowRecord r = flow_between(static_cast<int>(random() % 40), static_cast<int>(random() % 40),
                              random() % 4 ? kProtocolTcp : kProtocolUdp, static_cast<int>(random() % 5 + 80));
  for (std::uint64_t* counter = &r.packets; counter <= &r.stray_segments; ++counter) *counter = random() % 1000;
  r.packets += 1;
  r.start_ns += static_cast<std::int64_t>(random() % 100'000'000'000);
  r.end_ns = r.start_ns + static_cast<std::int64_t>(random() % 10'000'000'000);
  r.end_reason = static_cast<EndReason>(random() % 5 + 1);
  if (random() % 8 == 0) r.absent = test::without("retransmitted_segments");
  return r;
}

TEST(ReportData, AddsUpWhatColumnsSay) {
  std::mt19937_64 random(11);
  ReportData data;
  std::map<std::string, std::uint64_t> sums;
  std::map<int, std::uint64_t> retransmitted_of_port, flows_ended;
  std::uint64_t tcp = 0, telling = 0;
  for (int i = 0; i < 5000; ++i) {
    const FlowRecord r = random_flow(random);
    data.add(r);
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      sums[std::string(kColumns[c].name)] += static_cast<std::uint64_t>(column_value(c, r, r.absent).value_or(0));
    }
    tcp += r.key.protocol == kProtocolTcp;
    telling += r.key.protocol == kProtocolTcp && r.data_segments >= kTellingSegments;
    retransmitted_of_port[port_number(r.key.destination_port)] +=
        static_cast<std::uint64_t>(column_value(column_number("retransmitted_segments"), r, r.absent).value_or(0));
    ++flows_ended[static_cast<int>(r.end_reason)];
  }
  EXPECT_EQ(data.totals.flows, 5000u);
  EXPECT_EQ(data.tcp_flows, tcp);
  EXPECT_EQ(data.totals.packets, sums["packets"]);
  EXPECT_EQ(data.totals.bytes, sums["bytes"]);
  EXPECT_EQ(data.totals.payload_bytes, sums["payload_bytes"]);
  EXPECT_EQ(data.totals.data_segments, sums["data_segments"]);
  EXPECT_EQ(data.totals.retransmitted_segments, sums["retransmitted_segments"]);
  EXPECT_EQ(data.totals.duplicate_packets, sums["duplicate_packets"]);
  EXPECT_EQ(data.totals.missing_bytes, sums["missing_bytes"]);
  EXPECT_EQ(data.totals.zero_windows, sums["zero_window_count"]);
  EXPECT_EQ(data.totals.stray_segments, sums["stray_segments"]);

  const auto any = [](const Counts&) { return true; };
  const auto flows = [](const Counts& c) { return c.flows; };
  for (const auto& [port, c] : data.server_ports.top(100, any, flows)) {
    EXPECT_EQ(c.retransmitted_segments, retransmitted_of_port[port[0] << 8 | port[1]]);
  }
  for (const auto& [reason, count] : flows_ended) EXPECT_EQ(data.end_reasons[reason].flows, count);

  // Every way of splitting has the same sum.
  Counts by_host, by_pair, by_size, by_protocol;
  for (const auto& [_, c] : data.hosts.top(10000, any, flows)) by_host.add(c);
  for (const auto& [_, c] : data.pairs.top(10000, any, flows)) by_pair.add(c);
  for (const Counts& c : data.sizes) by_size.add(c);
  for (const Counts& c : data.protocols) by_protocol.add(c);
  EXPECT_EQ(by_host, data.totals);
  EXPECT_EQ(by_pair, data.totals);
  EXPECT_EQ(by_size, data.totals);
  EXPECT_EQ(by_protocol, data.totals);
  EXPECT_EQ(data.over_time.total(kOverBytes), data.totals.bytes);
  EXPECT_EQ(data.over_time.total(kOverPackets), data.totals.packets);
  EXPECT_EQ(data.over_time.total(kOverDataSegments), data.totals.data_segments);
  EXPECT_EQ(data.over_time.total(kOverRetransmitted), data.totals.retransmitted_segments);
  EXPECT_EQ(data.over_time.total(kOverMissing), data.totals.missing_bytes);
  EXPECT_EQ(data.over_time.total(kOverTellingFlows), telling * kFlowUnit);
}

TEST(ReportData, AddsBothDirectionsOfABiflow) {
  ReportData data;
  Biflow biflow{.forward = flow_between(1, 2), .reverse = flow_between(2, 1), .has_reverse = true};
  biflow.reverse.end_ns += 5;
  data.add(biflow);
  biflow.has_reverse = false;
  data.add(biflow);
  EXPECT_EQ(data.totals.flows, 3u);
  EXPECT_EQ(data.hosts.size(), 2u);
  EXPECT_EQ(data.first_ns, test::kNoon);
  EXPECT_EQ(data.last_ns, test::kNoon + test::kSecondNs + 5);
}

TEST(ReportData, TakesTheLowerPortForTheServers) {
  ReportData data;
  FlowRecord reply = flow_between(1, 2);
  std::swap(reply.key.source_port, reply.key.destination_port);
  data.add(flow_between(2, 1));
  data.add(reply);
  data.add(flow_between(2, 1, kProtocolUdp, 53));
  const auto ports = data.server_ports.top(
      9, [](const Counts&) { return true; }, [](const Counts& c) { return c.flows; });
  ASSERT_EQ(ports.size(), 1u);
  EXPECT_EQ(ports[0].first, (PortKey{443 >> 8, 443 & 255}));
  EXPECT_EQ(ports[0].second.flows, 2u);
}

TEST(ReportData, SortsFlowsByTheirShareOfDuplicates) {
  const auto bin_of = [](std::uint64_t packets, std::uint64_t duplicates) {
    ReportData data;
    FlowRecord flow = flow_between(1, 2);
    flow.packets = packets;
    flow.duplicate_packets = duplicates;
    data.add(flow);
    for (std::size_t i = 0; i < data.duplicate_shares.size(); ++i) {
      if (data.duplicate_shares[i].flows) return static_cast<int>(i);
    }
    return -1;
  };
  EXPECT_EQ(bin_of(1000, 0), -1);
  EXPECT_EQ(bin_of(1000, 10), 0);
  EXPECT_EQ(bin_of(1000, 11), 1);
  EXPECT_EQ(bin_of(1000, 300), 2);
  EXPECT_EQ(bin_of(1000, 450), 3);
  EXPECT_EQ(bin_of(1000, 500), 4);
  EXPECT_EQ(bin_of(1000, 667), 5);
  EXPECT_EQ(bin_of(2, 1), 3);  // too short to say that it came twice as a whole
}

TEST(ReportData, KnowsWhatWasNotMeasured) {
  ReportData data;
  FlowRecord flow = flow_between(1, 2);
  flow.absent = test::without("missing_bytes") | test::without("duplicate_packets");
  data.add(flow);
  flow = flow_between(1, 2, kProtocolUdp);
  flow.absent = test::without("missing_bytes");  // which UDP has not anyway
  data.add(flow);
  EXPECT_FALSE(data.coverage.measured("missing_bytes"));
  EXPECT_TRUE(data.coverage.measured("duplicate_packets"));
  EXPECT_EQ(data.coverage.known("duplicate_packets"), 1u);
  EXPECT_EQ(data.coverage.asked("duplicate_packets"), 2u);
  EXPECT_EQ(data.coverage.asked("missing_bytes"), 1u);
  EXPECT_TRUE(data.coverage.measured("retransmitted_segments"));
}

// The number that a column of that name has in all files.
std::uint32_t noted_as(std::string_view name) { return *AnnotationNames::of_process().number(name); }

TEST(ReportData, CountsAFlowForEachOfItsLabelsAndForTheFirstTextOfAField) {
  const std::uint32_t labels = noted_as("labels"), host = noted_as("host"), other = noted_as("alpn");
  Annotations noted;
  for (const auto& [column, text] : {std::pair{labels, "tls"},
                                     {other, "h2"},
                                     {labels, "web"},
                                     {labels, "tls"},
                                     {host, "a.example"},
                                     {host, "b.example"}}) {
    noted.add({0, column, text});
  }
  ReportData data;
  Biflow flow;
  flow.forward = flow_between(1, 2);
  flow.reverse = flow_between(2, 1);
  flow.has_reverse = true;
  data.add(flow, noted);
  data.add(flow_between(1, 2));
  const WhatRuns& runs = data.what_runs;
  EXPECT_EQ(runs.labelled.flows, 2u);
  ASSERT_EQ(runs.labels.size(), 2u);
  ASSERT_EQ(runs.columns.size(), 2u);
  const auto all = [](const Counts&) { return true; };
  for (const auto& [label, counts] : runs.labels.top(9, all, by_missing_bytes)) EXPECT_EQ(counts.flows, 2u) << label;
  EXPECT_TRUE(runs.is_host(runs.columns[1]));
  const auto hosts = runs.columns[1].texts.top(9, all, by_missing_bytes);
  ASSERT_EQ(hosts.size(), 1u);
  EXPECT_EQ(hosts[0].first, "a.example");
  EXPECT_EQ(hosts[0].second.bytes, 10'000u);
}

TEST(ReportData, KeepsABoundedNumberOfLabelsTextsAndColumnsButAlwaysHost) {
  const std::uint32_t labels = noted_as("labels"), host = noted_as("host");
  ReportData data;
  for (std::size_t i = 0; i < 2 * WhatRuns::kMostTexts; ++i) {
    const std::string text = std::to_string(i);
    Annotations noted;
    noted.add({0, labels, text});
    noted.add({0, noted_as("field" + std::to_string(i % 12)), text});
    noted.add({0, i < 12 ? labels : host, text});
    data.add(flow_between(1, 2), noted);
  }
  const WhatRuns& runs = data.what_runs;
  EXPECT_LE(runs.labels.size(), WhatRuns::kMostLabels);
  EXPECT_TRUE(runs.labels.forgot());
  EXPECT_TRUE(runs.left_out);
  ASSERT_EQ(runs.columns.size(), WhatRuns::kMostColumns + 1);
  EXPECT_TRUE(runs.is_host(runs.columns.back()));
  EXPECT_LE(runs.columns.back().texts.size(), WhatRuns::kMostTexts);
}

}  // namespace
}  // namespace warpmeter
