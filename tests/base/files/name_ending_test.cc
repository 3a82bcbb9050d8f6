// Endings of outputs are told from names, whatever the case.
#include "base/files/file_name.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

TEST(NameEnding, IsComparedWithoutCase) {
  EXPECT_TRUE(has_ending("a.json", ".json"));
  EXPECT_TRUE(has_ending("A.JsoN", ".json"));
  EXPECT_TRUE(has_ending(".json", ".json"));
  EXPECT_FALSE(has_ending("json", ".json"));
  EXPECT_FALSE(has_ending("a.json/", ".json"));
  EXPECT_FALSE(has_ending("a.jsonl", ".json"));
}

TEST(NameEnding, LooksLikeThatOfAFile) {
  EXPECT_EQ(ending_of("out.csv"), ".csv");
  EXPECT_EQ(ending_of("x.y/out.tar.GZ"), ".GZ");
  EXPECT_EQ(ending_of("10.0.0.1"), ".1");
  EXPECT_EQ(ending_of("out.parquet"), ".parquet");
  for (const char* const none :
       {"", "out", "x.y/out", ".out", "..", "...out", "out.", "out.parquets", "out.2026-01", "out.d/"}) {
    EXPECT_EQ(ending_of(none), "") << none;
  }
}

}  // namespace
}  // namespace warpmeter
