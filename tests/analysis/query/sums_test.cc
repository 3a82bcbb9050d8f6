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
    else if (column.type() == FieldType::share) EXPECT_EQ(column.share(row), 0.25);
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
  EXPECT_EQ(refusal("port,port"), "--sum: 'port' is there twice");
  EXPECT_NE(test::thrown_text([] { Sums(parse_sum_keys("port"), "dst_port"); }).find("--sort: 'dst_port' is no column"),
            std::string::npos);
}

}  // namespace
}  // namespace warpmeter
