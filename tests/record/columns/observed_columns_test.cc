// Where a flow was observed, as columns say it.
#include "record/columns/column_option.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

std::string text_of(const ExtraColumn& column, std::uint32_t place) {
  FlowRecord record;
  record.arrival = observed_number(5, place);
  std::string text(column.most(), ' ');
  text.resize(static_cast<std::size_t>(column.write(text.data(), record) - text.data()));
  return text;
}

TEST(ObservedColumns, TellPointAndWay) {
  ObservedPoints points;
  const std::uint32_t point = points.add("eth0", 7);
  const ExtraColumns columns = observed_columns(points);
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0]->name(), "interface");
  EXPECT_EQ(columns[1]->name(), "direction");
  EXPECT_EQ(text_of(*columns[0], place_of(point, false)), "eth0");
  EXPECT_EQ(text_of(*columns[1], place_of(point, false)), "ingress");
  EXPECT_EQ(text_of(*columns[1], place_of(point, true)), "egress");
}

TEST(ObservedColumns, HaveNoValueWhereNobodyKnows) {
  const ObservedPoints points;
  for (const auto& column : observed_columns(points)) {
    EXPECT_TRUE(column->nullable());
    EXPECT_EQ(text_of(*column, 0), "");
  }
}

}  // namespace
}  // namespace warpmeter
