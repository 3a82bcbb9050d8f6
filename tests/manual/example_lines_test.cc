// Long command lines of examples fit a page, and say the same to a shell.
#include "manual/example_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace warpmeter {
namespace {

const std::string kLong(60, 'x');

TEST(NarrowExample, LeavesShortLinesAndWhatIsNoCommand) {
  EXPECT_EQ(narrow_example("a b  # c\n\nd\n"), "a b  # c\n\nd\n");
  EXPECT_EQ(narrow_example("  " + kLong + " " + kLong), "  " + kLong + " " + kLong + "\n");
}

TEST(NarrowExample, PutsCommentsBefore) { EXPECT_EQ(narrow_example("a b     # " + kLong), "# " + kLong + "\na b\n"); }

TEST(NarrowExample, BreaksBetweenWords) {
  EXPECT_EQ(narrow_example("a " + kLong + " bbbbb ccccc"), "a " + kLong + " \\\n    bbbbb ccccc\n");
  EXPECT_EQ(narrow_example("a '" + kLong + " bbbbb' ccccc"), "a \\\n    '" + kLong + " bbbbb' ccccc\n");
  EXPECT_EQ(narrow_example("a " + kLong + " -b ccccc d"), "a " + kLong + " \\\n    -b ccccc d\n") << "with its value";
  EXPECT_EQ(narrow_example("a" + kLong + kLong), "a" + kLong + kLong + "\n") << "a word is never broken";
}

}  // namespace
}  // namespace warpmeter
