// What a run finds that goes on after one that was killed between two moments of a step.
#include "command/live/checkpoints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;

class CheckpointsTest : public testing::Test {
 protected:
  CheckpointsTest() {
    fs::create_directory(folder_.file("captures"));
    fs::create_directory(folder_.file("out"));
    options_.interfaces = {"folder:" + folder_.file("captures")};
    options_.state = folder_.file("state");
    options_.extract.output.file = folder_.file("out/flows.csv");
    options_.extract.output.rotate_ns = 1'000'000'000;
    state_.id = "0123";
    state_.folder = fs::canonical(folder_.file("captures")).string();
  }
  // A file that a step has hidden, if it is `there`.
  LaterName hidden(const std::string& middle, const std::string& kind, bool there = true) {
    const std::string before = folder_.file("out/flows." + middle);
    const std::string hidden = before + ".csv.0123.5" + kind + ".part";
    if (there) test::write_file(hidden, middle + kind);
    return {hidden, before, ".csv"};
  }
  // The next run begins.
  void go_on() {
    {
      StateFile file(options_.state);
      file.store(text_of(state_));
      file.keep();
    }
    const Checkpoints checkpoints(options_);
    known_ = checkpoints.done().size();
  }
  std::vector<std::string> outputs() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.file("out"))) {
      names.push_back(entry.path().filename().string() + "=" + test::file_text(entry.path().string()));
    }
    std::ranges::sort(names);
    return names;
  }
  FolderState stored() const { return folder_state_of(test::file_text(options_.state), "state"); }

  const test::ScratchFolder folder_;
  LiveOptions options_;
  FolderState state_;
  std::size_t known_ = 0;
};

using Names = std::vector<std::string>;

// Killed before the state was replaced: what is hidden is of a step that never was.
TEST_F(CheckpointsTest, AStepThatNeverWasLeavesNothing) {
  hidden("a", "");
  hidden("a", ".living");
  test::write_file(folder_.file("out/flows.b.csv.9999.5.part"), std::string("of another state"));
  go_on();
  EXPECT_EQ(outputs(), Names({"flows.b.csv.9999.5.part=of another state"}));
}

// Killed behind it: the files get their names, and the flows that lived have ended.
TEST_F(CheckpointsTest, AStepThatWasIsEnded) {
  state_.to_name = {hidden("a", ""), hidden("b", "")};
  state_.living = {hidden("a", ".living")};
  state_.done.add({.name = "x.pcap", .number = 1, .size = 2, .changed_ns = 3});
  hidden("z", ".living");  // of the step before
  go_on();
  EXPECT_EQ(outputs(), Names({"flows.a-2.csv=a.living", "flows.a.csv=a", "flows.b.csv=b"}));
  EXPECT_EQ(known_, 1U);
  EXPECT_TRUE(stored().to_name.empty());
  EXPECT_TRUE(stored().living.empty());
  EXPECT_EQ(stored().done.size(), 1U);
}

// Killed while it gave names, also by the run that went on; somebody has taken the first file away since.
TEST_F(CheckpointsTest, WhatHasItsNameGetsNoOther) {
  state_.to_name = {hidden("a", "", false), hidden("b", "")};
  state_.living = {hidden("a", ".living", false)};
  go_on();
  go_on();
  EXPECT_EQ(outputs(), Names({"flows.b.csv=b"}));
}

TEST_F(CheckpointsTest, AStateIsOfOneFolder) {
  state_.folder = "/elsewhere";
  EXPECT_EQ(test::thrown_text([&] { go_on(); }), options_.state + " is the state of another folder, /elsewhere");
}

TEST_F(CheckpointsTest, ANewStateIsThereAtOnce) {
  const Checkpoints checkpoints(options_);
  EXPECT_EQ(stored().id.size(), 16U);
  EXPECT_EQ(stored().folder, state_.folder);
}

}  // namespace
}  // namespace warpmeter
