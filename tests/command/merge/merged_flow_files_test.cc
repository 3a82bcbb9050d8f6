// Any number of files become one sequence, however few may be open.
#include "command/merge/merge.h"

#include <gtest/gtest.h>

#include "command/merge/merge_cases.h"
#include "support/export_records.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::merged_flow;
using test::ScratchFolder;
using test::thrown_text;

class MergedFlowFilesTest : public testing::Test {
 protected:
  // Deals the flows to so many files, each in order.
  RecordInputs dealt(const std::vector<Biflow>& flows, std::size_t files, const RecordLayout& layout) {
    test::RandomFlows chance(files);
    std::vector<std::vector<Biflow>> hands(files);
    for (const Biflow& flow : flows) hands[chance.below(files)].push_back(flow);
    RecordInputs inputs;
    for (std::size_t i = 0; i < files; ++i) {
      const std::string name = std::to_string(i) + (i % 2 ? ".csv" : ".json");
      inputs.files.push_back(test::write_flow_file(folder_.file(name), hands[i], layout));
    }
    return inputs;
  }
  std::vector<Biflow> merged(const RecordInputs& inputs, std::size_t most_open) {
    MergedFlowFiles files(inputs, {most_open, folder_.path()}, interrupted_);
    const auto flows = test::all_flows_of(*files.merged());
    EXPECT_EQ(files.read().flows, flows.size());
    return flows;
  }
  RecordInputs named(std::initializer_list<std::string> files) {
    RecordInputs inputs;
    inputs.files = files;
    return inputs;
  }

  const ScratchFolder folder_{test::folder_in_memory()};
  std::atomic<bool> interrupted_ = false;
};

TEST_F(MergedFlowFilesTest, AsMayBeOpenOrNot) {
  for (const bool biflow : {false, true}) {
    const RecordLayout layout{.vlan = true, .biflow = biflow};
    std::vector<Biflow> flows = test::random_merge_flows(500, 1, {.vlan = true, .biflow = biflow});
    const std::string wanted = test::written_text(Format::csv, flows, layout);
    for (const std::size_t files : {1, 2, 9, 30}) {
      const RecordInputs inputs = dealt(flows, files, layout);
      for (const std::size_t most_open : {0, 2, 3, 8, 30}) {
        EXPECT_EQ(test::written_text(Format::csv, merged(inputs, most_open), layout), wanted)
            << files << ' ' << most_open;
      }
    }
  }
}

TEST_F(MergedFlowFilesTest, OfEqualFlowsThoseOfTheFileNamedFirstComeFirst) {
  RecordInputs inputs;
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t i = 0; i < 23; ++i) {
    inputs.files.push_back(test::write_flow_file(folder_.file(std::to_string(i) + ".csv"), {merged_flow(1, 1, 1, i)}));
    wanted.push_back(i);
  }
  for (const std::size_t most_open : {2, 3, 5, 23}) {
    EXPECT_EQ(test::numbers_of(merged(inputs, most_open)), wanted) << most_open;
  }
}

TEST_F(MergedFlowFilesTest, WhatCannotBeReadIsNothingForTheOthers) {
  const std::string good = test::write_flow_file(folder_.file("a.csv"), {merged_flow(1, 1, 1, 5)});
  MergedFlowFiles files(named({folder_.file("none.csv"), good}), {}, interrupted_);
  EXPECT_EQ(test::numbers_of(test::all_flows_of(*files.merged())), (std::vector<std::uint64_t>{5}));
  ASSERT_EQ(files.read().unreadable.size(), 1U);
  EXPECT_EQ(files.read().told, "1 file, 1 unreadable");
  EXPECT_THROW(MergedFlowFiles(named({folder_.file("none.csv"), folder_.file("no.csv")}), {}, interrupted_), Error);
}

TEST_F(MergedFlowFilesTest, OtherColumnsAreAnErrorAndNotUnreadable) {
  const std::string plain = test::write_flow_file(folder_.file("a.csv"), {merged_flow(1, 1, 1)});
  const std::string vlan = test::write_flow_file(folder_.file("b.csv"), {merged_flow(1, 1, 1)}, {.vlan = true});
  EXPECT_EQ(thrown_text([&] {
              MergedFlowFiles(named({plain, vlan}), {}, interrupted_);
            }),
            vlan + " has a column vlan_id, " + plain + " does not: files are merged if they have the same columns");
}

TEST_F(MergedFlowFilesTest, AnotherOrderIsSeenInPassesToo) {
  RecordInputs inputs;
  for (int i = 0; i < 9; ++i) {
    std::vector<Biflow> flows = {merged_flow(1, 1, 1), merged_flow(2, 1, 1)};
    if (i == 4) std::swap(flows[0], flows[1]);
    inputs.files.push_back(test::write_flow_file(folder_.file(std::to_string(i) + ".csv"), flows));
  }
  for (const std::size_t most_open : {2, 9}) {
    EXPECT_NE(thrown_text([&] { merged(inputs, most_open); }).find("4.csv: flow 2 belongs before"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpmeter
