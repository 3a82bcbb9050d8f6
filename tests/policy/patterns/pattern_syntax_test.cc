// What is refused of patterns, and what of them can match where the beginning of a stream was not seen.
#include "policy/patterns/pattern_syntax.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

std::string refusal(const std::string& pattern, PatternMode mode = PatternMode::stream) {
  try {
    read_pattern(pattern, mode);
  } catch (const PatternError& error) {
    return error.what();
  }
  return "";
}

std::string inside(const std::string& pattern) {
  const PatternSyntax syntax = read_pattern(pattern, PatternMode::stream);
  return syntax.never_inside ? "never" : syntax.inside;
}

TEST(PatternSyntax, RefusesWhatIsNotStreamable) {
  for (const char* pattern :
       {R"((a)\1)", "a(?=b)", "a(?!b)",  "(?<=a)b",  "(?<!a)b", "(?<n>a)", "(?P<n>a)", "(?P=n)",          "a++",
        "a*+b",     "a?+",    "a{2}+",   "(?>a)",    R"(a\Z)",  R"(a\z)",  R"(\Ga)",   R"((?<n>a)\k<n>)", R"(\g1)",
        "(?1)",     "(?R)",   "(?|a|b)", "(?(1)a|b)"}) {
    EXPECT_EQ(refusal(pattern), "not streamable") << pattern;
    EXPECT_EQ(refusal(pattern, PatternMode::block), "not streamable") << pattern;
  }
}

TEST(PatternSyntax, TakesWhatOnlyLooksLikeThat) {
  for (const char* pattern :
       {R"(a\++)", "[*+]", "[?+]a", R"(\\1)", R"([\1])", R"(a\(?=b)", "[(?=]", R"(\x{41}+)", "a+?b", "[]+*+]", "[^]*+]",
        "[[:alpha:]*+]", R"([\]*+])", "a{,b", "(?i:a)", "(?is)a", "a{2}{3}"}) {
    EXPECT_EQ(refusal(pattern), "") << pattern;
  }
}

TEST(PatternSyntax, RefusesTheEndOfAStream) {
  const std::string why = "a stream has no end that $ could stand for";
  EXPECT_EQ(refusal("a$"), why);
  EXPECT_EQ(refusal("(a|b$)c"), why);
  EXPECT_EQ(refusal("a$", PatternMode::block), "");
  EXPECT_EQ(refusal(R"(a\$)"), "");
  EXPECT_EQ(refusal("[$]"), "");
  EXPECT_EQ(refusal(R"(\\$)"), why);
}

TEST(PatternSyntax, RefusesFlagsThatChangeWhatIsRead) {
  EXPECT_EQ(refusal("(?m)^a"), "the flag m is not taken in a stream, which has no lines: write (^|\\n)");
  EXPECT_EQ(refusal("(?m:^a)"), "the flag m is not taken in a stream, which has no lines: write (^|\\n)");
  EXPECT_EQ(refusal("(?m)^a", PatternMode::block), "");
  EXPECT_EQ(refusal("(?x)a"), "the flag x, blanks that mean nothing, is not taken");
  EXPECT_EQ(refusal("a(?i)b"), "flags stand at the beginning, or as (?i:...)");
}

TEST(PatternSyntax, RefusesWhatHasNoEnd) {
  EXPECT_EQ(refusal("(a"), "a ( without its )");
  EXPECT_EQ(refusal("(?"), "a ( without its )");
  EXPECT_EQ(refusal("(?#a"), "a comment without its )");
  EXPECT_EQ(refusal("a)"), "there is no ( for this )");
  EXPECT_EQ(refusal("[a"), "a [ without its ]");
  EXPECT_EQ(refusal("[]"), "a [ without its ]");
  EXPECT_EQ(refusal("a\\"), "nothing behind the last \\");
  EXPECT_EQ(refusal("\\x{41"), "a { without its }");
  EXPECT_EQ(refusal("a{,3}"), "a count needs both its ends: {0,n}");
  EXPECT_EQ(refusal("(*UTF8)a"), "(* is not taken");
  EXPECT_EQ(refusal("\\Qa\\E"), "\\Q is not taken: a \\ stands before each character");
  EXPECT_EQ(refusal(std::string(200, '(') + "a" + std::string(200, ')')), "more than 100 groups within groups");
  EXPECT_EQ(refusal(std::string(100000, '(')), "more than 100 groups within groups");
}

TEST(PatternSyntax, LeavesOutWhatNeedsTheBeginning) {
  EXPECT_EQ(inside("abc"), "abc");
  EXPECT_FALSE(read_pattern("abc", PatternMode::stream).anchored);
  EXPECT_EQ(inside("^abc"), "never");
  EXPECT_EQ(inside("\\Aabc"), "never");
  EXPECT_EQ(inside("^a|b|^c|d"), "b|d");
  EXPECT_EQ(inside("(?:^|,)a"), "(?:,)a");
  EXPECT_EQ(inside("(^a)?b"), "b");
  EXPECT_EQ(inside("(^a)*b"), "b");
  EXPECT_EQ(inside("(^a){0,3}b"), "b");
  EXPECT_EQ(inside("(^a){1,3}b"), "never");
  EXPECT_EQ(inside("(^a)+b"), "never");
  EXPECT_EQ(inside("(?i)^a|b"), "(?i)b");
  EXPECT_EQ(inside("((^a|b)c|^d)e"), "((b)c)e");
  EXPECT_EQ(inside("[^^]\\^x"), "[^^]\\^x");
  EXPECT_EQ(inside("(|^a)b"), "()b");
  EXPECT_TRUE(read_pattern("(|^a)b", PatternMode::stream).anchored);
}

}  // namespace
}  // namespace warpmeter
