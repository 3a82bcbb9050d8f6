// Which columns of files are annotations, and what becomes of their texts, hostile ones too.
#include "core/noted_columns.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "record/columns/column_option.h"
#include "record/read/flow_files.h"
#include "record/read/read_text.h"
#include "record/read/text_readers.h"

namespace warpmeter {
namespace {

using Texts = std::vector<std::string>;

const std::string kFlowColumns = "src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns";
const std::string kFlowValues = "10.0.0.1,10.0.0.2,1,2,6,100,200";
const std::string kFlowObject = R"("src_addr":"10.0.0.1","dst_addr":"10.0.0.2","src_port":1,"dst_port":2,"protocol":6,)"
                                R"("start_ns":100,"end_ns":200)";

// "NAME=TEXT" each, flow by flow; a flow begins with "-".
template <class Reader>
Texts noted_in(const std::string& text) {
  const test::ScratchFolder folder;
  test::write_file(folder.file("in"), text);
  Reader reader(std::make_unique<TextSource>(folder.file("in")));
  Texts all;
  for (Biflow flow; reader.next(flow);) {
    all.emplace_back("-");
    const ExtraColumns columns = reader.layout().extra;
    for (const Annotation& annotation : reader.annotations().all()) {
      all.push_back(std::string(columns.at(annotation.column)->name()) + "=" + annotation.text);
    }
  }
  EXPECT_FALSE(reader.damage()) << reader.damage()->reason;
  return all;
}

Texts names_of(const ExtraColumns& columns) {
  Texts all;
  for (const auto& column : columns) all.emplace_back(column->name());
  return all;
}

TEST(Annotations, OfCsvAreAllColumnsOfOtherNamesBesideLabels) {
  const std::string header = "note," + kFlowColumns + ",community_id,labels,tls_sni,packets\n";
  const std::string rows = "x," + kFlowValues + ",1:abc,a;b,h.example,3\n," + kFlowValues + ",1:abc,,,3\n";
  EXPECT_EQ(noted_in<CsvReader>(header + rows),
            (Texts{"-", "note=x", "labels=a", "labels=b", "tls_sni=h.example", "-"}));
  const auto read = test::read_text<CsvReader>(header + rows);
  EXPECT_EQ(names_of(read.layout.extra), (Texts{"labels", "note", "tls_sni"}));
  EXPECT_EQ(read.flows.at(0).forward.packets, 3u);
}

TEST(Annotations, WithoutLabelsAreNone) {
  EXPECT_EQ(noted_in<CsvReader>(kFlowColumns + ",tls_sni\n" + kFlowValues + ",h.example\n"), Texts{"-"});
  EXPECT_EQ(noted_in<JsonReader>("{" + kFlowObject + R"(,"tls_sni":"h.example"})" + "\n"), Texts{"-"});
  EXPECT_TRUE(test::read_text<CsvReader>(kFlowColumns + ",tls_sni\n" + kFlowValues + ",h\n").layout.extra.empty());
}

TEST(Annotations, OfJsonAreTextsOfObjectsWithLabels) {
  const std::string all = "{\"note\":\"x\"," + kFlowObject +
                          R"(,"labels":["a","b"],"n":7,"o":{"labels":"no"},"l":["no"],"tls_sni":"h","empty":null})";
  EXPECT_EQ(noted_in<JsonReader>(all + "\n{" + kFlowObject + ",\"note\":\"y\"}\n" + "{" + kFlowObject +
                                 ",\"labels\":\"a;c\"}\n"),
            (Texts{"-", "labels=a", "labels=b", "note=x", "tls_sni=h", "-", "-", "labels=a", "labels=c"}));
  EXPECT_EQ(names_of(test::read_text<JsonReader>(all + "\n").layout.extra),
            (Texts{"labels", "note", "tls_sni", "empty"}));
}

TEST(Annotations, TextsAreWhatOutputsCanHave) {
  EXPECT_EQ(NotedColumns::as_text("plain text-1.example"), "plain text-1.example");
  EXPECT_EQ(NotedColumns::as_text("a,b;c\"d\ne\xff"), R"(a\x2cb;c\x22d\x0ae\xff)");
  EXPECT_EQ(NotedColumns::as_text(R"(\x2c stays, \y)"), R"(\x2c stays\x2c \x5cy)");
  EXPECT_EQ(NotedColumns::as_text(NotedColumns::as_text("a\\,\n")), NotedColumns::as_text("a\\,\n"));
  EXPECT_EQ(NotedColumns::as_text(std::string(100'000, '\xff')).size(), NotedColumns::kLongest);
  for (std::size_t plain = 1'010; plain < 1'024; ++plain) {  // none is cut within an escape
    const std::string text = NotedColumns::as_text(std::string(plain, 'x') + ",\xff");
    EXPECT_LE(text.size(), NotedColumns::kLongest);
    EXPECT_EQ(NotedColumns::as_text(text), text);
  }
}

TEST(Annotations, AreNoMoreThanTheirLimits) {
  std::string header = kFlowColumns + ",labels", row = kFlowValues + ",";
  for (int i = 0; i < 10'000; ++i) row += "l" + std::to_string(i) + ";";
  for (int i = 0; i < 10'000; ++i) header += ",c" + std::to_string(i), row += ",x";
  const Texts all = noted_in<CsvReader>(header + "\n" + row + "\n");
  EXPECT_EQ(all.size(), 1 + NotedColumns::kMostLabels + NotedColumns::kMost - 1);
  std::string object = "{" + kFlowObject, labels = ",\"labels\":[\"a\"";
  for (int i = 0; i < 10'000; ++i) object += ",\"c" + std::to_string(i) + "\":\"x\"", labels += ",\"b\"";
  EXPECT_EQ(noted_in<JsonReader>(object + labels + "]}\n").size(),
            1 + NotedColumns::kMostLabels + NotedColumns::kMost - 1);
}

TEST(Annotations, NoColumnOfOursIsOne) {
  NotedColumns columns;
  for (const ColumnOption& option : column_options()) EXPECT_TRUE(is_own_column(option.column)) << option.column;
  for (const char* name : {"interface", "direction", "src_addr", "duration_us", "reverse_start_time", "vlan_id", ""}) {
    EXPECT_FALSE(columns.add(name)) << name;
  }
  EXPECT_FALSE(columns.add("two\nlines"));
  EXPECT_EQ(columns.add("labels"), 0u);
  EXPECT_EQ(columns.add("host"), 1u);
  EXPECT_EQ(columns.add("labels"), 0u);
}

TEST(Annotations, HaveTheSameNumbersInAllFiles) {
  const test::ScratchFolder folder;
  const auto flow_of = [&](const char* name, const std::string& columns, const std::string& values) {
    test::write_file(folder.file(name), kFlowColumns + "," + columns + "\n" + kFlowValues + "," + values + "\n");
    RecordInputs inputs;
    inputs.files = {folder.file(name)};
    return inputs.files[0];
  };
  RecordInputs inputs;
  inputs.files = {flow_of("a.csv", "labels,tls_sni", "x,h1"), flow_of("b.csv", "http_host,labels", "h2,y;z"),
                  flow_of("c.csv", "packets", "7")};
  const std::atomic<bool> never = false;
  FlowFiles files(std::move(inputs), never);
  EXPECT_EQ(names_of(files.layout().extra), (Texts{"labels", "tls_sni", "http_host"}));
  const auto number = [&](std::string_view name) {
    return *(*std::ranges::find(files.layout().extra, name, &ExtraColumn::name))->annotation();
  };
  Biflow flow;
  ASSERT_TRUE(files.next(flow));
  EXPECT_EQ(files.annotations().first_of(number("tls_sni")), "h1");
  ASSERT_TRUE(files.next(flow));
  EXPECT_EQ(files.annotations().first_of(number("http_host")), "h2");
  EXPECT_EQ(files.annotations().first_of(number("tls_sni")), "");
  EXPECT_EQ(files.annotations().list_of(number("labels")).size(), 2u);
  ASSERT_TRUE(files.next(flow));
  EXPECT_TRUE(files.annotations().empty());
}

}  // namespace
}  // namespace warpmeter
