// Data Records are, octet by octet, what libfixbuf would have written: Flow Records of every shape, layout and profile.
#include "record/ipfix/record_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/ipfix_header.h"
#include "record/ipfix/ipfix_format.h"
#include "support/fewer.h"
#include "support/fixbuf_oracle.h"
#include "support/ipfix_records.h"
#include "support/writers.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

struct Case {
  RecordLayout layout;
  IpfixProfile profile;
  std::size_t largest_message;
};

class RecordEncoderTest : public testing::TestWithParam<Case> {};

// What changes from one writer to the other by design.
void clear_time(std::vector<std::uint8_t>& message) { std::fill_n(&message[4], 4, std::uint8_t{0}); }

TEST_P(RecordEncoderTest, WritesWhatLibfixbufWrites) {
  const Case& c = GetParam();
  const ShapeRules rules(c.layout, c.profile);
  const std::vector<RecordShape> shapes = rules.usual_shapes();
  std::vector<Fields> templates;
  for (const RecordShape& shape : shapes) templates.push_back(rules.fields_of(shape));

  test::KeepingSink sink(c.largest_message);
  const auto format = make_ipfix_format(c.layout, {.profile = c.profile, .observation_domain = 77});
  const InfoModel model;
  test::FixbufOracle oracle(model, templates, 77, c.largest_message);
  std::set<std::size_t> seen;
  const std::vector<Biflow> flows = test::random_biflows(test::fewer(9'000), 5);
  test::write_all(*format->new_writer(sink), flows);
  for (const Biflow& flow : flows) {
    const FlowRecord* reverse = flow.has_reverse ? &flow.reverse : nullptr;
    const auto shape = std::find(shapes.begin(), shapes.end(), rules.shape_of(flow.forward, reverse));
    ASSERT_NE(shape, shapes.end());
    const auto number = static_cast<std::size_t>(shape - shapes.begin());
    seen.insert(number);
    oracle.write(number, flow.forward, c.layout.biflow ? reverse : nullptr);
  }
  EXPECT_EQ(seen.size(), shapes.size());

  std::vector<std::vector<std::uint8_t>> expected = oracle.finish();
  ASSERT_EQ(sink.data.size(), expected.size());
  EXPECT_GT(expected.size(), test::fewer(16));
  std::uint32_t records = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    set_sequence_number(sink.data[i], records);  // as a sink does
    records += sink.data[i].records;
    clear_time(sink.data[i].bytes);
    clear_time(expected[i]);
    ASSERT_EQ(sink.data[i].bytes, expected[i]) << "message " << i;
  }
  EXPECT_EQ(records, flows.size());
}

INSTANTIATE_TEST_SUITE_P(
    All, RecordEncoderTest,
    testing::Values(
        Case{{}, IpfixProfile::everything, 65535}, Case{{}, IpfixProfile::everything, 1400},
        Case{{.vlan = true}, IpfixProfile::everything, 8000}, Case{{.biflow = true}, IpfixProfile::everything, 65535},
        Case{{.biflow = true}, IpfixProfile::plain, 1400}, Case{{.biflow = true}, IpfixProfile::ntop, 9000},
        Case{{.absent = not_counted_by(Method::five_tuple)}, IpfixProfile::everything, 9000},
        Case{{.vlan = true, .biflow = true, .absent = not_counted_by(Method::five_tuple)}, IpfixProfile::ntop, 9000}));

}  // namespace
}  // namespace warpmeter
