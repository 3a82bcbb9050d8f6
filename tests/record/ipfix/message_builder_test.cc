// Messages and Sets: where they begin and end, and what their headers say.
#include "record/ipfix/message_builder.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/byte_order.h"
#include "support/ipfix_records.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

void add(MessageBuilder& builder, std::uint16_t id, std::size_t octets, std::int64_t end_ns = 0) {
  std::memset(builder.room(id, octets, end_ns), 0xee, octets);
}

TEST(MessageBuilder, WithoutRecordsSendsNothing) {
  test::KeepingSink sink;
  MessageBuilder builder(sink, 1);
  builder.flush();
  EXPECT_TRUE(sink.data.empty());
}

TEST(MessageBuilder, NeighboursOfOneTemplateShareASet) {
  test::KeepingSink sink;
  MessageBuilder builder(sink, 0x01020304);
  add(builder, 300, 3);
  add(builder, 300, 3);
  add(builder, 301, 2);
  add(builder, 300, 3, 7 * kSecond);
  builder.flush();
  ASSERT_EQ(sink.data.size(), 1u);
  const std::vector<std::uint8_t> expected = {0,    10,   0, 39,                          // version, length
                                              0,    0,    0, 7,                           // Export Time
                                              0,    0,    0, 0,                           // Sequence Number
                                              1,    2,    3, 4,                           // Observation Domain ID
                                              1,    0x2c, 0, 10, 0xee, 0xee, 0xee, 0xee,  // 300
                                              0xee, 0xee,                                 //
                                              1,    0x2d, 0, 6,  0xee, 0xee,              // 301
                                              1,    0x2c, 0, 7,  0xee, 0xee, 0xee};
  EXPECT_EQ(sink.data[0].bytes, expected);
  EXPECT_EQ(sink.data[0].records, 4u);
}

TEST(MessageBuilder, FillsMessagesToTheLastOctet) {
  test::KeepingSink sink(16 + 4 + 30);
  MessageBuilder builder(sink, 1);
  for (int i = 0; i < 4; ++i) add(builder, 300, 10);
  builder.flush();
  ASSERT_EQ(sink.data.size(), 2u);
  EXPECT_EQ(sink.data[0].bytes.size(), 50u);
  EXPECT_EQ(sink.data[0].records, 3u);
  EXPECT_EQ(sink.data[1].bytes.size(), 30u);
  EXPECT_EQ(sink.data[1].records, 1u);
}

TEST(MessageBuilder, ANewSetNeedsRoomForItsHeader) {
  test::KeepingSink sink(16 + 4 + 10 + 4 + 9);
  MessageBuilder builder(sink, 1);
  add(builder, 300, 10);
  add(builder, 301, 10);  // one octet short
  builder.flush();
  EXPECT_EQ(sink.data.size(), 2u);
}

TEST(MessageBuilder, NoMessageIsLongerThanIpfixAllows) {
  test::KeepingSink sink(1'000'000);
  MessageBuilder builder(sink, 1);
  for (int i = 0; i < 1000; ++i) add(builder, 300, 100);
  builder.flush();
  ASSERT_EQ(sink.data.size(), 2u);
  EXPECT_EQ(sink.data[0].bytes.size(), 65'520u);
}

TEST(MessageBuilder, ExportTimeIsThatOfTheLatestRecordAndNeverRunsBack) {
  test::KeepingSink sink;
  MessageBuilder builder(sink, 1);
  for (const std::int64_t end : {-5 * kSecond, 9 * kSecond + 1, 4 * kSecond, INT64_MAX}) {
    add(builder, 300, 1, end);
    builder.flush();
  }
  std::vector<std::uint32_t> times;
  for (const IpfixMessage& message : sink.data) times.push_back(load_be32(&message.bytes[4]));
  EXPECT_EQ(times, (std::vector<std::uint32_t>{0, 9, 9, UINT32_MAX}));
}

TEST(MessageBuilder, RefusesARecordThatFitsNowhere) {
  test::KeepingSink sink(100);
  MessageBuilder builder(sink, 1);
  EXPECT_NO_THROW(builder.room(300, 80, 0));
  EXPECT_THROW(builder.room(300, 81, 0), Error);
}

}  // namespace
}  // namespace warpmeter
