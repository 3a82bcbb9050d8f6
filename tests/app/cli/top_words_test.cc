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

TEST(TakeTop, TakesTheKeyThatItIsPer) {
  Files files = {"a.csv", "by", "packets", "per", "time/10m", "b.csv"};
  const Top among_files = take_top("3", files);
  EXPECT_EQ(files, (Files{"a.csv", "b.csv"}));
  for (const Top& top : {among_files, take_top("3 by packets per time/10m", files)}) {
    EXPECT_EQ(top.column, "packets");
    EXPECT_EQ(top.per, "time/10m");
  }
  EXPECT_EQ(take_top("3 per src_addr", files).per, "src_addr");
  EXPECT_EQ(take_top("3 by packets", files).per, "");
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
  EXPECT_EQ(refusal("10 bytes"), "--top '10 bytes': N, or 'N by COLUMN', of sums also 'N by COLUMN per KEY'");
  EXPECT_EQ(refusal("3 per"),
            "--top N per: per which key of --sum? Such as --sum time/10m,src_addr --top 3 per time/10m");
  EXPECT_NE(refusal("ten").find("--top ten: not a whole number"), std::string::npos);
}

}  // namespace
}  // namespace warpmeter
