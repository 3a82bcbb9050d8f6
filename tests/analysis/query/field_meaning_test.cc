// Whatever has a name has a meaning, and the words of filters are what filters know.
#include "analysis/query/field.h"

#include <gtest/gtest.h>

#include "analysis/query/comparison.h"
#include "analysis/query/filter.h"
#include "analysis/query/literal.h"

namespace warpmeter {
namespace {

TEST(FieldMeaning, IsThereForEveryField) {
  for (const std::string& name : field_names()) EXPECT_NE(meaning_of(name), "") << name;
  EXPECT_EQ(meaning_of("pakets"), "");
}

TEST(FilterGrammar, NamesEveryOperatorAndNoOther) {
  std::vector<std::string> quoted;
  const std::string_view line = kFilterGrammar.substr(kFilterGrammar.find("operator    ="));
  for (std::size_t at = line.find('"'); at != std::string_view::npos;) {
    const std::size_t end = line.find('"', at + 1);
    quoted.emplace_back(line.substr(at + 1, end - at - 1));
    at = line.find('"', end + 1);
  }
  ASSERT_GT(quoted.size(), 5u);
  for (const std::string& word : quoted) EXPECT_TRUE(operator_of(word)) << word;
  for (const std::string_view word : operator_words(FieldType::number)) {
    EXPECT_NE(std::find(quoted.begin(), quoted.end(), word), quoted.end()) << word;
  }
}

TEST(OperatorWords, AreThoseOfTheType) {
  using Words = std::vector<std::string_view>;
  EXPECT_EQ(operator_words(FieldType::address), (Words{"=", "!=", "in", "not in"}));
  EXPECT_EQ(operator_words(FieldType::flags).back(), "has");
  EXPECT_EQ(operator_words(FieldType::endpoint), Words{});
}

TEST(FilterNames, AreWhatFiltersKnow) {
  for (const std::string_view name : protocol_names()) EXPECT_NO_THROW(Filter{std::string(name)}) << name;
  for (const std::string_view name : ip_version_names()) EXPECT_NO_THROW(Filter{std::string(name)}) << name;
  for (const std::string_view name : end_reason_names())
    EXPECT_NO_THROW(Filter{"end_reason = " + std::string(name)}) << name;
  EXPECT_GT(protocol_names().size(), 10u);
}

}  // namespace
}  // namespace warpmeter
