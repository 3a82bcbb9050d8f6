// What is refused of a text before a parser sees it, and what only looks like that.
#include "policy/memory/policy_file.h"

#include <gtest/gtest.h>

#include "support/policy_text.h"

namespace warpmeter {
namespace {

std::string refusal(const std::string& text) {
  return test::policy_error([&] { check_toml_text(text); });
}

TEST(TomlText, KeysOfManyParts) {
  std::string parts = "a";
  for (int i = 0; i < 1'000'000; ++i) parts += ".a";
  const std::string why = "TOML: a key of more than 32 parts (line 2)";
  EXPECT_EQ(refusal("\n" + parts + " = 1"), why);
  EXPECT_EQ(refusal("\n[" + parts + "]"), why);
  EXPECT_EQ(refusal("\nx = { " + parts + " = 1 }"), why);
  EXPECT_EQ(refusal("\nx = { y = \"\"\"q\"\"\"\", " + parts + " = 1 }"), why);
  EXPECT_EQ(refusal("\nx = { y = '\"', " + parts + " = 1 }"), why);
  EXPECT_EQ(refusal("\nx = { y = \"\\\\\", " + parts + " = 1 }"), why);
  EXPECT_EQ(refusal("x = \"\"\"\\\n\"\"\"\n" + parts), "TOML: a key of more than 32 parts (line 3)");
}

TEST(TomlText, DotsInTextAreNone) {
  const std::string dots(100, '.');
  EXPECT_EQ(refusal("# " + dots), "");
  EXPECT_EQ(refusal("a = ['" + dots + "', \"" + dots + "\", \'\'\'\n" + dots + "\'\'\']"), "");
  EXPECT_EQ(refusal("a = \"\\\"" + dots + "\""), "");
  EXPECT_EQ(refusal("a = [1.0, 2.0, 3.0]\n[b.c]\nd.e = 1"), "");
}

TEST(TomlText, WhatHasNoEndIsForTheParser) {
  for (const char* text : {"a = '", "a = \"\\", "a = \"\"\"", "a = \'\'\'x\'\'", "#", "\"", "a = \"\"\"\\   "}) {
    EXPECT_EQ(refusal(text), "") << text;
  }
}

}  // namespace
}  // namespace warpmeter
