// The table for people, to the letter.
#include "record/text/file_format.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/export_records.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

using test::counted_record;
using test::key_of;

std::string table(const std::vector<FlowRecord>& records, Method method = Method::exact) {
  return test::written_text(Format::table, records, {.absent = not_counted_by(method)});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(TableFormat, WithoutFlowsWritesItsHeader) {
  EXPECT_EQ(table({}),
            "SOURCE  DESTINATION  PROTO  START (UTC)  DURATION  PACKETS  BYTES  RETRANS  DUP  OOO  MISSING  KEEP  "
            "ZWIN  FLAGS  ENDED BY\n");
}

TEST(TableFormat, AlignsItsColumns) {
  const auto lines = lines_of(table({counted_record(key_of("10.0.0.1", "10.0.0.2", 40000, 443, 6)),
                                     counted_record(key_of("2001:db8::1", "::2", 53, 5353, 17)),
                                     counted_record(key_of("10.0.0.1", "10.0.0.2", 0, 0x0800, 1))}));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(
      lines[0],
      "SOURCE            DESTINATION   PROTO   START (UTC)  DURATION  PACKETS  BYTES  RETRANS  DUP  OOO  MISSING  "
      "KEEP  ZWIN     FLAGS  ENDED BY");
  EXPECT_EQ(
      lines[1],
      "10.0.0.1:40000    10.0.0.2:443  tcp    22:13:20.123    1.50 s        1      2        5    7    9       11  "
      "  10    15  FS.PA...  end of flow");
  EXPECT_EQ(
      lines[2],
      "[2001:db8::1]:53  [::2]:5353    udp    22:13:20.123    1.50 s        1      2        -    7    -        -  "
      "   -     -         -  end of flow");
  EXPECT_EQ(
      lines[3],
      "10.0.0.1          10.0.0.2      icmp   22:13:20.123    1.50 s        1      2        -    7    -        -  "
      "   -     -         -  end of flow");
}

TEST(TableFormat, HasADashForWhatFiveTupleDoesNotCount) {
  const auto lines =
      lines_of(table({counted_record(key_of("10.0.0.1", "10.0.0.2", 40000, 443, 6))}, Method::five_tuple));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "SOURCE          DESTINATION   PROTO   START (UTC)  DURATION  PACKETS  BYTES  RETRANS  DUP  OOO  MISSING  "
            "KEEP  ZWIN     FLAGS  ENDED BY");
  EXPECT_EQ(lines[1],
            "10.0.0.1:40000  10.0.0.2:443  tcp    22:13:20.123    1.50 s        1      2        5    7    -        -  "
            "   -    15  FS.PA...  end of flow");
}

TEST(TableFormat, NamesProtocolsAndReasons) {
  const auto line = [](std::uint8_t protocol, EndReason reason) {
    FlowRecord record = counted_record(key_of("1.1.1.1", "2.2.2.2", 0, 0, protocol));
    record.end_reason = reason;
    return lines_of(table({record})).at(1);
  };
  EXPECT_NE(line(6, EndReason::idle).find(" tcp "), std::string::npos);
  EXPECT_NE(line(33, EndReason::idle).find(" dccp "), std::string::npos);
  EXPECT_NE(line(58, EndReason::idle).find(" icmp6 "), std::string::npos);
  EXPECT_NE(line(132, EndReason::idle).find(" sctp "), std::string::npos);
  EXPECT_NE(line(136, EndReason::idle).find(" udplite "), std::string::npos);
  EXPECT_NE(line(47, EndReason::idle).find(" 47 "), std::string::npos);
  EXPECT_TRUE(line(6, EndReason::idle).ends_with("  idle timeout"));
  EXPECT_TRUE(line(6, EndReason::active).ends_with("  active timeout"));
  EXPECT_TRUE(line(6, EndReason::forced).ends_with("  end of input"));
  EXPECT_TRUE(line(6, EndReason::lack_of_resources).ends_with("  lack of resources"));
}

TEST(TableFormat, TimeBefore1970IsATimeOfDay) {
  FlowRecord record = counted_record(key_of("1.1.1.1", "2.2.2.2", 0, 0, 6));
  record.start_ns = -1'000'000;  // one millisecond
  record.end_ns = 0;
  const std::string line = lines_of(table({record})).at(1);
  EXPECT_NE(line.find(" 23:59:59.999 "), std::string::npos) << line;
  EXPECT_NE(line.find(" 1 ms "), std::string::npos) << line;
}

TEST(TableFormat, AllFlagsHaveLetters) {
  FlowRecord record = counted_record(key_of("1.1.1.1", "2.2.2.2", 0, 0, 6));
  record.tcp_flags = 0xff;
  EXPECT_NE(table({record}).find(" FSRPAUEC "), std::string::npos);
}

TEST(TableFormat, WritesEveryRowOfALongTable) {
  std::vector<FlowRecord> records(2500, counted_record(key_of("1.1.1.1", "2.2.2.2", 1, 2, 6)));
  records.back().key = key_of("111.111.111.111", "2.2.2.2", 60000, 2, 6);  // wider than the first thousand
  const auto lines = lines_of(table(records));
  ASSERT_EQ(lines.size(), 2501u);
  for (std::size_t i = 2; i < 2500; ++i) ASSERT_EQ(lines[i], lines[1]) << i;
  EXPECT_TRUE(lines[2500].starts_with("111.111.111.111:60000  2.2.2.2:2 "));
}

}  // namespace
}  // namespace warpmeter
