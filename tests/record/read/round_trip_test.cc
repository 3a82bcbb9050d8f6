// Written, read and written again gives the same bytes, whatever the flows; and CSV and JSON tell the same.
#include <gtest/gtest.h>

#include "record/read/read_text.h"
#include "record/read/text_readers.h"
#include "support/export_records.h"
#include "support/extra_columns.h"
#include "support/fewer.h"
#include "support/random_flows.h"

namespace warpmeter {
namespace {

using test::read_text;
using test::ReadBack;

std::string written(Format format, const std::vector<Biflow>& flows, const RecordLayout& layout) {
  return test::written_text(format, flows, layout);
}

class RoundTrip : public testing::TestWithParam<test::RandomFlowOptions> {
 protected:
  RoundTrip() {
    layout_ = {.vlan = GetParam().vlan, .biflow = GetParam().biflow, .absent = GetParam().absent};
    test::RandomFlows random(7, GetParam());
    for (std::size_t i = 0; i < test::fewer(1000); ++i) flows_.push_back(random.next());
  }

  // Every value and everything that is not there; what the columns do not show is not expected back.
  void expect_same(const FlowRecord& got, const FlowRecord& wanted) const {
    EXPECT_EQ(got.key, wanted.key);
    EXPECT_EQ(got.start_ns, wanted.start_ns);
    EXPECT_EQ(got.end_ns, wanted.end_ns);
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      EXPECT_EQ(column_value(i, got, got.absent), column_value(i, wanted, wanted.absent)) << kColumns[i].name;
    }
  }

  void expect_same(const ReadBack& got) const {
    ASSERT_FALSE(got.damage) << got.damage->reason;
    ASSERT_EQ(got.flows.size(), flows_.size());
    EXPECT_EQ(got.layout.vlan, layout_.vlan);
    EXPECT_EQ(got.layout.biflow, layout_.biflow);
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      expect_same(got.flows[i].forward, flows_[i].forward);
      ASSERT_EQ(got.flows[i].has_reverse, flows_[i].has_reverse);
      if (flows_[i].has_reverse) expect_same(got.flows[i].reverse, flows_[i].reverse);
    }
  }

  RecordLayout layout_;
  std::vector<Biflow> flows_;
};

TEST_P(RoundTrip, Csv) {
  const std::string text = written(Format::csv, flows_, layout_);
  const ReadBack read = read_text<CsvReader>(text);
  expect_same(read);
  EXPECT_EQ(written(Format::csv, read.flows, read.layout), text);
}

TEST_P(RoundTrip, Json) {
  const std::string text = written(Format::json, flows_, layout_);
  const ReadBack read = read_text<JsonReader>(text);
  expect_same(read);
  EXPECT_EQ(written(Format::json, read.flows, read.layout), text);
}

// First packets, and that there are none.
TEST_P(RoundTrip, FirstPackets) {
  RecordLayout layout = layout_;
  layout.extra = {test::extra_column("first_packet"), test::extra_column("reverse_first_packet")};
  std::vector<Biflow> flows = flows_;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].forward.arrival = i % 5 * 1'000'000'000'000;
    flows[i].reverse.arrival = i % 3;
  }
  for (const Format format : {Format::csv, Format::json}) {
    const std::string text = written(format, flows, layout);
    const ReadBack read = format == Format::csv ? read_text<CsvReader>(text) : read_text<JsonReader>(text);
    ASSERT_FALSE(read.damage) << read.damage->reason;
    EXPECT_TRUE(read.layout.extra.empty());
    ASSERT_EQ(read.flows.size(), flows.size());
    for (std::size_t i = 0; i < flows.size(); ++i) {
      ASSERT_EQ(read.flows[i].forward.arrival, flows[i].forward.arrival) << i;
      if (flows[i].has_reverse) {
        ASSERT_EQ(read.flows[i].reverse.arrival, flows[i].reverse.arrival) << i;
      }
    }
  }
}

// Of moments cut to microseconds, what was written comes back, in the bytes of both formats.
TEST_P(RoundTrip, TimesOfEveryForm) {
  for (const TimeForm form : {TimeForm::us, TimeForm::iso}) {
    RecordLayout layout = layout_;
    layout.times = form;
    layout.extra = {test::extra_column("community_id", 7)};  // which readers pass over
    const std::string csv = written(Format::csv, flows_, layout), json = written(Format::json, flows_, layout);
    const ReadBack of_csv = read_text<CsvReader>(csv), of_json = read_text<JsonReader>(json);
    ASSERT_FALSE(of_csv.damage) << of_csv.damage->reason;
    ASSERT_FALSE(of_json.damage) << of_json.damage->reason;
    if (form == TimeForm::iso) {
      expect_same(of_csv);
      expect_same(of_json);
    }
    EXPECT_EQ(written(Format::csv, of_csv.flows, layout), csv);
    EXPECT_EQ(written(Format::csv, of_json.flows, layout), csv);
    EXPECT_EQ(written(Format::json, of_json.flows, layout), json);
    EXPECT_EQ(written(Format::json, of_csv.flows, layout), json);
  }
}

TEST_P(RoundTrip, JsonToCsv) {
  const ReadBack read = read_text<JsonReader>(written(Format::json, flows_, layout_));
  EXPECT_EQ(written(Format::csv, read.flows, read.layout), written(Format::csv, flows_, layout_));
}

INSTANTIATE_TEST_SUITE_P(Layouts, RoundTrip,
                         testing::Values(test::RandomFlowOptions{}, test::RandomFlowOptions{.vlan = true},
                                         test::RandomFlowOptions{.biflow = true},
                                         test::RandomFlowOptions{.vlan = true, .biflow = true},
                                         test::RandomFlowOptions{.absent = not_counted_by(Method::five_tuple)}));

}  // namespace
}  // namespace warpmeter
