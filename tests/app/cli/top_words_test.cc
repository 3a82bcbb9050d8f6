// --top 10 by COLUMN, among files.
#include "app/cli/parse_values.h"

#include <gtest/gtest.h>

#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using Files = std::vector<std::string>;

TEST(TakeTop, TakesItsWordsFromAmongTheFiles) {
  Files files = {"a.csv", "by", "bytes", "b.csv"};
  const Top top = take_top("10", files);
  EXPECT_EQ(top.most, 10u);
  EXPECT_EQ(top.column, "bytes");
  EXPECT_EQ(files, (Files{"a.csv", "b.csv"}));
}

TEST(TakeTop, MayBeOneWord) {
  Files files = {"a.csv"};
  const Top top = take_top("1K by packets:asc", files);
  EXPECT_EQ(top.most, 1000u);
  EXPECT_EQ(top.column, "packets:asc");
  EXPECT_EQ(files, Files{"a.csv"});
}

TEST(TakeTop, NeedsNoColumn) {
  Files files = {"a.csv", "b.csv"};
  EXPECT_EQ(take_top("3", files).column, "");
  EXPECT_EQ(files, (Files{"a.csv", "b.csv"}));
  EXPECT_EQ(take_top("", files).most, 0u);
}

TEST(TakeTop, ButNotBehindBy) {
  Files files = {"a.csv", "by"};
  EXPECT_THROW(take_top("3", files), Error);
}

// Without --top, files may be called as they like.
TEST(TakeTop, LeavesFilesAloneIfThereIsNoTop) {
  Files files = {"a.csv", "by", "bytes"};
  take_top("", files);
  EXPECT_EQ(files.size(), 3u);
}

TEST(TakeTop, RefusesOthers) {
  Files files;
  const auto refusal = [&](const char* text) { return test::thrown_text([&] { take_top(text, files); }); };
  EXPECT_EQ(refusal("0"), "--top: at least 1");
  EXPECT_EQ(refusal("10 bytes"), "--top '10 bytes': N or 'N by COLUMN'");
  EXPECT_NE(refusal("ten").find("--top ten: not a whole number"), std::string::npos);
}

}  // namespace
}  // namespace warpmeter
