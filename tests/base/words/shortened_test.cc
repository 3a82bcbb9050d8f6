// Very long text of users in messages.
#include "base/words/printable.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

TEST(Shortened, LeavesWhatIsShort) {
  EXPECT_EQ(shortened(""), "");
  EXPECT_EQ(shortened("tcp"), "tcp");
  EXPECT_EQ(shortened(std::string(200, 'x')), std::string(200, 'x'));
}

TEST(Shortened, KeepsBothEnds) {
  EXPECT_EQ(shortened("begin" + std::string(100'000, 'x') + "end"),
            "begin" + std::string(115, 'x') + " ... " + std::string(67, 'x') + "end");
}

TEST(Shortened, CutsNoCharacter) {
  std::string text = "x";
  for (int i = 0; i < 200; ++i) text += "\u00e9";
  const std::string cut = shortened(text);
  EXPECT_LT(cut.size(), 200u);
  EXPECT_NE(cut.find("\u00e9 ... \u00e9"), std::string::npos) << cut;
}

}  // namespace
}  // namespace warpmeter
