// --having: which sums meet it, and what it says to what is none.
#include "analysis/query/filter.h"

#include <gtest/gtest.h>

#include "analysis/query/flow_of.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::flow_between;

FlowRecord record(const char* source, std::uint16_t port, std::uint64_t segments, std::uint64_t retransmitted,
                  std::uint8_t protocol = kProtocolTcp) {
  FlowRecord r = flow_between(source, "10.9.9.9", 1000, port, protocol).forward;
  r.packets = segments;
  r.bytes = 100 * segments;
  r.data_segments = segments;
  r.retransmitted_segments = retransmitted;
  r.tcp_flags = 2;
  return r;
}

const std::vector<FlowRecord>& having_flows() {
  static const std::vector<FlowRecord> records = {
      record("10.0.0.1", 443, 60, 20), record("10.0.0.1", 80, 29, 7), record("10.0.0.2", 443, 3, 2),
      record("10.0.1.3", 53, 7, 0, kProtocolUdp), record("2001:db8::1", 443, 1000, 10)};
  return records;
}

// The groups that meet it, in the order of the keys.
std::vector<std::uint64_t> packets(const std::string& keys, const std::string& having) {
  const std::vector<SumKey> parsed = parse_sum_keys(keys);
  const SumFilter filter(having, parsed);
  Sums sums(parsed, parsed.front().name() + ":asc", kSortOption, filter.columns());
  for (const FlowRecord& r : having_flows()) sums.add(r);
  std::vector<std::uint64_t> found;
  for (const SumRow* row : sums.sorted(0, [&](const SumRow& row) { return filter.matches(row); })) {
    found.push_back(static_cast<std::uint64_t>(row->sums[column_number("packets")]));
  }
  return found;
}

using Found = std::vector<std::uint64_t>;

// No single flow has 89 segments, and the shares of the two flows are others.
TEST(SumFilter, TestsTheSumsAndNotTheFlows) {
  EXPECT_EQ(packets("src_addr", "data_segments = 89"), Found{89});
  EXPECT_EQ(packets("src_addr", "retransmission_share > 30% and retransmission_share < 31%"), Found{89});
  EXPECT_EQ(packets("src_addr", "flows >= 2"), Found{89});
  EXPECT_EQ(packets("src_addr", "packets > 1K or packets = 1000"), Found{1000});
  EXPECT_EQ(packets("src_addr", "not (flows = 1)"), Found{89});
}

TEST(SumFilter, KnowsTheKeys) {
  EXPECT_EQ(packets("src_addr", "src_addr in 10.0.0.0/24"), (Found{89, 3}));
  EXPECT_EQ(packets("src_addr", "src_addr != 10.0.0.1"), (Found{3, 7, 1000}));
  EXPECT_EQ(packets("src_addr,protocol", "udp"), Found{7});
  EXPECT_EQ(packets("version", "ip6"), Found{1000});
  EXPECT_EQ(packets("version,protocol", "ipv6"), Found{1000});
  EXPECT_EQ(packets("version,protocol", "ipv4 and udp"), Found{7});
  EXPECT_EQ(packets("port", "port in (80, 53)"), (Found{7, 29}));
  EXPECT_EQ(packets("dst_port", "dst_port = 443 and tcp_flags has S"), Found{1063});
}

TEST(SumFilter, HasTheLanguageOfFilters) {
  EXPECT_EQ(packets("src_addr", "src net 10.0.0.0/24"), (Found{89, 3}));
  EXPECT_EQ(packets("dst_port", "dst port not in (443, 53)"), Found{29});
  EXPECT_EQ(packets("src_addr", "data_segments > retransmitted_segments and flows < packets"), (Found{89, 3, 1000}));
  EXPECT_EQ(packets("src_addr,dst_addr", "src_addr = dst_addr"), Found{});
  EXPECT_EQ(packets("src_addr/8,dst_addr/8", "src_addr = dst_addr"), (Found{99}));
  EXPECT_EQ(packets("src_addr", "last 1h"), Found{});
}

TEST(SumFilter, TestsWhatIsAskedOfFlows) {
  EXPECT_EQ(packets("src_addr", "max_packets = 60"), Found{89});
  EXPECT_EQ(packets("src_addr", "mean_packets = 44.5 and distinct_dst_port = 2"), Found{89});
  EXPECT_EQ(packets("src_addr", "p50_bytes = 2900"), Found{89});
  EXPECT_EQ(packets("src_addr", "share_packets > 90%"), Found{1000});
  EXPECT_EQ(packets("src_addr", "max_packets > min_packets"), Found{89});
  EXPECT_EQ(packets("tcp_flags", "tcp_flags has S"), Found{1092});
}

TEST(SumFilter, PrefixesAreMetByTheAddressesInThem) {
  EXPECT_EQ(packets("src_addr/24", "src_addr/24 = 10.0.0.77"), Found{92});
  EXPECT_EQ(packets("src_addr/24", "src_addr = 10.0.0.77 or src_addr = 2001:db8::1"), (Found{92, 1000}));
  EXPECT_EQ(packets("src_addr/24", "src_addr in 10.0.0.0/8"), (Found{92, 7}));
  EXPECT_EQ(packets("src_addr/24", "src_addr != 10.0.0.77"), (Found{7, 1000}));
}

// What a sum does not have meets nothing, whatever is asked.
TEST(SumFilter, UnknownValuesMeetNothing) {
  EXPECT_EQ(packets("src_addr", "retransmission_share >= 0"), (Found{89, 3, 1000}));
  EXPECT_TRUE(packets("src_addr", "data_segments < 1").empty());
}

std::string why_not(const std::string& keys, const std::string& having) {
  return test::thrown_text([&] { SumFilter(having, parse_sum_keys(keys)); });
}

TEST(SumFilter, SaysWhatIsWrong) {
  const std::string unknown = why_not("src_addr/24", "flows > 1 and pakets > 3");
  EXPECT_TRUE(
      unknown.starts_with("--having 'flows > 1 and pakets > 3': at character 15: 'pakets' is no column of these "
                          "sums; there are src_addr/24, flows, packets, "))
      << unknown;
  EXPECT_TRUE(unknown.ends_with("start_ns, end_ns, bits_per_second, packets_per_second")) << unknown;
  for (const char* none :
       {"dst_addr = 10.0.0.1", "tcp", "ip6", "duration > 1s", "connection_ns > 1", "reverse_bytes > 1"}) {
    EXPECT_TRUE(why_not("src_addr", none).find("is no column of these sums") != std::string::npos) << none;
  }
  EXPECT_TRUE(why_not("src_addr/8,src_addr/16", "src_addr = 10.0.0.1").find("is no column") != std::string::npos);
  EXPECT_TRUE(why_not("src_addr", "src_addr > 10.0.0.1").ends_with("addresses are compared with =, !=, in and not in"));
  EXPECT_TRUE(why_not("src_addr", "bytes has S").ends_with("'has' is for TCP flags"));
  EXPECT_TRUE(why_not("src_addr", "bytes > many").ends_with("'many' is not a number of bytes such as 1500 or 2M"));
  EXPECT_TRUE(why_not("src_addr", "retransmission_share > x%").ends_with("is not a share such as 1.5% or 0.015"));
  EXPECT_TRUE(why_not("src_addr", " ").ends_with("a test such as 'packets > 10' is missing"));
  EXPECT_TRUE(why_not("src_addr", "flows > 1 bytes > 2").ends_with("'bytes' where and, or or the end was expected"));
}

}  // namespace
}  // namespace warpmeter
