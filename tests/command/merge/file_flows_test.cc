// The flows of one file: those in order, and what is said of the others.
#include "command/merge/merge.h"

#include <gtest/gtest.h>

#include "command/merge/merge_cases.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::merged_flow;
using test::ScratchFolder;
using test::thrown_text;

class FileFlowsTest : public testing::Test {
 protected:
  std::string file(const std::vector<Biflow>& flows) { return test::write_flow_file(folder_.file("a.csv"), flows); }
  std::vector<std::uint64_t> numbers(const std::string& path) {
    FileFlows flows(path, std::nullopt, MergeOrder(), interrupted_, read_, columns_);
    return test::numbers_of(test::all_flows_of(flows));
  }

  const ScratchFolder folder_;
  std::atomic<bool> interrupted_ = false;
  FilesRead read_;
  CommonColumns columns_;
};

TEST_F(FileFlowsTest, GivesThemAll) {
  const std::string path = file({merged_flow(1, 1, 1, 7), merged_flow(2, 1, 1, 8)});
  EXPECT_EQ(numbers(path), (std::vector<std::uint64_t>{7, 8}));
  FileFlows opened(path, FlowFile::open(path, interrupted_), MergeOrder(), interrupted_, read_, columns_);
  EXPECT_EQ(test::numbers_of(test::all_flows_of(opened)), (std::vector<std::uint64_t>{7, 8}));
  EXPECT_EQ(read_.flows, 4U);
}

TEST_F(FileFlowsTest, AnotherOrderIsRefusedWhereItBegins) {
  const std::string path = file({merged_flow(1, 1, 1), merged_flow(3, 1, 1), merged_flow(2, 1, 1)});
  EXPECT_EQ(thrown_text([&] { numbers(path); }),
            path + ": flow 3 belongs before the one before it, but only files in the order of extract are merged");
}

TEST_F(FileFlowsTest, DamageEndsTheFileAndIsNoted) {
  const std::string path = file({merged_flow(1, 1, 1, 7), merged_flow(2, 1, 1, 8)});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 10);
  EXPECT_EQ(numbers(path), (std::vector<std::uint64_t>{7}));
  ASSERT_EQ(read_.damage.size(), 1U);
  EXPECT_EQ(read_.damage[0].name, path);
  EXPECT_TRUE(read_.unreadable.empty());
}

TEST_F(FileFlowsTest, WhatHasGoneMeanwhileIsNoted) {
  EXPECT_TRUE(numbers(folder_.file("none.csv")).empty());
  ASSERT_EQ(read_.unreadable.size(), 1U);
  EXPECT_EQ(read_.unreadable[0], folder_.file("none.csv") + ": cannot be read: No such file or directory");
}

}  // namespace
}  // namespace warpmeter
