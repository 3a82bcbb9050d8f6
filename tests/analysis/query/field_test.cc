// Which names are near others: those that a typing error makes of them.
#include "analysis/query/field.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

using Names = std::vector<std::string>;

TEST(NearNames, NeighboursExchangedAreOneMistake) {
  EXPECT_EQ(near_names("shwo", {"extract", "show", "live"}), Names{"show"});
  EXPECT_EQ(near_names("--tpo", {"--top", "--sum"}), Names{"--top"});
  EXPECT_EQ(near_names("wohs", {"show"}), Names{});
}

TEST(NearNames, TheNearestComesFirst) {
  EXPECT_EQ(near_names("bytess", {"packets", "payload_bytes", "bytes"}), (Names{"bytes"}));
  EXPECT_EQ(near_names("byte", {"payload_bytes", "bytes"}), (Names{"bytes", "payload_bytes"}));
}

}  // namespace
}  // namespace warpmeter
