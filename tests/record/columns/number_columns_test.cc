// What the columns of numbers say of Flow Records, and where they stand unasked.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/extra_columns.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

using test::extra_column;

FlowRecord opened(std::int64_t start_ns, std::uint64_t syns, std::uint64_t first_packet) {
  FlowRecord record;
  record.key.protocol = kProtocolTcp;
  record.start_ns = start_ns;
  record.syn_count = syns;
  record.arrival = first_packet;
  return record;
}

TEST(FirstPacket, IsThatOfItsDirection) {
  const FlowRecord record = opened(0, 1, 7), reverse = opened(5, 1, 9);
  const auto forward = extra_column("first_packet"), backward = extra_column("reverse_first_packet");
  EXPECT_EQ(forward->number(record, &reverse), 7);
  EXPECT_EQ(backward->number(record, &reverse), 9);
  EXPECT_EQ(backward->number(record, nullptr), std::nullopt);
  EXPECT_EQ(forward->number(opened(0, 1, 0), nullptr), std::nullopt) << "a file did not tell";
}

TEST(Handshake, IsFromSynToSynAck) {
  const auto column = extra_column("handshake_ns");
  const auto between = [&](const FlowRecord& record, const FlowRecord& reverse) {
    return column->number(record, &reverse);
  };
  EXPECT_EQ(between(opened(1999, 1, 1), opened(5001, 1, 2)), 3002);
  EXPECT_EQ(between(opened(5, 1, 1), opened(5, 1, 2)), 0);
  EXPECT_EQ(between(opened(6, 1, 1), opened(5, 1, 2)), std::nullopt) << "the answer came before";
  EXPECT_EQ(between(opened(5, 2, 1), opened(6, 1, 3)), std::nullopt) << "which SYN was answered?";
  EXPECT_EQ(between(opened(5, 1, 1), opened(6, 0, 3)), std::nullopt);
  EXPECT_EQ(column->number(opened(5, 1, 1), nullptr), std::nullopt);
  FlowRecord unknown = opened(5, 1, 1);
  unknown.absent = 1U << column_number("syn_count");
  EXPECT_EQ(between(unknown, opened(6, 1, 2)), std::nullopt);
}

TEST(Handshake, IsInTheUnitOfTimes) {
  const auto column = extra_column("handshake_ns")->in(TimeForm::us);
  const FlowRecord reverse = opened(5001, 1, 2);
  EXPECT_EQ(column->name(), "handshake_us");
  EXPECT_EQ(column->number(opened(1999, 1, 1), &reverse), 4) << "the difference of what is written";
  EXPECT_EQ(column->in(TimeForm::ns)->name(), "handshake_ns");
  EXPECT_EQ(column->in(TimeForm::iso)->name(), "handshake_ns");
  EXPECT_EQ(extra_column("first_packet")->in(TimeForm::us), nullptr);
}

std::vector<std::string> standing_in(RecordLayout layout) {
  add_standing_columns(layout);
  std::vector<std::string> names;
  for (const auto& column : layout.extra) names.emplace_back(column->name());
  return names;
}

TEST(StandingColumns, AreThoseThatApplyBehindAllOthers) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(standing_in({}), (Names{"first_packet"}));
  EXPECT_EQ(standing_in({.biflow = true}), (Names{"first_packet", "reverse_first_packet", "handshake_ns"}));
  EXPECT_EQ(standing_in({.biflow = true, .times = TimeForm::us}).back(), "handshake_us");
  EXPECT_EQ(standing_in({.numbered = false}), Names{});
  EXPECT_EQ(standing_in({.biflow = true, .numbered = false}), (Names{"handshake_ns"}));
  const ExtraColumns asked{extra_column("first_packet"), extra_column("community_id")};
  EXPECT_EQ(standing_in({.extra = asked}), (Names{"community_id", "first_packet"}));
}

}  // namespace
}  // namespace warpmeter
