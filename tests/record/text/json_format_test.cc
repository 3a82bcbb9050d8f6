// JSON lines to the letter.
#include "record/text/file_format.h"

#include <gtest/gtest.h>

#include "support/export_records.h"
#include "support/extra_columns.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

using test::counted_record;
using test::key_of;

std::string json(const std::vector<FlowRecord>& records, bool with_vlan = false, Method method = Method::exact) {
  return test::written_text(Format::json, records, {.vlan = with_vlan, .absent = not_counted_by(method)});
}

TEST(JsonFormat, WithoutFlowsWritesNothing) { EXPECT_EQ(json({}), ""); }

TEST(JsonFormat, WritesEveryColumnOfTcp) {
  EXPECT_EQ(json({counted_record(key_of("10.0.0.1", "10.0.0.2", 40000, 443, 6))}),
            R"({"src_addr":"10.0.0.1","dst_addr":"10.0.0.2","src_port":40000,"dst_port":443,"protocol":6,)"
            R"("start_ns":1700000000123456789,"end_ns":1700000001623456789,"packets":1,"bytes":2,"payload_bytes":3,)"
            R"("data_segments":4,"retransmitted_segments":5,"retransmitted_bytes":6,"duplicate_packets":7,)"
            R"("duplicate_bytes":8,"out_of_order_segments":9,"keep_alive_segments":10,"missing_bytes":11,)"
            R"("syn_count":12,"fin_count":13,"rst_count":14,"zero_window_count":15,"tcp_flags":27,)"
            R"("connection_bytes":16,"connection_ns":17,"end_reason":3,"stray_segments":16,"duration_ns":1500000000})"
            "\n");
}

TEST(JsonFormat, WritesNullForWhatDoesNotApply) {
  EXPECT_EQ(
      json({counted_record(key_of("2001:db8::1", "::", 53, 53, 17))}),
      R"({"src_addr":"2001:db8::1","dst_addr":"::","src_port":53,"dst_port":53,"protocol":17,)"
      R"("start_ns":1700000000123456789,"end_ns":1700000001623456789,"packets":1,"bytes":2,"payload_bytes":null,)"
      R"("data_segments":null,"retransmitted_segments":null,"retransmitted_bytes":null,"duplicate_packets":7,)"
      R"("duplicate_bytes":8,"out_of_order_segments":null,"keep_alive_segments":null,"missing_bytes":null,)"
      R"("syn_count":null,"fin_count":null,"rst_count":null,"zero_window_count":null,"tcp_flags":null,)"
      R"("connection_bytes":null,"connection_ns":null,"end_reason":3,"stray_segments":null,"duration_ns":1500000000})"
      "\n");
}

TEST(JsonFormat, WritesNullForWhatFiveTupleDoesNotCount) {
  const FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 40000, 443, 6));
  std::string expected = json({record});
  for (const char* field :
       {"\"out_of_order_segments\":9", "\"keep_alive_segments\":10", "\"missing_bytes\":11", "\"stray_segments\":16"}) {
    const std::size_t at = expected.find(field);
    ASSERT_NE(at, std::string::npos) << field;
    const std::size_t value = expected.find(':', at) + 1;
    expected.replace(value, expected.find(',', at) - value, "null");
  }
  EXPECT_EQ(json({record}, false, Method::five_tuple), expected);
  EXPECT_NE(expected.find(R"("missing_bytes":null,"syn_count":12)"), std::string::npos);
}

TEST(JsonFormat, WritesVlanBehindTheCounters) {
  FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 17));
  record.key.vlan[1] = 7;
  EXPECT_TRUE(json({record}, true)
                  .ends_with(R"("end_reason":3,"stray_segments":null,"vlan_id":7,"duration_ns":1500000000})"
                             "\n"));
}

// What is new stands at the end: readers that count columns keep what they knew.
TEST(JsonFormat, WritesDurationsOfBothDirectionsAndTheCommunityIdLast) {
  FlowRecord there = counted_record(key_of("128.232.110.120", "66.35.250.204", 34855, 80, 6)), back = there;
  back.end_ns = back.start_ns + 7;
  const RecordLayout layout{.vlan = true, .biflow = true, .extra = {test::extra_column("community_id")}};
  EXPECT_TRUE(test::written_biflow(Format::json, there, &back, layout)
                  .ends_with(R"("reverse_stray_segments":16,"duration_ns":1500000000,"reverse_duration_ns":7,)"
                             R"("community_id":"1:LQU9qZlK+B5F3KDmev6m5PMibrg="})"
                             "\n"));
  EXPECT_TRUE(test::written_biflow(Format::json, there, nullptr, layout)
                  .ends_with(R"("reverse_stray_segments":null,"duration_ns":1500000000,"reverse_duration_ns":null,)"
                             R"("community_id":"1:LQU9qZlK+B5F3KDmev6m5PMibrg="})"
                             "\n"));
}

TEST(JsonFormat, WritesExtraColumnsAsTextOrNull) {
  FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  const RecordLayout layout{.extra = {std::make_shared<test::PacketMarks>()}};
  record.packets = 2;
  EXPECT_TRUE(test::written_text(Format::json, {record}, layout).ends_with(",\"packet_marks\":\"xx\"}\n"));
  record.packets = 0;
  EXPECT_TRUE(test::written_text(Format::json, {record}, layout).ends_with(",\"packet_marks\":null}\n"));
}

TEST(JsonFormat, WritesMicroseconds) {
  FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  record.start_ns = -1'500, record.end_ns = 2'999, record.connection_ns = 1'999;
  const std::string text = test::written_text(Format::json, {record}, {.times = TimeForm::us});
  EXPECT_NE(text.find(R"("start_us":-2,"end_us":2,"packets")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("connection_us":1,"end_reason":3,"stray_segments":16,"duration_us":4})"), std::string::npos)
      << text;
}

TEST(JsonFormat, WritesTimesAsText) {
  const FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  const std::string text = test::written_text(Format::json, {record}, {.times = TimeForm::iso});
  EXPECT_NE(text.find(R"("start_time":"2023-11-14T22:13:20.123456789Z","end_time":"2023-11-14T22:13:21.623456789Z",)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("connection_ns":17,"end_reason":3,"stray_segments":16,"duration_ns":1500000000})"),
            std::string::npos)
      << text;
}

TEST(JsonFormat, WritesALineAFlow) {
  const FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  const std::string one = json({record});
  EXPECT_EQ(json({record, record, record}), one + one + one);
}

}  // namespace
}  // namespace warpmeter
