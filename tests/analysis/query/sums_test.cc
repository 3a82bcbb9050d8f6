// Sums: of what, by what, in which order.
#include "analysis/query/sums.h"

#include <gtest/gtest.h>

#include <map>

#include "analysis/query/flow_of.h"
#include "support/random_flows.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::flow_between;

FlowRecord record(const char* source, const char* destination, std::uint16_t destination_port, std::uint64_t bytes,
                  std::uint8_t protocol = kProtocolTcp) {
  FlowRecord r = flow_between(source, destination, 1000, destination_port, protocol).forward;
  r.bytes = bytes;
  r.packets = 1;
  return r;
}

std::string text_of(const SumKeyValue& value) {
  if (value.version == 0) return value.number ? std::to_string(*value.number) : "-";
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(value.version == 4 ? AF_INET : AF_INET6, value.address, text, sizeof text);
}

// "KEY KEY: flows bytes" a row
std::vector<std::string> rows(const std::string& keys, const std::vector<FlowRecord>& records,
                              const std::string& order = "bytes", std::size_t most = 0) {
  const std::vector<SumKey> parsed = parse_sum_keys(keys);
  Sums sums(parsed, order);
  for (const FlowRecord& r : records) sums.add(r);
  std::vector<std::string> lines;
  for (const SumRow* row : sums.sorted(most)) {
    std::string line;
    std::size_t at = 0;
    for (const SumKey& key : parsed) (line += line.empty() ? "" : " ") += text_of(key.value(row->group, at));
    EXPECT_EQ(at, row->group.size());
    (line += ": ") += std::to_string(row->flows);
    (line += " ") += std::to_string(row->sums[column_number("bytes")]);
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

const std::vector<FlowRecord>& some() {
  static const std::vector<FlowRecord> records = {
      record("10.0.0.1", "10.0.1.1", 443, 10), record("10.0.0.1", "10.0.0.2", 80, 20),
      record("10.0.0.2", "10.0.0.1", 443, 5, kProtocolUdp), record("2001:db8::1", "2001:db8:1::1", 443, 100)};
  return records;
}

TEST(Sums, ByAddress) {
  EXPECT_EQ(rows("src_addr", some()), (Lines{"2001:db8::1: 1 100", "10.0.0.1: 2 30", "10.0.0.2: 1 5"}));
  EXPECT_EQ(rows("src_addr", some(), "bytes", 1), Lines{"2001:db8::1: 1 100"});
  EXPECT_EQ(rows("src_addr", some(), "src_addr"), (Lines{"10.0.0.1: 2 30", "10.0.0.2: 1 5", "2001:db8::1: 1 100"}));
  EXPECT_EQ(rows("src_addr", some(), "flows:asc"), (Lines{"10.0.0.2: 1 5", "2001:db8::1: 1 100", "10.0.0.1: 2 30"}));
}

TEST(Sums, ByPrefix) {
  EXPECT_EQ(rows("dst_addr/24:32", some()), (Lines{"2001:db8::: 1 100", "10.0.0.0: 2 25", "10.0.1.0: 1 10"}));
  EXPECT_EQ(rows("dst_addr/16", some()), (Lines{"2001:db8:1::1: 1 100", "10.0.0.0: 3 35"}));
  EXPECT_EQ(rows("dst_addr/:16", some(), "bytes", 1), Lines{"2001::: 1 100"});
}

// A flow counts for both of its ends, but once where they are the same.
TEST(Sums, ByEitherEnd) {
  EXPECT_EQ(rows("addr/32", some(), "addr/32"), (Lines{"10.0.0.1: 3 35", "10.0.0.2: 2 25", "10.0.1.1: 1 10",
                                                       "2001:db8::1: 1 100", "2001:db8:1::1: 1 100"}));
  EXPECT_EQ(rows("addr/8:8", some()), (Lines{"2000::: 1 100", "10.0.0.0: 3 35"}));
  EXPECT_EQ(rows("addr,port", {record("10.0.0.1", "10.0.0.2", 80, 7)}, "port"),
            (Lines{"10.0.0.2 80: 1 7", "10.0.0.1 1000: 1 7"}));
}

TEST(Sums, BySeveralKeys) {
  EXPECT_EQ(rows("dst_port,protocol", some()), (Lines{"443 6: 2 110", "80 6: 1 20", "443 17: 1 5"}));
  EXPECT_EQ(rows("version", some()), (Lines{"6: 1 100", "4: 3 35"}));
}

TEST(Sums, ByIntervalsOfTime) {
  std::vector<FlowRecord> records;
  for (const std::int64_t start : {-1LL, 0LL, 59'999'999'999LL, 60'000'000'000LL}) {
    records.push_back(record("10.0.0.1", "10.0.0.2", 80, 1));
    records.back().start_ns = start;
  }
  EXPECT_EQ(rows("start/60s", records, "start/60s"), (Lines{"-60000000000: 1 1", "0: 2 2", "60000000000: 1 1"}));
}

TEST(Sums, UnknownKeysComeLast) {
  std::vector<FlowRecord> records(2, record("10.0.0.1", "10.0.0.2", 80, 1));
  records[0].absent = 1u << column_number("end_reason");
  EXPECT_EQ(rows("end_reason", records, "end_reason:asc"), (Lines{"4: 1 1", "-: 1 1"}));
}

// What no flow of a group has has no sum; what some have is summed.
TEST(Sums, TakeWhatIsKnown) {
  FlowRecord known = record("10.0.0.1", "10.0.0.2", 80, 1), unknown = known;
  known.data_segments = 4;
  known.retransmitted_segments = 1;
  known.tcp_flags = 2;
  unknown.tcp_flags = 16;
  unknown.absent = 1u << column_number("data_segments") | 1u << column_number("missing_bytes");
  known.absent = 1u << column_number("missing_bytes");
  Sums sums(parse_sum_keys("protocol"), "bytes");
  sums.add(known);
  sums.add(unknown);
  const SumRow& row = *sums.sorted(0).front();
  EXPECT_EQ(row.sums[column_number("data_segments")], 4);
  EXPECT_EQ(row.sums[column_number("tcp_flags")], 18);
  for (const SumColumn& column : sum_columns()) {
    if (column.name() == "missing_bytes") EXPECT_FALSE(column.whole(row));
    else if (column.type() == FieldType::share) EXPECT_EQ(column.real(row), 0.25);
    else EXPECT_TRUE(column.whole(row)) << column.name();
  }
}

TEST(Sums, WithoutRoomStayAtTheLargest) {
  std::vector<FlowRecord> records(2, record("10.0.0.1", "10.0.0.2", 80, INT64_MAX));
  EXPECT_EQ(rows("dst_port", records), Lines{"80: 2 9223372036854775807"});
}

TEST(Sums, AgreeWithAMap) {
  test::RandomFlows random(5);
  std::map<std::pair<int, int>, std::pair<std::uint64_t, std::uint64_t>> wanted;
  Sums sums(parse_sum_keys("dst_port,protocol"), "dst_port");
  for (int i = 0; i < 5000; ++i) {
    FlowRecord r = random.next().forward;
    r.packets = static_cast<std::uint64_t>(i);
    r.absent = 0;
    sums.add(r);
    auto& [flows, packets] = wanted[{port_number(r.key.destination_port), r.key.protocol}];
    ++flows;
    packets += r.packets;
  }
  const auto got = sums.sorted(0);
  ASSERT_EQ(got.size(), wanted.size());
  ASSERT_EQ(sums.groups(), wanted.size());
  std::size_t i = 0;
  for (const auto& [key, sum] : wanted) {
    EXPECT_EQ(got[i]->flows, sum.first);
    EXPECT_EQ(static_cast<std::uint64_t>(got[i++]->sums[0]), sum.second);
  }
}

// The same numbers, gathered once more: what a column says of each group.
TEST(Sums, TellOfTheFlowsInThem) {
  std::vector<FlowRecord> records;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    records.push_back(record("10.0.0.1", i % 2 ? "10.0.0.2" : "10.0.0.3", static_cast<std::uint16_t>(i % 7), i));
    records.back().start_ns = 1'000'000'000;
    records.back().end_ns = records.back().start_ns + static_cast<std::int64_t>(i) * 10'000'000;
  }
  std::vector<SumColumn> asked;
  const char* const names[] = {
      "mean_bytes",        "min_bytes",         "max_bytes",         "p50_bytes",       "p95_bytes",
      "p99_bytes",         "p1_bytes",          "mean_packets",      "share_bytes",     "share_flows",
      "max_duration",      "distinct_dst_addr", "distinct_dst_port", "bits_per_second", "distinct_dst_addr/24",
      "packets_per_second"};
  for (const char* name : names) {
    asked.push_back(*SumColumn::of(name));
    EXPECT_EQ(asked.back().name(), name);
  }
  Sums sums(parse_sum_keys("protocol"), "p95_bytes", kSortOption, asked);
  for (const FlowRecord& r : records) sums.add(r);
  const SumRow& row = *sums.sorted(0).front();
  const auto whole = [&](const char* name) { return SumColumn::of(name)->whole(row); };
  const auto real = [&](const char* name) { return SumColumn::of(name)->real(row); };
  EXPECT_EQ(whole("mean_bytes"), 101);  // 100.5
  EXPECT_EQ(whole("min_bytes"), 1);
  EXPECT_EQ(whole("max_bytes"), 200);
  EXPECT_EQ(whole("p50_bytes"), 100);
  EXPECT_EQ(whole("p95_bytes"), 190);
  EXPECT_EQ(whole("p99_bytes"), 198);
  EXPECT_EQ(whole("p1_bytes"), 2);
  EXPECT_EQ(real("mean_packets"), 1.0);
  EXPECT_EQ(whole("max_duration"), 2'000'000'000);
  EXPECT_EQ(whole("distinct_dst_addr"), 2);
  EXPECT_EQ(whole("distinct_dst_addr/24"), 1);
  EXPECT_EQ(whole("distinct_dst_port"), 7);
  EXPECT_EQ(real("share_bytes"), 1.0);
  EXPECT_EQ(real("bits_per_second"), 201 * 100 * 8 / 2.0);
  EXPECT_EQ(real("packets_per_second"), 100.0);
}

// Of both ends each flow is in two sums; the whole has it once.
TEST(Sums, SharesAreOfTheWhole) {
  Sums sums(parse_sum_keys("addr"), "share_bytes", kSortOption, {*SumColumn::of("share_bytes")});
  for (const FlowRecord& r : some()) sums.add(r);
  std::vector<double> shares;
  for (const SumRow* row : sums.sorted(0)) shares.push_back(*SumColumn::of("share_bytes")->real(*row));
  EXPECT_EQ(shares, (std::vector<double>{100. / 135, 100. / 135, 35. / 135, 25. / 135, 10. / 135}));
}

TEST(Sums, HandshakesAreOfTheForwardDirection) {
  Biflow flow = flow_between("10.0.0.1", "10.0.0.2", 1000, 80);
  flow.has_reverse = flow.of_biflows = true;
  flow.reverse = flow.forward;
  flow.reverse.key = test::reversed(flow.forward.key);
  flow.forward.syn_count = flow.reverse.syn_count = 1;
  flow.reverse.start_ns = 5'000'000;
  const SumColumn longest = *SumColumn::of("max_handshake_ns");
  Sums sums(parse_sum_keys("dst_addr"), "dst_addr:desc", kSortOption, {longest});
  sums.add(flow);
  const auto rows = sums.sorted(0);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(longest.whole(*rows[0]), 5'000'000);
  EXPECT_EQ(longest.whole(*rows[1]), std::nullopt);
}

TEST(Sums, WhatIsNoColumn) {
  for (const char* name : {"mean_", "p0_bytes", "p100_bytes", "p05_bytes", "p5bytes", "p_bytes", "mean_tcp_flags",
                           "max_end_reason", "share_duration", "distinct_addr", "distinct_bytes",
                           "distinct_src_addr/99", "mean_reverse_bytes", "duration", "x", ""}) {
    EXPECT_FALSE(SumColumn::of(name)) << name;
  }
}

// A flow from 5 s to 25 s, in intervals of 10 s: a quarter, a half, a quarter.
TEST(Sums, SpreadOverIntervals) {
  FlowRecord r = record("10.0.0.1", "10.0.0.2", 80, 101);
  r.packets = 8;
  r.start_ns = 5'000'000'000;
  r.end_ns = 25'000'000'000;
  EXPECT_EQ(rows("time/10s", {r}, "time"), (Lines{"0: 1 25", "10000000000: 1 51", "20000000000: 1 25"}));
  EXPECT_EQ(rows("time/10s,dst_port", {r, r}, "time/10s"),
            (Lines{"0 80: 2 51", "10000000000 80: 2 101", "20000000000 80: 2 50"}));
  EXPECT_EQ(rows("time/1m", {r}), Lines{"0: 1 101"});
  r.start_ns = -5'000'000'000;
  r.end_ns = 5'000'000'000;
  EXPECT_EQ(rows("time/10s", {r}, "time"), (Lines{"-10000000000: 1 51", "0: 1 50"}));
  r.end_ns = r.start_ns;
  EXPECT_EQ(rows("time/10s", {r}), Lines{"-10000000000: 1 101"});
}

// Whatever the flows, all intervals of a group together have what the flows have.
TEST(Sums, LoseNothingWhereTheySpread) {
  test::RandomFlows random(9);
  std::map<int, std::uint64_t> wanted, got;
  Sums sums(parse_sum_keys("protocol,time/7ms"), "time/7ms");
  for (int i = 0; i < 300; ++i) {
    FlowRecord r = random.next().forward;
    r.bytes = static_cast<std::uint64_t>(i) * 37;
    r.start_ns = i * 1'234'567LL;
    r.end_ns = r.start_ns + (i % 50) * 1'111'111LL;
    r.absent = 0;
    sums.add(r);
    wanted[r.key.protocol] += r.bytes;
  }
  const std::vector<SumKey> keys = parse_sum_keys("protocol");
  for (const SumRow* row : sums.sorted(0)) {
    std::size_t at = 0;
    got[static_cast<int>(*keys[0].value(row->group, at).number)] +=
        static_cast<std::uint64_t>(row->sums[column_number("bytes")]);
  }
  EXPECT_EQ(got, wanted);
  EXPECT_GT(sums.groups(), 3 * wanted.size());
}

TEST(Sums, SpreadNoFlowOverMoreThanThereIsRoomFor) {
  FlowRecord r = record("10.0.0.1", "10.0.0.2", 80, 101);
  r.start_ns = INT64_MIN;
  r.end_ns = INT64_MAX;
  Sums sums(parse_sum_keys("time/1ms"), "bytes");
  EXPECT_EQ(
      test::thrown_text([&] { sums.add(r); }),
      "--sum: 'time/1ms': a flow of 106751 d 23 h has 18446744073710 such intervals; longer ones, or -f 'duration < "
      "1d', help");
}

TEST(Sums, TheFirstOfEach) {
  const auto first = [](const std::string& per, std::size_t most) {
    Sums sums(parse_sum_keys("protocol,dst_port"), "bytes");
    for (const FlowRecord& r : some()) sums.add(r);
    std::vector<std::int64_t> bytes;
    for (const SumRow* row : sums.sorted(most, {}, per)) bytes.push_back(row->sums[column_number("bytes")]);
    return bytes;
  };
  EXPECT_EQ(first("protocol", 1), (std::vector<std::int64_t>{110, 5}));
  EXPECT_EQ(first("dst_port", 1), (std::vector<std::int64_t>{20, 110}));
  EXPECT_EQ(first("protocol", 2), (std::vector<std::int64_t>{110, 20, 5}));
  EXPECT_EQ(test::thrown_text([&] { first("src_port", 1); }),
            "--top N per KEY: 'src_port' is none of the keys of --sum");
}

TEST(Sums, RefuseWhatIsNoKey) {
  const auto refusal = [](const char* text) { return test::thrown_text([&] { parse_sum_keys(text); }); };
  for (const char* text : {"", "bytes", "duration", "source", "reverse_start/60s", "src_addr,", "x/8"}) {
    EXPECT_NE(refusal(text).find("is no key; there are src_addr, dst_addr, addr"), std::string::npos) << text;
  }
  for (const char* text : {"src_addr/33", "src_addr/", "src_addr/24:129", "src_addr/24:", "src_addr/x", "addr/:"}) {
    EXPECT_NE(refusal(text).find("behind the '/' stand the bits"), std::string::npos) << text;
  }
  EXPECT_EQ(refusal("dst_port/8"), "--sum: 'dst_port/8': only addresses and times have a '/'");
  EXPECT_EQ(refusal("start"), "--sum: 'start' needs the length of the intervals, such as start/60s");
  EXPECT_EQ(refusal("start/0s"), "--sum: 'start/0s': how long is that? Such as 60s");
  EXPECT_EQ(refusal("time"), "--sum: 'time' needs the length of the intervals, such as time/60s");
  EXPECT_EQ(refusal("time/1s,time/1m"), "--sum: time/TIME is there twice");
  EXPECT_EQ(refusal("port,port"), "--sum: 'port' is there twice");
  EXPECT_NE(test::thrown_text([] { Sums(parse_sum_keys("port"), "dst_port"); }).find("--sort: 'dst_port' is no column"),
            std::string::npos);
}

}  // namespace
}  // namespace warpmeter
