// CSV to the letter.
#include "record/text/file_format.h"

#include <gtest/gtest.h>

#include "core/observed_points.h"
#include "record/columns/column_option.h"
#include "support/export_records.h"
#include "support/extra_columns.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

using test::counted_record;
using test::key_of;

const std::string kHeader =
    "src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets,bytes,payload_bytes,data_segments,"
    "retransmitted_segments,retransmitted_bytes,duplicate_packets,duplicate_bytes,out_of_order_segments,"
    "keep_alive_segments,missing_bytes,syn_count,fin_count,rst_count,zero_window_count,tcp_flags,connection_bytes,"
    "connection_ns,end_reason,stray_segments";

std::string csv(const std::vector<FlowRecord>& records, bool with_vlan = false, Method method = Method::exact) {
  return test::written_text(Format::csv, records, {.vlan = with_vlan, .absent = not_counted_by(method)});
}

// The one line behind the header.
std::string line(const FlowRecord& record, bool with_vlan = false, Method method = Method::exact) {
  const std::string text = csv({record}, with_vlan, method);
  return text.substr(text.find('\n') + 1);
}

TEST(CsvFormat, WithoutFlowsWritesTheHeader) {
  EXPECT_EQ(csv({}), kHeader + "\n");
  EXPECT_EQ(csv({}, true), kHeader + ",vlan_id\n");
}

TEST(CsvFormat, WritesEveryColumnOfTcp) {
  EXPECT_EQ(line(counted_record(key_of("10.0.0.1", "255.255.255.255", 40000, 443, 6))),
            "10.0.0.1,255.255.255.255,40000,443,6,1700000000123456789,1700000001623456789,"
            "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,27,16,17,3,16\n");
}

TEST(CsvFormat, SaysWhereAFlowWasObserved) {
  ObservedPoints points;
  const std::uint32_t point = points.add("eth0", 7);
  FlowRecord record = counted_record(key_of("0.0.0.0", "1.2.3.4", 53, 65535, 17));
  const auto text = [&](std::uint32_t place) {
    record.arrival = observed_number(5, place);
    return test::written_text(Format::csv, {record}, {.extra = observed_columns(points)});
  };
  EXPECT_TRUE(text(place_of(point, false)).starts_with(kHeader + ",interface,direction\n"));
  EXPECT_TRUE(text(place_of(point, false)).ends_with(",3,,eth0,ingress\n"));
  EXPECT_TRUE(text(place_of(point, true)).ends_with(",3,,eth0,egress\n"));
  EXPECT_TRUE(text(0).ends_with(",3,,,\n"));
}

TEST(CsvFormat, HasNumbersThatAreAskedFor) {
  FlowRecord record = counted_record(key_of("0.0.0.0", "1.2.3.4", 53, 65535, 17));
  const ExtraColumns columns{test::extra_column("first_packet"), test::extra_column("handshake_ns")};
  record.arrival = 1'234'567'890'123;
  EXPECT_TRUE(test::written_text(Format::csv, {record}, {.extra = columns}).ends_with(",3,,1234567890123,\n"));
  record.arrival = 0;
  EXPECT_TRUE(test::written_text(Format::csv, {record}, {.extra = columns}).ends_with(",3,,,\n"));
}

TEST(CsvFormat, LeavesTcpColumnsEmptyForOtherProtocols) {
  EXPECT_EQ(line(counted_record(key_of("0.0.0.0", "1.2.3.4", 53, 65535, 17))),
            "0.0.0.0,1.2.3.4,53,65535,17,1700000000123456789,1700000001623456789,"
            "1,2,,,,,7,8,,,,,,,,,,,3,\n");
}

TEST(CsvFormat, LeavesConnectionEmptyWhereItIsInvalid) {
  FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  record.flags = 0;
  EXPECT_TRUE(line(record).ends_with(",14,15,27,,,3,16\n"));
}

// Four columns stay empty: out of order, keep-alive, missing, stray.
TEST(CsvFormat, LeavesEmptyWhatFiveTupleDoesNotCount) {
  EXPECT_EQ(line(counted_record(key_of("10.0.0.1", "255.255.255.255", 40000, 443, 6)), false, Method::five_tuple),
            "10.0.0.1,255.255.255.255,40000,443,6,1700000000123456789,1700000001623456789,"
            "1,2,3,4,5,6,7,8,,,,12,13,14,15,27,16,17,3,\n");
  const FlowRecord udp = counted_record(key_of("0.0.0.0", "1.2.3.4", 53, 65535, 17));
  EXPECT_EQ(line(udp, false, Method::five_tuple), line(udp));
  EXPECT_EQ(csv({}, true, Method::five_tuple), kHeader + ",vlan_id\n");
}

TEST(CsvFormat, WritesZerosOfTcpWithoutAUsableHeader) {
  FlowRecord record;
  record.key = key_of("10.0.0.1", "10.0.0.2", 0, 0, 6);
  record.packets = 1;
  record.bytes = 40;
  EXPECT_EQ(line(record), "10.0.0.1,10.0.0.2,0,0,6,0,0,1,40,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,,4,0\n");
}

TEST(CsvFormat, WritesAddressesAsInetNtop) {
  const auto start_of = [](const char* source, const char* destination) {
    const std::string text = line(counted_record(key_of(source, destination, 1, 2, 17)));
    return text.substr(0, text.find(",1,2,17"));
  };
  EXPECT_EQ(start_of("2001:db8:0:0:1:0:0:1", "::"), "2001:db8::1:0:0:1,::");
  EXPECT_EQ(start_of("::ffff:1.2.3.4", "fe80:0:0:0:1:2:3:4"), "::ffff:1.2.3.4,fe80::1:2:3:4");
  EXPECT_EQ(start_of("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "1:0:2:0:3:0:4:0"),
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff,1:0:2:0:3:0:4:0");
}

TEST(CsvFormat, WritesVlanLast) {
  FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 17));
  record.key.vlan[0] = 0x0f;
  record.key.vlan[1] = 0xff;
  EXPECT_TRUE(line(record, true).ends_with(",3,,4095\n"));
  record.key.vlan[0] = record.key.vlan[1] = 0;
  EXPECT_TRUE(line(record, true).ends_with(",3,,0\n"));
}

TEST(CsvFormat, WritesMicroseconds) {
  FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  record.start_ns = -1'500, record.end_ns = 2'999, record.connection_ns = 1'999;
  const std::string text = test::written_text(Format::csv, {record}, {.times = TimeForm::us});
  EXPECT_NE(text.find(",protocol,start_us,end_us,packets,"), std::string::npos) << text;
  EXPECT_NE(text.find(",connection_us,end_reason,stray_segments\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",6,-2,2,1,2,3,"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(",16,1,3,16\n")) << text;
}

TEST(CsvFormat, WritesTimesAsText) {
  const FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  const std::string text = test::written_biflow(Format::csv, record, &record, {.biflow = true, .times = TimeForm::iso});
  EXPECT_NE(text.find(",protocol,start_time,end_time,packets,"), std::string::npos) << text;
  EXPECT_NE(text.find(",connection_ns,end_reason,stray_segments,reverse_start_time,reverse_end_time,reverse_packets"),
            std::string::npos);
  EXPECT_NE(text.find(",6,2023-11-14T22:13:20.123456789Z,2023-11-14T22:13:21.623456789Z,1,2,3,"), std::string::npos);
  EXPECT_NE(text.find(",17,3,16,2023-11-14T22:13:20.123456789Z,2023-11-14T22:13:21.623456789Z,1,"), std::string::npos);
}

TEST(CsvFormat, WritesTheCommunityIdLast) {
  FlowRecord record = counted_record(key_of("128.232.110.120", "66.35.250.204", 34855, 80, 6));
  const std::string text =
      test::written_text(Format::csv, {record}, {.vlan = true, .extra = {test::extra_column("community_id")}});
  EXPECT_TRUE(text.starts_with(kHeader + ",vlan_id,community_id\n")) << text;
  EXPECT_TRUE(text.ends_with(",3,16,0,1:LQU9qZlK+B5F3KDmev6m5PMibrg=\n")) << text;
}

TEST(CsvFormat, WritesExtraColumnsInTheirOrder) {
  FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  const auto marks = std::make_shared<test::PacketMarks>();
  const RecordLayout layout{.extra = {marks, test::extra_column("community_id"), marks}};
  record.packets = 3;
  EXPECT_TRUE(test::written_text(Format::csv, {record}, layout)
                  .starts_with(kHeader + ",packet_marks,community_id,packet_marks\n"));
  EXPECT_TRUE(test::written_text(Format::csv, {record}, layout).ends_with("=,xxx\n"));
  record.packets = 0;
  EXPECT_TRUE(test::written_text(Format::csv, {record}, layout).ends_with("=,\n"));
}

TEST(CsvFormat, HasRoomForTheLongestNumbers) {
  FlowRecord record = counted_record(key_of("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
                                            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 65535, 65535, 6));
  record.start_ns = record.end_ns = INT64_MIN;
  for (std::uint64_t* counter = &record.packets; counter <= &record.stray_segments; ++counter) *counter = INT64_MAX;
  record.connection_bytes = record.connection_ns = INT64_MAX;
  const std::string text = line(record);
  const std::string longest = ",9223372036854775807";
  std::string all = ",-9223372036854775808,-9223372036854775808";
  for (int i = 0; i < 15; ++i) all += longest;
  EXPECT_TRUE(text.ends_with(",65535,65535,6" + all + ",27" + longest + longest + ",3" + longest + "\n")) << text;
}

TEST(CsvFormat, WritesManyLines) {
  std::vector<FlowRecord> records(20'000, counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6)));
  const std::string text = csv(records);
  const std::string one = line(records[0]);
  ASSERT_EQ(text.size(), kHeader.size() + 1 + records.size() * one.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    ASSERT_EQ(text.compare(kHeader.size() + 1 + i * one.size(), one.size(), one), 0) << i;
  }
}

}  // namespace
}  // namespace warpmeter
