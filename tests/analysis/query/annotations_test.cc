// Labels and other texts of flows: filtered, summed and sorted by.
#include <gtest/gtest.h>

#include "analysis/query/filter.h"
#include "analysis/query/flow_of.h"
#include "analysis/query/sort_order.h"
#include "analysis/query/sums.h"
#include "core/noted_columns.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

std::uint32_t annotation_number(std::string_view name) { return *AnnotationNames::of_process().number(name); }

Annotations noted(const std::vector<std::string>& labels, const std::string& sni = "") {
  Annotations all;
  for (const std::string& label : labels) all.add({0, annotation_number("labels"), label});
  if (!sni.empty()) all.add({0, annotation_number("tls_sni"), sni});
  return all;
}

bool meets(const std::string& filter, const Annotations& annotations) {
  return Filter(filter, "filter", OtherNames::doubt).matches(test::flow_between("10.0.0.1", "10.0.0.2"), annotations);
}

TEST(FilterByText, TakesMacAddressesAsTheyAreWrittenElsewhere) {
  const Annotations mac = noted({"02:00:5e:10:00:0a"});
  for (const char* text : {"'02:00:5e:10:00:0a'", "'02:00:5E:10:00:0A'", "'02-00-5E-10-00-0A'"}) {
    EXPECT_TRUE(meets(std::string("labels = ") + text, mac)) << text;
    EXPECT_TRUE(meets(std::string("labels in (x, ") + text + ")", mac)) << text;
  }
  EXPECT_TRUE(meets("labels = '02-00-5E-10-00-0A'", noted({"02-00-5E-10-00-0A"})));
  EXPECT_FALSE(meets("labels = '02-00-5E-10-00-0A'", noted({"02:00:5e:10:00:0b"})));
}

TEST(FilterByLabels, AsksForAnyOfThemOrNone) {
  const Annotations both = noted({"tls", "web"});
  for (const char* filter : {"labels = tls", "labels web", "labels = 'web'", "labels in (dns, web)", "labels != dns"}) {
    EXPECT_TRUE(meets(filter, both)) << filter;
  }
  for (const char* filter : {"labels = dns", "labels = we", "labels != web", "labels in (dns, ntp)", "labels = TLS"}) {
    EXPECT_FALSE(meets(filter, both)) << filter;
  }
  EXPECT_TRUE(meets("labels != tls", {}));
  EXPECT_FALSE(meets("labels = tls", {}));
}

TEST(FilterByText, TakesAnyTextInQuotes) {
  const Annotations one = noted({}, "a b) and (c = \"");
  EXPECT_TRUE(meets("tls_sni = 'a b) and (c = \"'", one));
  EXPECT_TRUE(meets("tls_sni != \"and\" and tcp", one));
  EXPECT_FALSE(meets("tls_sni = \"and\" or 'tls_sni' = 'or'", one));
  EXPECT_FALSE(meets("tls_sni != x", noted({"tls"})));  // what has no value meets nothing
  EXPECT_FALSE(meets("tls_sni = ''", noted({"tls"})));
}

TEST(FilterByText, NamesThatMayBeNoneAreDoubts) {
  const Filter filter("labels = x and (tls_sni = y or pakets = 3)", "filter", OtherNames::doubt);
  ASSERT_EQ(filter.doubts().size(), 2u);
  EXPECT_EQ(filter.doubts()[0].name, "tls_sni");
  EXPECT_EQ(filter.doubts()[1].name, "pakets");
  EXPECT_NE(filter.doubts()[1].message.find("at character 32: 'pakets' is no column (near: packets"), std::string::npos)
      << filter.doubts()[1].message;
  for (const char* bad : {"pakets > 3", "pakets", "pakets = ", "7seven = x", "labels has S", "labels < x"}) {
    EXPECT_FALSE(test::thrown_text([&] { Filter(bad, "filter", OtherNames::doubt); }).empty()) << bad;
  }
  EXPECT_NE(test::thrown_text([] { Filter("tls_sni = x"); }).find("'tls_sni' is no column"), std::string::npos);
}

std::vector<std::string> label_rows(const std::string& keys, const std::string& order = "flows") {
  const std::vector<SumKey> parsed = parse_sum_keys(keys);
  Sums sums(parsed, order);
  const FlowRecord flow = test::flow_between("10.0.0.1", "10.0.0.2", 1000, 443).forward;
  sums.add(flow, noted({"tls", "web"}, "b-name-of-twenty-characters.1"));
  sums.add(flow, noted({"tls"}, "b-name-of-twenty-characters.0"));
  sums.add(flow, noted({"tls"}, "a"));
  sums.add(flow);
  std::vector<std::string> lines;
  for (const SumRow* row : sums.sorted(0)) {
    std::size_t at = 0;
    std::string line;
    for (const SumKey& key : parsed) {
      const SumKeyValue value = key.value(row->group, at);
      line += (key.type() == FieldType::text ? std::string(value.text) : std::to_string(*value.number)) + " ";
    }
    EXPECT_EQ(at, row->group.size());
    lines.push_back(line + std::to_string(row->flows));
  }
  return lines;
}

using TextRows = std::vector<std::string>;

TEST(SumsByLabels, CountAFlowForEachOfThem) {
  EXPECT_EQ(label_rows("labels"), (TextRows{"tls 3", "web 1", " 1"}));
  EXPECT_EQ(label_rows("labels,dst_port", "labels:desc"), (TextRows{"web 443 1", "tls 443 3", " 443 1"}));
  EXPECT_EQ(label_rows("port,labels", "labels").size(), 6u);
}

TEST(SumsByText, AreSortedByTheWholeText) {
  EXPECT_EQ(label_rows("tls_sni", "tls_sni"),
            (TextRows{"a 1", "b-name-of-twenty-characters.0 1", "b-name-of-twenty-characters.1 1", " 1"}));
  EXPECT_EQ(label_rows("tls_sni", "tls_sni:desc"),
            (TextRows{"b-name-of-twenty-characters.1 1", "b-name-of-twenty-characters.0 1", "a 1", " 1"}));
  EXPECT_FALSE(parse_sum_keys("tls_sni")[0].doubt().empty());
  EXPECT_TRUE(parse_sum_keys("labels")[0].doubt().empty());
  const std::vector<SumKey> keys = parse_sum_keys("labels,dst_port");
  Sums sums(keys, "flows");
  sums.add(test::flow_between("10.0.0.1", "10.0.0.2", 1, 443).forward, noted({"tls", "web"}));
  const SumFilter having("labels = web", keys);
  EXPECT_EQ(sums.sorted(0, [&](const SumRow& row) { return having.matches(row); }).size(), 1u);
}

TEST(SortByText, ComparesAllOfItAndKeepsWhatIsNoted) {
  const ExtraColumns columns{std::make_shared<AnnotationColumn>("tls_sni", annotation_number("tls_sni"), false)};
  for (const std::size_t most : {std::size_t{0}, std::size_t{3}}) {
    FlowSorter sorter(SortOrder("tls_sni", "--sort", columns), most);
    for (const char* sni : {"the-same-sixteen-and-z", "", "the-same-sixteen-and-a", "b", "the-same-sixteen-and-m"}) {
      sorter.add(test::flow_between("10.0.0.1", "10.0.0.2"), noted({}, sni));
    }
    TextRows found;
    sorter.for_each_sorted([&](const Biflow&, const Annotations& annotations) {
      found.emplace_back(annotations.first_of(annotation_number("tls_sni")));
    });
    TextRows wanted{"b", "the-same-sixteen-and-a", "the-same-sixteen-and-m", "the-same-sixteen-and-z", ""};
    if (most) wanted.resize(most);
    EXPECT_EQ(found, wanted);
  }
  EXPECT_FALSE(test::thrown_text([] { SortOrder("tls_sni"); }).empty());
}

}  // namespace
}  // namespace warpmeter
