// Flow Records get other addresses, and come in the order of these, however few of them fit in memory.
#include "record/write/anonymized_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/noted_columns.h"
#include "flow/runs/flow_lists.h"
#include "support/scratch_folder.h"
#include "support/writers.h"

namespace warpmeter {
namespace {

struct Written {
  std::vector<Biflow> flows;
  std::vector<Annotations> noted;
  bool finished = false, ended = false;
};

class Collected : public OneByOneWriter {
 public:
  explicit Collected(Written& to) : to_(to) {}
  void write(const FlowRecord& record, const FlowRecord* reverse) override { write_annotated(record, reverse, {}); }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& noted) override {
    EXPECT_FALSE(to_.finished);
    Biflow& flow = to_.flows.emplace_back();
    flow.forward = record;
    flow.has_reverse = reverse != nullptr;
    if (reverse) flow.reverse = *reverse;
    to_.noted.push_back(noted);
  }
  void finish() override { to_.finished = true; }
  void end() override { to_.finished = to_.ended = true; }

 private:
  Written& to_;
};

constexpr AddressAnonymizer::Key kKey = {1, 2, 3, 4, 5, 6, 7, 8};

std::unique_ptr<AnonymizedWriter> writer_to(Written& written, const RecordLayout& layout,
                                            const AnonymizedWriter::Waiting& waiting) {
  return std::make_unique<AnonymizedWriter>(std::make_unique<Collected>(written), kKey, layout, waiting);
}

bool same(const FlowRecord& a, const FlowRecord& b) {
  return a.key == b.key && a.start_ns == b.start_ns && a.end_ns == b.end_ns && a.packets == b.packets &&
         a.bytes == b.bytes && a.absent == b.absent && a.arrival == b.arrival;
}
bool same(const Biflow& a, const Biflow& b) {
  return same(a.forward, b.forward) && a.has_reverse == b.has_reverse && (!a.has_reverse || same(a.reverse, b.reverse));
}

class Anonymized : public testing::TestWithParam<bool> {
 protected:
  const bool biflow_ = GetParam();
  const test::ScratchFolder folder_;
};

TEST_P(Anonymized, AreInTheOrderOfTheirAddresses) {
  test::RandomFlowOptions options;
  options.biflow = biflow_;
  const std::vector<Biflow> flows = test::random_merge_flows(150, 3, options);
  std::vector<Biflow> expected = flows;
  AddressAnonymizer anonymizer(kKey);
  for (Biflow& flow : expected) {
    anonymizer.anonymize(flow.forward.key);
    if (flow.has_reverse) anonymizer.anonymize(flow.reverse.key);
  }
  test::sort_for_merge(expected, MergeOrder(biflow_));
  for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{5000}, std::uint64_t{1} << 30}) {
    Written written;
    const auto writer = writer_to(written, {.biflow = biflow_}, {true, folder_.path(), memory, 3});
    test::write_all(*writer, flows);
    EXPECT_TRUE(written.ended);
    ASSERT_EQ(written.flows.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(same(written.flows[i], expected[i])) << memory << ", flow " << i;
      EXPECT_NE(compare(written.flows[i].forward.key, flows[i].forward.key), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Anonymized, testing::Bool());

// Of an output that goes on nothing is held back.
TEST(AnonymizedWriter, PassesAtOnceWhereOthersSort) {
  Written written;
  const std::vector<Biflow> flows = test::random_merge_flows(20, 4);
  const auto writer = writer_to(written, {}, {false, "", 0});
  writer->begin();
  RecordStream stream(*writer);
  for (const Biflow& flow : flows) test::write_flow(stream, flow);
  stream.flush();
  writer->flush();
  ASSERT_EQ(written.flows.size(), flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) EXPECT_EQ(written.flows[i].forward.bytes, flows[i].forward.bytes);
}

TEST(AnonymizedWriter, KeepsLabelsAndNoOtherTexts) {
  RecordLayout layout;
  layout.extra = {std::make_shared<AnnotationColumn>("labels", 0, true),
                  std::make_shared<AnnotationColumn>("host", 1, false)};
  layout = AnonymizedWriter::layout(layout);
  ASSERT_EQ(layout.extra.size(), 1u);
  EXPECT_EQ(layout.extra.front()->name(), "labels");
  Annotations noted;
  noted.add({0, 0, "http"});
  noted.add({0, 1, "www.example.org"});
  for (const std::uint64_t memory : {1, 1 << 20}) {  // in a run file, or not
    const test::ScratchFolder folder;
    Written written;
    const auto writer = writer_to(written, layout, {true, folder.path(), memory});
    writer->begin();
    writer->write_annotated(test::merged_flow(1, 2, 3).forward, nullptr, noted);
    writer->end();
    ASSERT_EQ(written.noted.size(), 1u);
    ASSERT_EQ(written.noted.front().all().size(), 1u);
    EXPECT_EQ(written.noted.front().all().front().text, "http");
  }
}

TEST(AnonymizedWriter, ReplacesAddressesOfAnAnnex) {
  RecordLayout layout;
  layout.extra = annex_columns(~std::uint32_t{0}, 0);
  layout = AnonymizedWriter::layout(layout);
  EXPECT_EQ(layout.extra.size(), kAnnexFields - 2);
  EXPECT_TRUE(std::ranges::none_of(layout.extra, [](const auto& c) { return c->name().ends_with("_mac"); }));
  Annex annex;
  ASSERT_TRUE(annex.set_text(AnnexField::src_mac, "02:00:00:00:00:01"));
  ASSERT_TRUE(annex.set_text(AnnexField::outer_src_addr, "192.0.2.1"));
  ASSERT_TRUE(annex.set_text(AnnexField::outer_dst_addr, "192.0.2.9"));
  ASSERT_TRUE(annex.set_number(AnnexField::ttl, 64));
  Annotations noted;
  noted.add_annex(false, annex);
  noted.add_annex(true, annex);
  std::uint8_t expected[16] = {192, 0, 2, 1};
  AddressAnonymizer(kKey).anonymize(4, expected);
  for (const std::uint64_t memory : {1, 1 << 20}) {  // in a run file, or not
    const test::ScratchFolder folder;
    Written written;
    const Biflow flow = test::random_merge_flows(1, 5, {.biflow = true}).front();
    const auto writer = writer_to(written, {.biflow = true}, {true, folder.path(), memory});
    writer->begin();
    writer->write_annotated(flow.forward, flow.has_reverse ? &flow.reverse : nullptr, noted);
    writer->end();
    ASSERT_EQ(written.noted.size(), 1u);
    const Annex* const found = written.noted.front().annex(false);
    ASSERT_NE(found, nullptr);
    EXPECT_FALSE(found->has_value(AnnexField::src_mac));
    EXPECT_EQ(found->number(AnnexField::ttl), 64);
    EXPECT_TRUE(std::ranges::equal(found->outer_src, expected));
    EXPECT_FALSE(std::ranges::equal(found->outer_dst, annex.outer_dst));
  }
}

}  // namespace
}  // namespace warpmeter
