// Labels and fields in IPFIX: what is written comes back, and lists that make no sense end where they do.
#include <gtest/gtest.h>

#include <random>

#include "record/ipfix/ipfix_format.h"
#include "record/ipfix/record_encoder.h"
#include "support/ipfix_file.h"
#include "support/ipfix_reading.h"
#include "support/ipfix_records.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::ByteWriter;
using Texts = std::vector<std::string>;

class NotedBytes : public ByteSink {
 public:
  void write(const void* bytes, std::size_t count) override {
    const auto* from = static_cast<const std::uint8_t*>(bytes);
    all.insert(all.end(), from, from + count);
  }
  Bytes all;
};

ExtraColumns policy_columns() {
  ExtraColumns columns;
  for (const char* name : {"labels", "tls_sni", "http_host", "dns_name", "ssh_banner"}) {
    const auto number = static_cast<std::uint32_t>(columns.size());
    columns.push_back(std::make_shared<AnnotationColumn>(name, number, number == 0));
  }
  return columns;
}

Annotations noted_of_flow(std::size_t i) {
  Annotations noted;
  for (std::size_t n = 0; n < i % 4; ++n) noted.add({0, 0, "label-" + std::to_string(i + n)});
  for (std::uint32_t column = 1; column < 5; ++column) {
    if (i >> column & 1) noted.add({0, column, std::string(i % 120, 'x') + std::to_string(i)});
  }
  return noted;
}

// "NAME=TEXT" each, flow by flow; a flow begins with "-".
Texts noted_in_ipfix(const Bytes& file) {
  const test::ScratchFolder folder;
  IpfixReader reader(folder.write("x.ipfix", file));
  Texts all;
  for (Biflow flow; reader.next(flow);) {
    all.emplace_back("-");
    const ExtraColumns columns = reader.layout().extra;
    for (const Annotation& a : reader.annotations().all()) {
      all.push_back(std::string(columns.at(a.column)->name()) + "=" + a.text);
    }
  }
  EXPECT_FALSE(reader.damage()) << reader.damage()->reason;
  return all;
}

Bytes written(IpfixProfile profile, bool biflow, std::size_t flows, const std::function<Annotations(int)>& of) {
  NotedBytes file;
  IpfixFileSink sink(file);
  const RecordLayout layout{.biflow = biflow, .extra = policy_columns()};
  const auto format = make_ipfix_format(layout, {profile});
  const auto writer = format->new_writer(sink);
  const std::unique_ptr<RecordSection> section = writer->format().new_section();
  std::size_t i = 0;
  for (Biflow& flow : test::random_biflows(flows, 5)) {
    if (i % 5 == 0) flow.forward.absent = 1u << column_number("packets");  // a Template of its own
    const FlowRecord* const reverse = flow.has_reverse && biflow ? &flow.reverse : nullptr;
    section->write_annotated(flow.forward, reverse, of(static_cast<int>(i++)));
  }
  writer->append(*section);
  writer->end();
  return file.all;
}

Texts written_and_read(IpfixProfile profile, bool biflow, std::size_t flows,
                       const std::function<Annotations(int)>& of) {
  return noted_in_ipfix(written(profile, biflow, flows, of));
}

TEST(IpfixAnnotations, KeepTheOrderOfColumns) {
  const test::ScratchFolder folder;
  const Bytes file =
      written(IpfixProfile::everything, false, 9, [](int i) { return noted_of_flow(static_cast<std::size_t>(i) + 7); });
  IpfixReader reader(folder.write("x.ipfix", file));
  for (Biflow flow; reader.next(flow);) {
  }
  const ExtraColumns columns = reader.layout().extra;
  ASSERT_EQ(columns.size(), policy_columns().size());
  for (std::size_t i = 0; i < columns.size(); ++i) EXPECT_EQ(columns[i]->name(), policy_columns()[i]->name());
}

TEST(IpfixAnnotations, ComeBack) {
  const ExtraColumns columns = policy_columns();
  for (const bool biflow : {false, true}) {
    Texts wanted;
    for (std::size_t i = 0; i < 500; ++i) {
      wanted.emplace_back("-");
      const Annotations noted = noted_of_flow(i);
      for (const std::uint32_t column : {0u, 2u, 1u, 3u, 4u}) {  // as the elements stand in kFieldElements
        for (const Annotation& a : noted.all()) {
          if (a.column == column) wanted.push_back(std::string(columns[column]->name()) + "=" + a.text);
        }
      }
    }
    EXPECT_EQ(written_and_read(IpfixProfile::everything, biflow, 500, noted_of_flow), wanted);
  }
}

TEST(IpfixAnnotations, OfIanaAreOneLabelAndTheHost) {
  const auto of = [](int) {
    Annotations noted;
    for (std::uint32_t column = 0; column < 5; ++column) noted.add({0, column, "t" + std::to_string(column)});
    return noted;
  };
  EXPECT_EQ(written_and_read(IpfixProfile::plain, false, 1, of), (Texts{"-", "labels=t0", "http_host=t2"}));
}

TEST(IpfixAnnotations, AreCutWhereARecordWouldNotFitIntoADatagram) {
  const auto of = [](int) {
    Annotations noted;
    for (int i = 0; i < 1000; ++i) noted.add({0, 0, "a-label-of-twenty-" + std::to_string(i)});
    noted.add({0, 1, std::string(10'000, 'x')});
    return noted;
  };
  const Texts read = written_and_read(IpfixProfile::everything, false, 1, of);
  EXPECT_GT(read.size(), 20u);
  EXPECT_LT(read.size(), 40u);
  EXPECT_EQ(read[1], "labels=a-label-of-twenty-0");
}

// The octets of the element that stands behind labels, of one flow.
TEST(IpfixAnnotations, TellTheNumberOfTheFirstLabelThatHasOne) {
  const auto number_of = [](const Texts& labels) {
    Annotations noted;
    for (const std::string& label : labels) noted.add({0, 0, label});
    const ExtraColumns columns = policy_columns();
    const ShapeRules rules({.extra = {columns[0]}}, IpfixProfile::everything);
    Bytes octets;
    RecordEncoder(rules.fields_of({}), nullptr, columns).encode_noted(noted, octets);
    return octets.at(octets.size() - 2) << 8 | octets.back();
  };
  EXPECT_EQ(number_of({"tls"}), 443);
  EXPECT_EQ(number_of({"site:shop", "http", "tls"}), 80);
  EXPECT_EQ(number_of({"bittorrent"}), 6881);
  EXPECT_EQ(number_of({"xmpp"}), 5222);  // the last of the table
  for (const Texts& none : {Texts{}, Texts{"label"}, Texts{"x", "HTTP"}}) EXPECT_EQ(number_of(none), 0);
  const ShapeRules plain({.extra = {policy_columns()[0]}}, IpfixProfile::plain);
  EXPECT_EQ(plain.fields_of({}).back().element, "applicationName");
}

Bytes flow_with_list(const Bytes& list) {
  const auto fields = test::join(test::kFlowFields, {{14, test::kVariable, kEnterpriseNumber}});
  const Bytes record = ByteWriter().bytes(test::flow_key_fields()).u8(list.size()).bytes(list).data();
  return test::ipfix_message(test::join(test::template_set(256, fields), test::ipfix_set(256, record)));
}

TEST(IpfixAnnotations, ElementsOfAnOutputNeedNamesOfColumns) {
  ExtraColumns columns{std::make_shared<AnnotationColumn>("labels", 0, true)};
  for (const char* name : {"vlanId", "OUT", "two words", "ok_1.x"}) {
    columns.push_back(std::make_shared<AnnotationColumn>(name, 1, false));
  }
  for (int i = 0; i < 20; ++i) {
    columns.push_back(std::make_shared<AnnotationColumn>("c" + std::to_string(i), 2, false));
  }
  const std::vector<ColumnText> texts = column_texts(columns, IpfixProfile::everything);
  ASSERT_EQ(texts.size(), std::size_t{kMostOwnTexts});
  EXPECT_EQ(texts[0].element, "ok_1.x");
  EXPECT_EQ(texts[0].at, 4u);
  EXPECT_EQ(texts.back().number, kFirstOwnText + kMostOwnTexts - 1);
  EXPECT_TRUE(column_texts(columns, IpfixProfile::plain).empty());
}

// A name that nobody told, one of ours, and numbers beyond those that there may be.
TEST(IpfixAnnotations, OfElementsWithoutAGoodNameAreNone) {
  const auto file_with = [](int number, const std::string& name) {
    const Bytes type = ByteWriter()
                           .u32(kEnterpriseNumber)
                           .u16(static_cast<std::uint64_t>(number))
                           .u8(name.size())
                           .bytes(Bytes(name.begin(), name.end()))
                           .data();
    const auto fields =
        test::join(test::kFlowFields, {{96, test::kVariable}, {number, test::kVariable, kEnterpriseNumber}});
    const Bytes record = ByteWriter().bytes(test::flow_key_fields()).u8(1).bytes({'a'}).u8(2).bytes({'h', 'i'}).data();
    return test::ipfix_message(
        test::join(test::options_template_set(257, 2, {{346, 4}, {303, 2}, {341, test::kVariable}}),
                   test::ipfix_set(257, type), test::template_set(256, fields), test::ipfix_set(256, record)));
  };
  EXPECT_EQ(noted_in_ipfix(file_with(1000, "title")), (Texts{"-", "labels=a", "title=hi"}));
  EXPECT_EQ(noted_in_ipfix(file_with(1015, "title")), (Texts{"-", "labels=a", "title=hi"}));
  for (const char* name : {"", "packets", "a,b"}) {
    EXPECT_EQ(noted_in_ipfix(file_with(1000, name)), (Texts{"-", "labels=a"})) << name;
  }
  for (const int number : {999, 1016}) {
    EXPECT_EQ(noted_in_ipfix(file_with(number, "title")), (Texts{"-", "labels=a"})) << number;
  }
}

TEST(IpfixAnnotations, OfListsThatMakeNoSenseEndThere) {
  const auto list = [](std::uint64_t length) { return ByteWriter().u8(3).u16(96).u16(length); };
  const Bytes two = {1, 'a', 2, 'b', 'c'};
  EXPECT_EQ(noted_in_ipfix(flow_with_list(list(65535).bytes(two).data())), (Texts{"-", "labels=a", "labels=bc"}));
  EXPECT_EQ(noted_in_ipfix(flow_with_list(list(2).bytes({'x', 'y', 'z'}).data())), (Texts{"-", "labels=xy"}));
  EXPECT_EQ(noted_in_ipfix(flow_with_list(ByteWriter().u8(3).u16(0x8001).u16(65535).u32(9).bytes(two).data())),
            (Texts{"-", "labels=a", "labels=bc"}));
  const Bytes bad[] = {{},
                       {3, 0, 96, 255},
                       list(0).bytes({1, 2, 3}).data(),
                       list(65535).bytes({9, 'a'}).data(),
                       list(65535).bytes({255}).data(),
                       list(65535).bytes({255, 1}).data(),
                       list(65535).bytes({255, 255, 255, 'a'}).data(),
                       list(65535).bytes({0, 0, 0, 0}).data(),
                       {3, 0x80, 96, 255, 255, 0, 0},
                       list(60'000).bytes({1, 2, 3}).data()};
  for (const Bytes& octets : bad) EXPECT_EQ(noted_in_ipfix(flow_with_list(octets)), Texts{"-"});
  Bytes many = list(1).data();
  many.resize(255, 'a');
  many.pop_back();
  EXPECT_EQ(noted_in_ipfix(flow_with_list(many)).size(), many.size() - 5 + 1);
}

}  // namespace
}  // namespace warpmeter
