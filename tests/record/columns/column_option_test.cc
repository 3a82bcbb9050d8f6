// Whatever adds a column says what it is, and makes the column that it says.
#include "record/columns/column_option.h"

#include <gtest/gtest.h>

#include <set>

#include "support/extra_columns.h"

namespace warpmeter {
namespace {

TEST(ColumnOption, IsNamedAfterItsColumn) {
  const ColumnOption& option = column_options().front();
  EXPECT_EQ(option.option(), "--community-id");
  EXPECT_EQ(option.number_option(), "--community-id-seed");
  EXPECT_EQ(option_of_column("a_b_c"), "--a-b-c");
}

TEST(ColumnOption, MakesTheColumnOfItsName) {
  std::set<std::string_view> names;
  for (const ColumnOption& option : column_options()) {
    EXPECT_TRUE(names.insert(option.column).second) << option.column;
    EXPECT_EQ(option.make(0)->name(), option.column);
    EXPECT_NE(option.meaning, "");
    EXPECT_EQ(option.help.empty(), option.in_ipfix()) << "those that --columns alone names";
    EXPECT_EQ(option.make(0)->is_number(), option.in_ipfix());
    EXPECT_EQ(option.number.name.empty(), option.number.help.empty());
  }
}

}  // namespace
}  // namespace warpmeter
