// What the data files say is what the program knows.
#include "record/ipfix/info_model.h"

#include <gtest/gtest.h>

#include <string>

#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

TEST(InfoModel, KnowsTheElementOfEveryColumn) {
  const InfoModel model;
  ASSERT_EQ(std::size(kColumnElements), kColumns.size());
  unsigned own = 0;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const ColumnElement& column = kColumnElements[i];
    EXPECT_EQ(column.column, kColumns[i].name);
    const fbInfoElement_t* element = model.element(column);
    ASSERT_NE(element, nullptr) << column.element;
    EXPECT_EQ(element->ent, column.own ? kEnterpriseNumber : 0);
    if (column.own) {
      EXPECT_EQ(element->num, ++own) << column.element;
    }
  }
  EXPECT_EQ(own, 13u);
}

TEST(InfoModel, KnowsTheReverseElementOfEveryColumn) {
  const InfoModel model;
  for (const ColumnElement& column : kColumnElements) {
    const fbInfoElement_t* forward = model.element(column);
    const fbInfoElement_t* reverse = model.element(column, true);
    ASSERT_NE(reverse, nullptr) << column.element;
    EXPECT_EQ(reverse->ent, column.own ? kEnterpriseNumber : FB_IE_PEN_REVERSE);
    EXPECT_EQ(reverse->num, column.own ? forward->num | FB_IE_VENDOR_BIT_REVERSE : forward->num);
    EXPECT_EQ(std::string(reverse->ref.name).substr(0, 7), "reverse");
  }
}

TEST(InfoModel, OurOwnElementsAreDescribed) {
  const InfoModel model;
  for (const ColumnElement& column : kColumnElements) {
    if (!column.own) continue;
    const fbInfoElement_t* element = model.element(column);
    EXPECT_EQ(element->type, FB_UINT_64) << column.element;
    EXPECT_EQ(element->len, 8) << column.element;
    EXPECT_NE(FB_IE_SEMANTIC(element->flags), 0u) << column.element;
    EXPECT_NE(FB_IE_UNITS(element->flags), 0u) << column.element;
    EXPECT_GT(element->max, 0u) << column.element;
    ASSERT_NE(element->description, nullptr) << column.element;
    const std::string description = element->description;
    EXPECT_GT(description.size(), 40u) << column.element;
    EXPECT_EQ(description.find("  "), std::string::npos) << description;
    EXPECT_TRUE(description.ends_with('.')) << description;
    const char* reverse = model.element(column, true)->description;
    ASSERT_NE(reverse, nullptr) << column.element;
    EXPECT_TRUE(std::string(reverse).ends_with(": " + description)) << reverse;
  }
}

TEST(InfoModel, KnowsNtopsElements) {
  const InfoModel model;
  const fbInfoElement_t* element = model.find("RETRANSMITTED_IN_PKTS");
  ASSERT_NE(element, nullptr);
  EXPECT_EQ(element->ent, 35632u);
  EXPECT_EQ(element->num, 109);
  EXPECT_EQ(element->len, 4);
}

TEST(InfoModel, FindsNothingThatIsNotThere) {
  const InfoModel model;
  EXPECT_EQ(model.find("noSuchElement"), nullptr);
}

}  // namespace
}  // namespace warpmeter
