// Filters: what they mean, one by one, and where they are wrong.
#include "analysis/query/filter.h"

#include <gtest/gtest.h>

#include <chrono>

#include "analysis/query/flow_of.h"
#include "analysis/query/literal.h"
#include "support/thrown_text.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

// 10.1.2.3:40000 to 10.0.0.9:443, TCP, and its reverse direction.
Biflow flow() {
  Biflow flow = test::flow_between("10.1.2.3", "10.0.0.9", 40000, 443);
  FlowRecord& r = flow.forward;
  r.start_ns = 1'700'000'000'000'000'000;  // 2023-11-14T22:13:20
  r.end_ns = r.start_ns + 2'500'000'000;
  r.packets = 1500;
  r.bytes = 2'000'000;
  r.data_segments = 200;
  r.retransmitted_segments = 3;
  r.tcp_flags = 0x1b;  // FSPA
  r.end_reason = EndReason::idle;
  r.absent = 1u << column_number("missing_bytes");
  test::set_number(r.key.vlan, 12);
  flow.has_reverse = true;
  flow.reverse = r;
  flow.reverse.key = test::reversed(r.key);
  flow.reverse.packets = 7;
  flow.forward.syn_count = flow.reverse.syn_count = 1;
  flow.reverse.start_ns += 30'000'000;
  flow.reverse.end_ns += 30'000'000;
  flow.of_biflows = true;
  return flow;
}

class Meets : public testing::TestWithParam<const char*> {};
class Misses : public testing::TestWithParam<const char*> {};

TEST_P(Meets, Flow) { EXPECT_TRUE(Filter(GetParam()).matches(flow())); }
TEST_P(Misses, Flow) { EXPECT_FALSE(Filter(GetParam()).matches(flow())); }

INSTANTIATE_TEST_SUITE_P(
    Filters, Meets,
    testing::Values("packets = 1500", "packets == 1.5K", "packets 1500", "packets != 1", "packets>1499",
                    "packets<=1.5k", "bytes >= 2MB", "bytes < 2M", "end_reason = idle-timeout", "src_addr = 10.1.2.3",
                    "src_addr in 10.0.0.0/8", "src_addr 10.1.0.0/16", "dst_addr != 10.0.0.8", "addr 10.0.0.9",
                    "addr 10.1.2.3", "net 10.0.0.0/24", "port 443", "port 40000", "port > 30000", "port != 80",
                    "dst_port in (80, 443)", "addr in (1.1.1.1,10.0.0.9)", "proto tcp", "protocol = 6", "tcp", "ip",
                    "ip4", "not udp", "! udp", "!udp", "version = 4", "duration > 2s", "duration = 2.5",
                    "duration_ns = 2500000000", "duration_ns > 2s", "duration_us = 2500000", "duration_us = 2.5s",
                    "reverse_duration_ns = 2500000000", "reverse_duration_us < 2500001", "ipv4", "not ipv6",
                    "port <= 65535", "proto != 255", "start > 0", "start > -5", "start > 1970-01-01T00:00:01",
                    "end_ns > 31536000000000000", "duration <= 2500ms", "retransmission_share > 1%",
                    "retransmission_share = 0.015", "tcp_flags has SF", "tcp_flags = FSPA", "tcp_flags = 27",
                    "tcp_flags has s", "end_reason = idle", "end_reason 1", "end_reason in (idle, active)",
                    "start >= 2023-11-14T22:13:20", "start_ns = 1700000000000000000", "end < 2023-11-14T22:13:22.6Z",
                    "vlan_id = 12", "reverse_packets = 7", "reverse_duration > 1", "tcp and port 443",
                    "tcp && port 443", "handshake = 30ms", "handshake_ns < 31000000", "handshake_us = 30000",
                    "not unanswered", "tcp and not unanswered", "udp or port 443", "udp || tcp", "NOT udp AND tcp",
                    // As for tcpdump and nfdump.
                    "host 10.0.0.9", "host = 10.1.2.3", "host in (1.1.1.1, 10.0.0.9)", "ip 10.0.0.9",
                    "ip in 10.0.0.0/8", "src ip 10.1.2.3", "src host 10.1.2.3", "src net 10.1.0.0/16", "src 10.1.2.3",
                    "dst 10.0.0.9", "dst addr 10.0.0.9", "dst ip in (10.0.0.8, 10.0.0.9)", "src port 40000",
                    "dst port in (80, 443)", "dst port > 442", "src or dst port 443", "dst or src net 10.0.0.0/24",
                    "src or dst 10.0.0.9", "src net 10.0.0.0/8 and dst port 443", "(src net 10.1.0.0/16)",
                    "not src net 10.0.0.0/24", "dst port not in (80, 8080)", "src net not in 10.0.0.0/24",
                    "packets not in (1, 2)", "proto not in (udp, icmp)", "NOT port NOT IN (443)",
                    // Of columns.
                    "packets > data_segments", "data_segments < packets", "src_port != dst_port", "dst_port = dst port",
                    "src port > dst port", "src_addr != dst_addr", "start < end", "end >= start_ns",
                    "reverse_packets < packets", "handshake < duration", "packets >= packets",
                    "retransmission_share = reverse_retransmission_share", "end_reason = reverse_end_reason",
                    // Times with a blank.
                    "start >= '2023-11-14 22:13:20'", "start = \"2023-11-14 22:13:20Z\"",
                    "end in ('2023-11-14 22:13:22.5', '2023-11-14')"));

INSTANTIATE_TEST_SUITE_P(Filters, Misses,
                         testing::Values("packets = 1", "packets > 1500", "src_addr in 10.0.0.0/24",
                                         "dst_addr != 10.0.0.9", "addr != 10.1.2.3", "port != 443", "port 80", "udp",
                                         "ip6", "duration > 2500ms", "tcp_flags has R", "tcp_flags = SA",
                                         "dst_port in (80, 8080)", "end_reason = active", "tcp and udp",
                                         "not (tcp or udp)", "start < 2023-11-14T22:13:20",
                                         // Not known, or not there: not met, whatever is asked.
                                         "missing_bytes = 0", "missing_bytes != 0", "missing_bytes >= 0",
                                         "connection_ns >= 0", "connection_ns < 1s",
                                         // Plain numbers are what the name says.
                                         "duration_ns < 2500", "duration > 2500", "connection_us >= 0", "ipv6",
                                         "host 10.0.0.8", "src host 10.0.0.9", "dst net 10.1.0.0/16", "src port 443",
                                         "src or dst port 80", "port not in (80, 443)", "addr not in 10.1.0.0/16",
                                         "packets < data_segments", "src_addr = dst_addr", "src_port < dst_port",
                                         "start > end", "missing_bytes <= bytes", "missing_bytes not in (1, 2)",
                                         "connection_bytes != bytes", "start > '2023-11-14 22:13:20'"));

// and binds more tightly than or; not more tightly than both.
TEST(Filter, Precedence) {
  EXPECT_TRUE(Filter("tcp or udp and packets = 0").matches(flow()));
  EXPECT_FALSE(Filter("(tcp or udp) and packets = 0").matches(flow()));
  EXPECT_FALSE(Filter("not tcp or udp").matches(flow()));
  EXPECT_TRUE(Filter("not udp and tcp").matches(flow()));
  EXPECT_TRUE(Filter("not not tcp").matches(flow()));
}

TEST(Filter, WithoutReverseNothingOfItIsMet) {
  Biflow one_way = flow();
  one_way.has_reverse = false;
  EXPECT_FALSE(Filter("reverse_packets >= 0").matches(one_way));
  EXPECT_TRUE(Filter("not reverse_packets >= 0").matches(one_way));
}

TEST(Filter, BiflowsAloneTellWhoWasAnswered) {
  Biflow alone = flow();
  alone.has_reverse = false;
  EXPECT_TRUE(Filter("unanswered").matches(alone));
  EXPECT_FALSE(Filter("handshake >= 0").matches(alone));
  alone.of_biflows = false;
  EXPECT_FALSE(Filter("unanswered").matches(alone)) << "nobody knows";
  EXPECT_TRUE(Filter("not unanswered").matches(alone));
  EXPECT_TRUE(Filter("udp or not (tcp and unanswered)").is_of_biflows());
  EXPECT_TRUE(Filter("reverse_packets = 0").is_of_biflows());
  EXPECT_FALSE(Filter("udp or not (tcp and packets > 1)").is_of_biflows());
  EXPECT_TRUE(Filter("udp or not vlan_id = 7").asks_for(Field::Kind::vlan));
  EXPECT_FALSE(Filter("udp or not packets = 7").asks_for(Field::Kind::vlan));
}

TEST(Filter, HandshakesOfSynsSeenOnce) {
  Biflow twice = flow();
  twice.forward.syn_count = 2;
  EXPECT_FALSE(Filter("handshake >= 0").matches(twice)) << "which of them was answered?";
  Biflow early = flow();
  early.reverse.start_ns = early.forward.start_ns - 1;
  EXPECT_FALSE(Filter("handshake >= 0 or handshake < 0").matches(early)) << "time ran back";
  Biflow unknown = flow();
  unknown.reverse.absent = 1u << column_number("syn_count");
  EXPECT_FALSE(Filter("handshake >= 0").matches(unknown));
}

// Flows that ended since then, by the clock.
TEST(Filter, LastTime) {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  Biflow recent = flow();
  recent.forward.end_ns = now - 1'800'000'000'000;  // half an hour ago
  EXPECT_TRUE(Filter("last 1h").matches(recent));
  EXPECT_TRUE(Filter("tcp and last 3600 and port 443").matches(recent));
  EXPECT_FALSE(Filter("last 10m").matches(recent));
  EXPECT_TRUE(Filter("not last 10m").matches(recent));
  EXPECT_FALSE(Filter("last 1d").matches(flow()));
  EXPECT_TRUE(Filter("udp or last 1d").counts_from_now());
  EXPECT_FALSE(Filter("end > 2023-11-14").counts_from_now());
}

// "host" before an address means one, else the column that files of --policy have.
TEST(Filter, HostIsAColumnToo) {
  const Filter filter("host = 'www.example.org'", "filter", OtherNames::doubt);
  ASSERT_EQ(filter.doubts().size(), 1u);
  EXPECT_EQ(filter.doubts()[0].name, "host");
  EXPECT_EQ(filter.doubts()[0].message,
            "filter 'host = 'www.example.org'': at character 1: 'host' stands before an address or a prefix such as "
            "10.0.0.0/8, and there is no column of that name");
  EXPECT_TRUE(Filter("host 10.0.0.9 and src 10.0.0.0/8", "filter", OtherNames::doubt).doubts().empty());
  EXPECT_EQ(Filter("host = \"10.0.0.9\"", "filter", OtherNames::doubt).doubts().size(), 1u);
}

TEST(Filter, AsksForBothOfTwoColumns) {
  EXPECT_TRUE(Filter("packets > reverse_packets").is_of_biflows());
  EXPECT_TRUE(Filter("packets > vlan_id").asks_for(Field::Kind::vlan));
}

// The baseline of the published definition, and its other direction.
TEST(Filter, CommunityId) {
  const Biflow one = test::flow_between("128.232.110.120", "66.35.250.204", 34855, 80),
               other = test::flow_between("66.35.250.204", "128.232.110.120", 80, 34855);
  for (const Biflow& flow : {one, other}) {
    EXPECT_TRUE(Filter("community_id = \"1:LQU9qZlK+B5F3KDmev6m5PMibrg=\"").matches(flow));
    EXPECT_FALSE(Filter("community_id != \"1:LQU9qZlK+B5F3KDmev6m5PMibrg=\"").matches(flow));
    EXPECT_FALSE(Filter("community_id = 1").matches(flow));
  }
}

TEST(Filter, TcpColumnsDoNotApplyToOthers) {
  const Biflow udp = test::flow_between("10.0.0.1", "10.0.0.2", 53, 53, kProtocolUdp);
  EXPECT_FALSE(Filter("retransmitted_segments = 0").matches(udp));
  EXPECT_FALSE(Filter("tcp_flags = 0").matches(udp));
  EXPECT_FALSE(Filter("retransmission_share = 0").matches(udp));
}

TEST(Filter, ShareNeedsDataSegments) {
  EXPECT_FALSE(Filter("retransmission_share >= 0").matches(test::flow_between("10.0.0.1", "10.0.0.2")));
}

TEST(Filter, Ip6) {
  const Biflow six = test::flow_between("2001:db8::1", "2001:db8::2", 1, 2);
  EXPECT_TRUE(Filter("ip6 and src_addr 2001:db8::/32 and addr ::/0").matches(six));
  EXPECT_TRUE(Filter("ipv6").matches(six));
  EXPECT_FALSE(Filter("ipv4").matches(six));
  EXPECT_FALSE(Filter("addr 0.0.0.0/0").matches(six));
}

TEST(Filter, PlainNumbersAreWhatTheNameSays) {
  Biflow f = flow();
  f.forward.flags = kHasConnection;
  f.forward.connection_ns = 1500;
  for (const char* text : {"connection_ns = 1500", "connection_us = 1.5", "connection_us < 2", "connection_ns = 1.5us",
                           "connection_us = 1500ns"}) {
    EXPECT_TRUE(Filter(text).matches(f)) << text;
  }
  EXPECT_FALSE(Filter("connection_us > 1500").matches(f));
}

// The protocol that carries IPv6 in IPv4 is not the version.
TEST(Filter, Protocol41) {
  const Biflow tunnel = test::flow_between("10.0.0.1", "10.0.0.2", 0, 0, 41);
  for (const char* text : {"6in4", "proto 41", "proto = 6in4", "protocol ipv6", "ipv4"}) {
    EXPECT_TRUE(Filter(text).matches(tunnel)) << text;
  }
  EXPECT_FALSE(Filter("ipv6").matches(tunnel));
  EXPECT_EQ(protocol_name(41), "6in4");  // what tables say is what filters take
}

constexpr const char* kNotOfOurDays =
    " is not a time of our days, as plain numbers are nanoseconds since 1970 (19 digits): write a date such as "
    "2020-01-01, or start_ns, end_ns if you mean it";

// Years, and seconds, milliseconds and microseconds since 1970; unless the name says that they are nanoseconds.
TEST(Filter, TimesInOtherUnitsAreRefused) {
  for (const char* number : {"1", "2020", "1700000000", "1700000000000", "1700000000000000"}) {
    EXPECT_EQ(test::thrown_text([&] { Filter{"end > " + std::string(number)}; }),
              "filter 'end > " + std::string(number) + "': at character 7: '" + number + "'" + kNotOfOurDays);
  }
}

TEST(Filter, NanosecondsThatAreNamedAreTakenAsGiven) {
  Biflow flow = test::flow_between("10.0.0.1", "10.0.0.2", 1, 2, 6);
  flow.forward.start_ns = 1'000'000'000;
  EXPECT_TRUE(Filter("start_ns = 1000000000").matches(flow));
  EXPECT_FALSE(Filter("start_ns > 1000000000").matches(flow));
  EXPECT_TRUE(Filter("start_ns in (1, 1000000000)").matches(flow));
}

struct Wrong {
  const char* text;
  const char* message;
};

class WrongFilter : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFilter, SaysWhereAndWhy) {
  const std::string text = GetParam().text;
  const auto parse = [&] { Filter{text}; };
  EXPECT_EQ(test::thrown_text(parse), "filter '" + text + "': " + GetParam().message);
  try {
    parse();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, WrongFilter,
    testing::Values(
        Wrong{"", "at character 1: a test such as 'packets > 10' is missing"},
        Wrong{"tcp and", "at character 8: a test such as 'packets > 10' is missing"},
        Wrong{"(tcp", "at character 5: ')' is missing"}, Wrong{"(tcp udp", "at character 6: ')' was expected"},
        Wrong{"tcp)", "at character 4: ')' where and, or or the end was expected"},
        Wrong{"tcp udp", "at character 5: 'udp' where and, or or the end was expected"},
        Wrong{"and tcp", "at character 1: 'and' where a column's name was expected"},
        Wrong{"pakets > 1", "at character 1: 'pakets' is no column (near: packets)"},
        Wrong{"tcp and src_prot = 1", "at character 9: 'src_prot' is no column (near: src_port)"},
        Wrong{"reverse_byts > 1", "at character 1: 'reverse_byts' is no column (near: reverse_bytes)"},
        Wrong{"reverse_src_port = 1", "at character 1: 'reverse_src_port' is no column (see show --help)"},
        Wrong{"HOST 10.0.0.1", "at character 1: 'HOST' is no column (near: host)"},
        Wrong{"host www", "at character 6: 'www' is not an address or a prefix such as 10.0.0.0/8"},
        Wrong{"tcp and src net", "at character 16: a value for src_addr is missing"},
        Wrong{"dst port http", "at character 10: 'http' is not a port, from 0 to 65535"},
        Wrong{"src > 10.0.0.1", "at character 5: addresses are compared with =, !=, in and not in"},
        Wrong{"last", "at character 5: a time such as 1h is missing behind last"},
        Wrong{"tcp and last week", "at character 14: 'week' is not a time such as 10m or 1h"},
        Wrong{"last -5s", "at character 6: '-5s' is not a time such as 10m or 1h"},
        Wrong{"last > 5",
              "at character 1: 'last' stands before a time such as 1h, and there is no column of that name"},
        Wrong{"packets > bytes", "at character 11: 'bytes' is a column of another kind than packets"},
        Wrong{"src_port = port", "at character 12: a column of either end is compared with values alone"},
        Wrong{"packets in data_segments", "at character 12: columns are compared with =, !=, <, <=, > and >="},
        Wrong{"packets > data_segmnts",
              "at character 11: 'data_segmnts' is not a whole number such as 1500 or 2M, nor a column (near: "
              "data_segments)"},
        Wrong{"packets not 5", "at character 9: 'not' is not a whole number such as 1500 or 2M"},
        Wrong{"start > '2023-11-14 25:00'",
              "at character 9: '2023-11-14 25:00' is not a time such as 2026-01-02T03:04:05.678 (UTC) or "
              "nanoseconds since 1970"},
        Wrong{"proto in (tcp, '\xc3\xb6') or pakets",
              "at character 16: '\xc3\xb6' is not a protocol such as tcp, udp or 47 (0 to 255)"},
        Wrong{"TCP", "at character 1: 'TCP' is no column (near: tcp)"},
        Wrong{"udp or PORT 443", "at character 8: 'PORT' is no column (near: port)"},
        Wrong{"= 1", "at character 1: '=' where a column's name was expected"},
        Wrong{"packets >", "at character 10: a value for packets is missing"},
        Wrong{"packets > > 1", "at character 11: '>' where a value for packets was expected"},
        Wrong{"packets > many", "at character 11: 'many' is not a whole number such as 1500 or 2M"},
        Wrong{"bytes > many", "at character 9: 'many' is not a number of bytes such as 1500 or 2M"},
        Wrong{"packets > 1.5", "at character 11: '1.5' is not a whole number such as 1500 or 2M"},
        Wrong{"duration > 1x", "at character 12: '1x' is not a time such as 300ms or 1.5s"},
        Wrong{"start > noon",
              "at character 9: 'noon' is not a time such as 2026-01-02T03:04:05.678 (UTC) or "
              "nanoseconds since 1970"},
        Wrong{"addr = 10.0.0", "at character 8: '10.0.0' is not an address or a prefix such as 10.0.0.0/8"},
        Wrong{"addr > 10.0.0.1", "at character 6: addresses are compared with =, !=, in and not in"},
        Wrong{"packets has S", "at character 9: 'has' is for TCP flags"},
        Wrong{"tcp_flags has XY", "at character 15: 'XY' is not TCP flags such as SA, of the letters FSRPAUEC"},
        Wrong{"proto = tpc", "at character 9: 'tpc' is not a protocol such as tcp, udp or 47 (0 to 255)"},
        Wrong{"proto = 256", "at character 9: '256' is not a protocol such as tcp, udp or 47 (0 to 255)"},
        Wrong{"port in (1, 65536)", "at character 13: '65536' is not a port, from 0 to 65535"},
        Wrong{"src_port > -1", "at character 12: '-1' is not a port, from 0 to 65535"},
        Wrong{"dst_port = http", "at character 12: 'http' is not a port, from 0 to 65535"},
        Wrong{"packets > -1", "at character 11: '-1' is not a whole number such as 1500 or 2M"},
        Wrong{"bytes > -1", "at character 9: '-1' is not a number of bytes such as 1500 or 2M"},
        Wrong{"tcp_flags = 256", "at character 13: '256' is not TCP flags such as SA, of the letters FSRPAUEC"},
        Wrong{"start_us > 5", "at character 1: 'start_us' is no column (near: start_ns)"},
        Wrong{"end_reason = late",
              "at character 14: 'late' is not an end reason: idle, active, end, forced, resources or 1 to 5"},
        Wrong{"retransmission_share > x", "at character 24: 'x' is not a share such as 1.5% or 0.015"},
        Wrong{"port in (1, )", "at character 13: ')' where a value for port was expected"},
        Wrong{"port in (1 2)", "at character 12: ')' was expected behind the values"},
        Wrong{"source = 1", "at character 8: source is to be shown only; its parts have columns of their own"},
        Wrong{"packets ~ 1", "at character 9: '~' where a value for packets was expected"}));

TEST(Filter, NestingHasAnEnd) {
  EXPECT_NE(test::thrown_text([] { Filter{std::string(100'000, '(')}; }).find("nested too deeply"), std::string::npos);
  EXPECT_NE(test::thrown_text([] { Filter{std::string(100'000, '!')}; }).find("nested too deeply"), std::string::npos);
  EXPECT_TRUE(Filter(std::string(100, '(') + "tcp" + std::string(100, ')')).matches(flow()));
}

}  // namespace
}  // namespace warpmeter
