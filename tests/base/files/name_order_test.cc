// The order of the files of a folder.
#include "base/files/file_name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace warpmeter {
namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::shuffle(names.begin(), names.end(), std::mt19937(7));
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return name_order(a, b) < 0; });
  return names;
}

using Names = std::vector<std::string>;

TEST(NameOrder, NumbersByTheirValue) {
  const Names names = {"flows.000001.csv",
                       "flows.000002.csv",
                       "flows.000010.csv",
                       "flows.999999.csv",
                       "flows.1000000.csv",
                       "flows.10000000.csv",
                       "flows.99999999999999999999999.csv",
                       "flows.csv"};
  EXPECT_EQ(sorted(names), names);
}

TEST(NameOrder, TimesOfRotationByTheirTime) {
  const Names names = {"f.20251231T235959.999000000Z.csv",
                       "f.20260131T120000Z.csv",
                       "f.20260131T120000.000000001Z.csv",
                       "f.20260131T120000.500000000Z.csv",
                       "f.20260131T120001Z.csv",
                       "f.20260131T120001.500000000Z.csv",
                       "f.empty.csv"};
  EXPECT_EQ(sorted(names), names);
}

TEST(NameOrder, FoldersHoldTogether) {
  const Names names = {"a/2/x", "a/10/x", "a/x", "a-b/x", "a.csv", "a2/x"};
  EXPECT_EQ(sorted(names), names);
}

// Any names: an order that is total, and equal for equal names alone.
TEST(NameOrder, IsTotal) {
  std::mt19937 random(3);
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) {
    std::string name;
    for (auto n = random() % 6; n > 0; --n) name += "01Z./-a\xc3"[random() % 8];
    names.push_back(name);
  }
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      EXPECT_EQ(name_order(a, b) == 0, a == b) << a << ' ' << b;
      EXPECT_EQ(name_order(a, b) < 0, name_order(b, a) > 0) << a << ' ' << b;
      for (const std::string& c : names) {
        EXPECT_TRUE(name_order(a, c) < 0 || name_order(a, b) >= 0 || name_order(b, c) >= 0) << a << b << c;
      }
    }
  }
}

}  // namespace
}  // namespace warpmeter
