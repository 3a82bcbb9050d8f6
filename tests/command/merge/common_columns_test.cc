// Which files fit together, and what is said of those that do not.
#include "command/merge/common_columns.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "command/merge/merge_cases.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::merged_flow;
using test::ScratchFolder;
using test::thrown_text;

class CommonColumnsTest : public testing::Test {
 protected:
  // A file of these flows with these columns.
  std::string file(const std::string& name, const std::vector<Biflow>& flows, const RecordLayout& layout = {}) {
    return test::write_flow_file(folder_.file(name), flows, layout);
  }
  std::string text(const std::string& name, const std::string& content) {
    test::write_file(folder_.file(name), content);
    return folder_.file(name);
  }
  RecordLayout layout_of(const std::initializer_list<std::string>& files) {
    CommonColumns columns;
    for (const std::string& path : files) {
      columns.add(path.substr(path.rfind('/') + 1), FlowFile::open(path, interrupted_));
    }
    return columns.layout();
  }
  std::string said_of(const std::initializer_list<std::string>& files) {
    return thrown_text([&] { layout_of(files); });
  }

  const Biflow udp_ = [] {
    Biflow flow = merged_flow(1, 1, 2);
    flow.forward.key.protocol = kProtocolUdp;
    return flow;
  }();
  const std::uint32_t five_tuple_ = not_counted_by(Method::five_tuple);
  const ScratchFolder folder_;
  std::atomic<bool> interrupted_ = false;
};

TEST_F(CommonColumnsTest, AreThoseOfTheFiles) {
  const auto plain = layout_of({file("a.csv", {merged_flow(1, 1, 2)}), file("b.json", {udp_})});
  EXPECT_FALSE(plain.vlan);
  EXPECT_FALSE(plain.biflow);
  EXPECT_EQ(plain.absent, 0U);
  const RecordLayout all{.vlan = true, .biflow = true};
  const auto more = layout_of({file("c.csv", {udp_}, all), file("d.json", {merged_flow(1, 1, 2)}, all)});
  EXPECT_TRUE(more.vlan);
  EXPECT_TRUE(more.biflow);
}

TEST_F(CommonColumnsTest, OfOtherFilesOneLineTellsWhatDiffers) {
  const std::string plain = file("plain.csv", {udp_});
  const std::string behind = ": files are merged if they have the same columns";
  EXPECT_EQ(said_of({plain, file("vlan.csv", {udp_}, {.vlan = true})}),
            "vlan.csv has a column vlan_id, plain.csv does not" + behind);
  EXPECT_EQ(said_of({file("both.json", {udp_}, {.biflow = true}), plain}),
            "both.json has biflows, plain.csv does not" + behind);
  const std::string few = text("few.csv",
                               "src_addr,dst_addr,src_port,dst_port,protocol,start_ns,end_ns,packets\n"
                               "1.2.3.4,1.2.3.5,1,2,17,10,20,3\n");
  EXPECT_EQ(said_of({few, plain}), "plain.csv has a column bytes, few.csv does not" + behind);
  EXPECT_EQ(said_of({few, few}), "");
}

TEST_F(CommonColumnsTest, EmptyFilesFitToAll) {
  const std::string plain = file("plain.csv", {udp_}), vlan = file("vlan.csv", {}, {.vlan = true});
  EXPECT_FALSE(layout_of({vlan, plain, file("none.json", {})}).vlan);
  EXPECT_TRUE(layout_of({vlan, file("none.json", {})}).vlan);
}

// A UDP flow says nothing of what only TCP has, and columns of text may be empty in all rows.
TEST_F(CommonColumnsTest, AFirstFlowTellsWhatAMethodDoesNotCount) {
  const RecordLayout layout{.absent = five_tuple_};
  const std::string udp = file("udp.csv", {udp_}, layout), tcp = file("tcp.csv", {merged_flow(1, 1, 2)}, layout);
  const std::string exact = file("exact.csv", {merged_flow(1, 1, 2)});
  EXPECT_EQ(layout_of({udp}).absent, 0U);
  EXPECT_EQ(layout_of({udp, tcp}).absent, five_tuple_);
  EXPECT_EQ(layout_of({tcp, udp}).absent, five_tuple_);
  EXPECT_EQ(layout_of({udp, exact}).absent, 0U);
  EXPECT_EQ(said_of({udp, tcp, exact}).substr(0, 64),
            "exact.csv has a column out_of_order_segments, tcp.csv does not: ");
}

TEST_F(CommonColumnsTest, ALaterFlowTellsMore) {
  CommonColumns columns;
  columns.add("a.csv", FlowFile::open(file("a.csv", {udp_}), interrupted_));
  columns.add("b.csv", FlowFile::open(file("b.csv", {udp_}), interrupted_));
  Biflow tcp = merged_flow(1, 1, 2);
  columns.add("a.csv", {}, tcp.forward);
  tcp.forward.absent = five_tuple_;
  EXPECT_EQ(thrown_text([&] { columns.add("b.csv", {}, tcp.forward); }),
            "a.csv has a column out_of_order_segments, b.csv does not: files are merged if they have the same columns");
}

// Of flows without a valid connection, text has no values for it.
TEST_F(CommonColumnsTest, AnInvalidConnectionIsNoMissingColumn) {
  Biflow connected = merged_flow(1, 1, 2);
  connected.forward.flags |= kHasConnection;
  EXPECT_EQ(layout_of({file("a.json", {connected}), file("b.json", {merged_flow(1, 1, 2)})}).absent, 0U);
}

}  // namespace
}  // namespace warpmeter
