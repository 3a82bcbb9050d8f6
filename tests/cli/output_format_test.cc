// Which format an output has.
#include "cli/output_format.h"

#include <gtest/gtest.h>

#include "support/thrown_text.h"

namespace warpmeter {
namespace {

TEST(OutputFormat, FollowsTheName) {
  EXPECT_EQ(output_format("", "a.csv"), Format::csv);
  EXPECT_EQ(output_format("", "a.csv.json"), Format::json);
  EXPECT_EQ(output_format("", "x/a.ipfix"), Format::ipfix);
  EXPECT_EQ(output_format("", "a.parquet"), Format::parquet);
  EXPECT_EQ(output_format("", "-"), Format::csv);
  EXPECT_EQ(output_format("", "/dev/null"), Format::csv);
}

TEST(OutputFormat, IsWhatWasAskedFor) {
  EXPECT_EQ(output_format("json", "a.csv"), Format::json);
  EXPECT_EQ(output_format("table", ""), Format::table);
}

TEST(OutputFormat, NamesThatSayNothingAreRefused) {
  for (const char* name : {"a", "a.txt", "csv", "a.table", "a.csv.gz"}) {
    const auto refusal = test::thrown_text([&] { output_format("", name); });
    EXPECT_NE(refusal.find(std::string("-o ") + name + ": which format?"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace warpmeter
