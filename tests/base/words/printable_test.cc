// What cannot be shown is escaped, and nothing else is.
#include "base/words/printable.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

TEST(Printable, LeavesText) {
  for (const char* text :
       {"", "a b/c-d.pcap", "gr\u00fc\u00dfe \u65e5\u672c \U0001f980 \u20ac", "back\\slash", "'\"$`"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesWhatTerminalsObey) {
  EXPECT_EQ(printable("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(printable("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\u009b31m"), "\\xc2\\x9b31m");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("x\u202egpj.exe"), "x\\xe2\\x80\\xaegpj.exe");
  EXPECT_EQ(printable("a\u2028b\u2066c"), "a\\xe2\\x80\\xa8b\\xe2\\x81\\xa6c");
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("a\xff"), "a\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");           // cut
  EXPECT_EQ(printable("\xc3("), "\\xc3(");         // no second byte
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");  // overlong
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Printable, EveryByteGivesOneLineAndTwiceIsOnce) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char text[] = {static_cast<char>(first), static_cast<char>(second), 'z'};
      const std::string once = printable({text, 3});
      EXPECT_EQ(printable(once), once);
      EXPECT_TRUE(once.ends_with('z'));
      for (const char c : once)
        EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << first << ' ' << second;
    }
  }
}

}  // namespace
}  // namespace warpmeter
