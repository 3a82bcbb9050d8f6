// A file that has been looked into gives all its flows, the one that was looked at first.
#include "record/read/flow_files.h"

#include <gtest/gtest.h>

#include "support/scratch_folder.h"
#include "warpmeter/columns.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using test::ScratchFolder;

class FlowFileTest : public testing::Test {
 protected:
  std::string file(const std::string& rows) const {
    const std::string path = folder_.file("a.csv");
    test::write_file(path, "src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets\n" + rows);
    return path;
  }

  const ScratchFolder folder_;
  std::atomic<bool> interrupted_ = false;
};

TEST_F(FlowFileTest, GivesTheFirstFlowBeforeAndOnce) {
  FlowFile flows = FlowFile::open(file("1.2.3.4,1.2.3.5,1,2,6,10,20,3\n1.2.3.4,1.2.3.5,1,3,6,10,20,4\n"), interrupted_);
  ASSERT_TRUE(flows.first());
  EXPECT_EQ(flows.first()->forward.packets, 3U);
  Biflow flow;
  for (const std::uint64_t packets : {3, 4}) {
    ASSERT_TRUE(flows.next(flow));
    EXPECT_EQ(flow.forward.packets, packets);
    EXPECT_EQ(flow.forward.absent, flows.layout().absent);
    EXPECT_FALSE(flows.first());
  }
  EXPECT_FALSE(flows.next(flow));
}

TEST_F(FlowFileTest, MayHoldNone) {
  FlowFile flows = FlowFile::open(file(""), interrupted_);
  EXPECT_FALSE(flows.first());
  Biflow flow;
  EXPECT_FALSE(flows.next(flow));
  EXPECT_FALSE(flows.damage());
}

TEST_F(FlowFileTest, WhatCannotBeReadIsACaptureError) {
  EXPECT_THROW(FlowFile::open(folder_.file("none.csv"), interrupted_), CaptureError);
}

}  // namespace
}  // namespace warpmeter
