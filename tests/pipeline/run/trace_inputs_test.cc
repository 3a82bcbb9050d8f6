// Inputs of a run: captures or segments, never both, and options that the segments were decoded with.
#include "pipeline/run/command_run.h"

#include <gtest/gtest.h>

#include "support/pcap_file.h"
#include "support/segment_files.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

const std::atomic<bool> kNotInterrupted = false;

struct SetAndCapture {
  test::ScratchFolder scratch;
  std::vector<std::string> files;
  std::string capture = scratch.write("a.pcap", test::PcapFile().record(1, 0, test::Bytes(60)).data());

  explicit SetAndCapture(const SetOptions& options = {}) {
    const auto all = test::RandomSegments(1).next_ones(100);
    SetFacts facts = test::facts_of(all);
    facts.options = options;
    files = test::write_set(scratch.file("set"), 4, 64, all, facts);
  }
  std::string set() const { return scratch.file("set"); }
};

ExtractOptions options_for(const std::vector<std::string>& inputs) {
  ExtractOptions options;
  options.inputs = inputs;
  return options;
}

// What is said of a misuse; "" if it is none.
std::string misuse_of(const ExtractOptions& options) {
  try {
    const TraceInputs inputs(options, kNotInterrupted);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
    return error.what();
  }
  return "";
}

TEST(TraceInputs, FolderOfASetIsRead) {
  const SetAndCapture here;
  const TraceInputs inputs(options_for({here.set()}), kNotInterrupted);
  EXPECT_EQ(inputs.files(), here.files);
  EXPECT_EQ(inputs.open()->packets_in_all(), 100u);
}

TEST(TraceInputs, CapturesAreReadAsBefore) {
  const SetAndCapture here;
  const TraceInputs inputs(options_for({here.capture}), kNotInterrupted);
  EXPECT_EQ(inputs.open()->packets_in_all(), 0u);
}

TEST(TraceInputs, FolderMustBeWholeAndFilesNeedNot) {
  const SetAndCapture here;
  std::filesystem::remove(here.files[2]);
  EXPECT_NE(test::thrown_text([&] {
              TraceInputs(options_for({here.set()}), kNotInterrupted);
            }).find("part 3 of 4 is missing"),
            std::string::npos);
  EXPECT_EQ(misuse_of(options_for({here.files[0], here.files[1]})), "");
}

TEST(TraceInputs, CapturesAndSegmentsAreNoOneTrace) {
  const SetAndCapture here;
  EXPECT_NE(misuse_of(options_for({here.capture, here.set()})).find("they are no one trace"), std::string::npos);
  EXPECT_NE(misuse_of(options_for({here.files[0], here.capture})).find("they are no one trace"), std::string::npos);
}

TEST(TraceInputs, PartitionIsForSegments) {
  const SetAndCapture here;
  ExtractOptions options = options_for({here.capture});
  options.partition = PartitionChoice{1, 2};
  EXPECT_EQ(misuse_of(options), "--partition is for segment files: see warpmeter decode");
  options.inputs = {here.set()};
  EXPECT_EQ(misuse_of(options), "");
}

TEST(TraceInputs, WhatDecodingDecidedIsTaken) {
  const SetAndCapture here({.key_vlan = true, .decapsulate = true, .filter = "tcp"});
  const TraceInputs inputs(options_for({here.set()}), kNotInterrupted);
  EXPECT_TRUE(inputs.options().key_vlan);
  EXPECT_TRUE(inputs.options().decapsulate);
  ExtractOptions same = options_for({here.set()});
  same.key_vlan = same.decapsulate = true;
  EXPECT_EQ(misuse_of(same), "");
}

TEST(TraceInputs, WhatDecodingLeftOutCannotBeWanted) {
  const SetAndCapture here;
  ExtractOptions options = options_for({here.set()});
  options.key_vlan = true;
  EXPECT_EQ(misuse_of(options), "--key-vlan: these segments were decoded without it");
  options.key_vlan = false;
  options.decapsulate = true;
  EXPECT_EQ(misuse_of(options), "--decapsulate: these segments were decoded without it");
  options.decapsulate = false;
  options.filter = "tcp";
  EXPECT_EQ(misuse_of(options),
            "filter 'tcp': segments cannot be filtered, warpmeter decode takes it (nor is there a file of that name)");
}

}  // namespace
}  // namespace warpmeter
