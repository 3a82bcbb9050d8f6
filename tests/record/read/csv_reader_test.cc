// CSV from elsewhere: columns in another order, unknown, missing; and everything that is none.
#include "record/read/text_readers.h"

#include <gtest/gtest.h>

#include "record/read/read_text.h"
#include "support/export_records.h"

namespace warpmeter {
namespace {

using test::read_text;
using test::refusal;

const std::string kKey = "src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns";

std::string good_rows(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "10.0.0.1,10.0.0.2,1,2,6,100,200\n";
  return text;
}

TEST(CsvReader, TakesColumnsInAnyOrderAndPassesOverOthers) {
  const auto read = read_text<CsvReader>(
      "packets,colour,end_ns,start_ns,protocol,dst_port,src_port,dst_addr,src_addr\n"
      "7,red,200,100,17,2,1,2001:db8::2,::1\n");
  ASSERT_EQ(read.flows.size(), 1u);
  const FlowRecord& r = read.flows[0].forward;
  EXPECT_EQ(r.key, test::key_of("::1", "2001:db8::2", 1, 2, 17));
  EXPECT_EQ(r.start_ns, 100);
  EXPECT_EQ(r.end_ns, 200);
  EXPECT_EQ(r.packets, 7u);
  EXPECT_FALSE(read.flows[0].has_reverse);
}

TEST(CsvReader, MissingColumnsAreAbsent) {
  const auto read = read_text<CsvReader>(kKey + ",packets,rst_count\n10.0.0.1,10.0.0.2,1,2,6,100,200,3,\n");
  const std::uint32_t all = (1u << kColumns.size()) - 1;
  EXPECT_EQ(read.layout.absent, all & ~(1u << column_number("packets") | 1u << column_number("rst_count")));
  ASSERT_EQ(read.flows.size(), 1u);
  EXPECT_EQ(read.flows[0].forward.absent, all & ~(1u << column_number("packets")));
}

TEST(CsvReader, AnswersOfIcmpHaveTheirType) {
  const auto read =
      read_text<CsvReader>(kKey + ",reverse_start_ns,reverse_end_ns\n10.0.0.1,10.0.0.2,0,2048,1,100,200,101,201\n");
  ASSERT_EQ(read.flows.size(), 1u);
  EXPECT_EQ(read.flows[0].reverse.key, test::key_of("10.0.0.2", "10.0.0.1", 0, 0, 1));
}

TEST(CsvReader, WholeNumbersMayHaveZerosBehindAPoint) {
  const auto read = read_text<CsvReader>(kKey + ",packets\n10.0.0.1,10.0.0.2,1.0,2,6,100,200,463.00\n");
  ASSERT_EQ(read.flows.size(), 1u);
  EXPECT_EQ(read.flows[0].forward.packets, 463u);
  for (const char* wrong : {"463.5", "463.", "463.0x", ".0"}) {
    EXPECT_TRUE(read_text<CsvReader>(kKey + ",packets\n10.0.0.1,10.0.0.2,1,2,6,100,200," + wrong + "\n").damage)
        << wrong;
  }
}

TEST(CsvReader, ValuesThatTheProtocolCannotHaveAreLeftOut) {
  const auto read = read_text<CsvReader>(kKey + ",data_segments\n10.0.0.1,10.0.0.2,1,2,17,100,200,3\n");
  ASSERT_EQ(read.flows.size(), 1u);
  EXPECT_EQ(read.flows[0].forward.data_segments, 0u);
}

TEST(CsvReader, TakesQuotesAndOtherLineEnds) {
  const auto read = read_text<CsvReader>("\xef\xbb\xbf\"note\"," + kKey +
                                         "\r\n\"a, \"\"b\"\", c\",\"10.0.0.1\",10.0.0.2,1,2,6,100,200\r\n\r\n");
  EXPECT_FALSE(read.damage);
  ASSERT_EQ(read.flows.size(), 1u);
  EXPECT_EQ(read.flows[0].forward.key, test::key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
}

FlowRecord read_with_times(const std::string& names, const std::string& values) {
  const auto read = read_text<CsvReader>("src_addr,dst_addr,src_port,dst_port,protocol," + names +
                                         "\n10.0.0.1,10.0.0.2,1,2,6," + values + "\n");
  EXPECT_FALSE(read.damage) << read.damage->reason;
  return read.flows.empty() ? FlowRecord() : read.flows[0].forward;
}

TEST(CsvReader, TakesTimesOfAnyForm) {
  FlowRecord r = read_with_times("start_us,end_us,connection_us", "-2,1700000000123456,5");
  EXPECT_EQ(r.start_ns, -2'000);
  EXPECT_EQ(r.end_ns, 1'700'000'000'123'456'000);
  EXPECT_EQ(r.connection_ns, 5'000);
  r = read_with_times("start_time,end_ns", "2023-11-14T22:13:20.123456789Z,7");
  EXPECT_EQ(r.start_ns, 1'700'000'000'123'456'789);
  EXPECT_EQ(r.end_ns, 7);
  r = read_with_times("start_time,end_time", "1969-12-31 23:59:59.999+00,1677-09-21T00:12:43.145224192+00:00");
  EXPECT_EQ(r.start_ns, -1'000'000);
  EXPECT_EQ(r.end_ns, INT64_MIN);
}

class CsvBadTimes : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(CsvBadTimes, AreDamage) {
  const auto& [names, values] = GetParam();
  const auto read = read_text<CsvReader>("src_addr,dst_addr,src_port,dst_port,protocol," + names +
                                         "\n10.0.0.1,10.0.0.2,1,2,6," + values + "\n");
  EXPECT_TRUE(read.damage);
  EXPECT_TRUE(read.flows.empty());
}

INSTANTIATE_TEST_SUITE_P(Each, CsvBadTimes,
                         testing::Values(std::pair("start_us,end_us", "9223372036854775807,1"),
                                         std::pair("start_us,end_us", "1.5,1"),
                                         std::pair("start_time,end_ns", "1700000000123456789,1"),
                                         std::pair("start_time,end_ns", "2023-11-14T22:13:20.123456789,1"),
                                         std::pair("start_time,end_ns", "2023-11-14T22:13:20.123456789+01:00,1"),
                                         std::pair("start_time,end_ns", "2023-02-29T22:13:20Z,1"),
                                         std::pair("start_time,end_ns", "2023-11-14T24:13:20Z,1"),
                                         std::pair("start_time,end_ns", "2023-11-14T22:13:20.Z,1"),
                                         std::pair("start_time,end_ns", "2023-11-14T22:13:20.1234567891Z,1"),
                                         std::pair("start_time,end_ns", "2262-04-11T23:47:16.854775808Z,1"),
                                         std::pair("start_time,end_ns", "9999-12-31T23:59:59Z,1")));

TEST(CsvReader, RefusesOneTimeInTwoForms) {
  EXPECT_NE(refusal<CsvReader>(kKey + ",start_us\n").find("column start_us stands there twice, once as start_ns"),
            std::string::npos);
}

TEST(CsvReader, HeaderAloneIsNoFlows) {
  const auto read = read_text<CsvReader>(kKey + "\n");
  EXPECT_TRUE(read.flows.empty());
  EXPECT_FALSE(read.damage);
}

TEST(CsvReader, RefusesWhatIsNoFlowRecords) {
  EXPECT_NE(refusal<CsvReader>("").find("in: no Flow Records: it is empty"), std::string::npos);
  EXPECT_NE(refusal<CsvReader>("a,b,c\n1,2,3\n").find("names no column src_addr"), std::string::npos);
  EXPECT_NE(refusal<CsvReader>("src_addr,dst_addr,src_port,dst_port,protocol,start_ns\n").find("end_ns"),
            std::string::npos);
  EXPECT_NE(refusal<CsvReader>(kKey + ",packets,packets\n").find("packets stands there twice"), std::string::npos);
  EXPECT_NE(test::thrown_text([] { TextSource("/nowhere/x.csv"); }).find("/nowhere/x.csv: cannot be read"),
            std::string::npos);
}

struct BadLine {
  const char* line;
  const char* reason;
};

class CsvDamage : public testing::TestWithParam<BadLine> {};

TEST_P(CsvDamage, EndsTheFileWhereItIs) {
  const std::string before = kKey + ",packets,tcp_flags,end_reason,reverse_start_ns,reverse_end_ns,vlan_id\n" +
                             "10.0.0.1,10.0.0.2,1,2,6,100,200,1,2,3,,,4\n";
  const auto read = read_text<CsvReader>(before + GetParam().line + "\n" + good_rows(1));
  EXPECT_EQ(read.flows.size(), 1u);
  ASSERT_TRUE(read.damage);
  EXPECT_EQ(read.damage->offset, before.size());
  EXPECT_EQ(read.damage->reason, std::string("line 3: ") + GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, CsvDamage,
    testing::Values(BadLine{"10.0.0.1,10.0.0.2,1,2,6,100,200", "7 columns, the header has 13"},
                    BadLine{"x", "src_addr: 'x' is not an address"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,6,100,200,1,2,3,,,4,5", "14 columns, the header has 13"},
                    BadLine{"10.0.0,10.0.0.2,1,2,6,1,2,1,2,3,,,4", "src_addr: '10.0.0' is not an address"},
                    BadLine{"010.0.0.1,10.0.0.2,1,2,6,1,2,1,2,3,,,4", "src_addr: '010.0.0.1' is not an address"},
                    BadLine{"10.0.0.1,10.0.0.256,1,2,6,1,2,1,2,3,,,4", "dst_addr: '10.0.0.256' is not an address"},
                    BadLine{"10.0.0.1,1::2::3,1,2,6,1,2,1,2,3,,,4", "dst_addr: '1::2::3' is not an address"},
                    BadLine{"10.0.0.1,::1,1,2,6,1,2,1,2,3,,,4", "one address is IPv4, the other IPv6"},
                    BadLine{",10.0.0.2,1,2,6,1,2,1,2,3,,,4", "no src_addr"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,6,1,,1,2,3,,,4", "no end_ns"},
                    BadLine{"10.0.0.1,10.0.0.2,65536,2,6,1,2,1,2,3,,,4", "src_port: '65536' is not possible here"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,256,1,2,1,2,3,,,4", "protocol: '256' is not possible here"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,6,1,2,-1,2,3,,,4", "packets: '-1' is not possible here"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,6,1,2,1x,2,3,,,4", "packets: '1x' is not a number"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,6,1,2,9223372036854775808,2,3,,,4",
                            "packets: '9223372036854775808' is not a number"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,6,1,2,1,256,3,,,4", "tcp_flags: '256' is not possible here"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,6,1,2,1,2,6,,,4", "end_reason: '6' is not possible here"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,6,1,2,1,2,3,5,,4", "no reverse_end_ns"},
                    BadLine{"10.0.0.1,10.0.0.2,1,2,6,1,2,1,2,3,,,65536", "vlan_id: '65536' is not possible here"}));

// Digits may be missing: 20 may have been 200.
TEST(CsvReader, LineWithoutItsEndIsDamage) {
  const std::string before = kKey + "\n" + good_rows(2);
  const auto read = read_text<CsvReader>(before + "10.0.0.1,10.0.0.2,1,2,6,100,20");
  EXPECT_EQ(read.flows.size(), 2u);
  ASSERT_TRUE(read.damage);
  EXPECT_EQ(read.damage->offset, before.size());
  EXPECT_EQ(read.damage->reason, "line 4: cut short");
}

TEST(CsvReader, EndlessFirstLineIsNoHeader) {
  const std::string text = kKey + std::string(5 * TextSource::kLongest, ',') + "\n";
  EXPECT_TRUE(test::thrown_text([&] {
                read_text<CsvReader>(text);
              }).ends_with(": no Flow Records: the first line is too long"));
}

TEST(CsvReader, EndlessLineIsDamage) {
  const auto read = read_text<CsvReader>(kKey + "\n" + std::string(5 * TextSource::kLongest, '1') + "\n");
  ASSERT_TRUE(read.damage);
  EXPECT_EQ(read.damage->reason, "line 2: too long");
}

// More than the buffer holds, so that lines lie across its end.
TEST(CsvReader, ReadsOnAcrossItsBuffer) {
  constexpr int kRows = 200'000;
  const auto read = read_text<CsvReader>(kKey + "\n" + good_rows(kRows) + "x\n");
  EXPECT_EQ(read.flows.size(), static_cast<std::size_t>(kRows));
  ASSERT_TRUE(read.damage);
  EXPECT_EQ(read.damage->offset, kKey.size() + 1 + good_rows(1).size() * kRows);
}

}  // namespace
}  // namespace warpmeter
