// Link types as messages name them.
#include "packet/file/capture_links.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

TEST(LinkName, BeginsWithTheNumber) {
  EXPECT_EQ(link_name(127).rfind("127", 0), 0u);
  EXPECT_EQ(link_name(65000), "65000");
  EXPECT_EQ(link_name(147), "147 (USER0)");
  EXPECT_EQ(link_name(162), "162 (USER15)");
}

}  // namespace
}  // namespace warpmeter::test
