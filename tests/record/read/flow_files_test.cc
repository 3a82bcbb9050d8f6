// What is known of several files of Flow Records once they have been read, or not.
#include "record/read/flow_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace warpmeter {
namespace {

namespace fs = std::filesystem;

class FlowFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(top_);
    for (const char* name : {"a.csv", "b.csv"}) {
      std::ofstream(top_ / name) << "src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets\n"
                                    "1.2.3.4,1.2.3.5,1,2,6,10,20,3\n1.2.3.4,1.2.3.5,1,3,6,10,20,3\n";
    }
  }
  void TearDown() override { fs::remove_all(top_); }

  RecordInputs both() const {
    RecordInputs inputs;
    inputs.files = {(top_ / "a.csv").string(), (top_ / "b.csv").string()};
    return inputs;
  }

  const fs::path top_ = fs::temp_directory_path() / ("flow_files_test." + std::to_string(getpid()));
  std::atomic<bool> interrupted_ = false;
};

TEST_F(FlowFilesTest, AnInterruptBehindTheEndLeavesNothingUnread) {
  FlowFiles files(both(), interrupted_);
  Biflow flow;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(files.next(flow));
    EXPECT_FALSE(files.read_all());
  }
  EXPECT_FALSE(files.next(flow));
  EXPECT_TRUE(files.read_all());
  interrupted_ = true;
  EXPECT_TRUE(files.read_all());
  EXPECT_FALSE(files.next(flow));
  EXPECT_TRUE(files.read_all());
}

TEST_F(FlowFilesTest, AnInterruptBeforeTheEndLeavesARest) {
  for (int flows_before = 0; flows_before < 4; ++flows_before) {
    interrupted_ = false;
    FlowFiles files(both(), interrupted_);
    Biflow flow;
    for (int i = 0; i < flows_before; ++i) EXPECT_TRUE(files.next(flow));
    interrupted_ = true;
    EXPECT_FALSE(files.next(flow));
    EXPECT_FALSE(files.read_all()) << flows_before;
  }
}

}  // namespace
}  // namespace warpmeter
