// What waits in a run file comes back as it was.
#include "flow/runs/flow_cursor.h"

#include <gtest/gtest.h>

#include "flow/runs/flow_lists.h"
#include "support/export_records.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::FlowList;
using test::ScratchFolder;

std::vector<Biflow> through_a_file(const std::vector<Biflow>& flows) {
  const ScratchFolder folder;
  FlowList list(flows);
  RunFlows back(write_run(list, folder.path()));
  EXPECT_EQ(list.head(), nullptr);
  return test::all_flows_of(back);
}

TEST(RunFlows, NothingComesBackAsNothing) { EXPECT_TRUE(through_a_file({}).empty()); }

TEST(RunFlows, ComeBackWithAllThatOutputsHave) {
  for (const bool biflow : {false, true}) {
    const RecordLayout layout{.vlan = true, .biflow = biflow};
    for (const std::size_t count : {1, 2, 127, 128, 129, 1000}) {
      const auto flows = test::random_merge_flows(count, count, {.vlan = true, .biflow = biflow});
      EXPECT_EQ(test::written_text(Format::json, through_a_file(flows), layout),
                test::written_text(Format::json, flows, layout))
          << count;
    }
  }
}

// Flows of which every second one has something noted, of any length.
class NotedFlowList : public FlowCursor {
 public:
  explicit NotedFlowList(std::vector<Biflow> flows) : flows_(std::move(flows)) {
    annotations_ = &noted_;
    show();
  }
  void advance() override {
    ++at_;
    show();
  }
  static Annotations of(std::size_t i) {
    Annotations noted;
    for (std::size_t n = 0; n < (i % 2 ? i % 7 : 0); ++n) {
      noted.add({0, static_cast<std::uint32_t>(n), std::string(i * n % 500, 'x') + "y"});
    }
    return noted;
  }

 private:
  void show() {
    head_ = at_ < flows_.size() ? &flows_[at_] : nullptr;
    noted_ = of(at_);
  }
  const std::vector<Biflow> flows_;
  std::size_t at_ = 0;
  Annotations noted_;
};

TEST(RunFlows, ComeBackWithWhatIsNotedOfThem) {
  for (const bool biflow : {false, true}) {
    const auto flows = test::random_merge_flows(300, 1, {.biflow = biflow});
    const ScratchFolder folder;
    NotedFlowList list(flows);
    RunFlows back(write_run(list, folder.path()));
    std::size_t i = 0;
    for (; back.head(); back.advance(), ++i) {
      ASSERT_EQ(back.head()->forward.key, flows[i].forward.key) << i;
      ASSERT_EQ(back.head()->has_reverse, flows[i].has_reverse) << i;
      ASSERT_EQ(back.annotations().all(), NotedFlowList::of(i).all()) << i;
    }
    EXPECT_EQ(i, flows.size());
  }
}

TEST(RunFlows, AFolderThatIsNoneIsTold) {
  FlowList list({test::merged_flow(1, 1, 1)});
  EXPECT_NE(test::thrown_text([&] { write_run(list, "/nowhere"); }).find("/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace warpmeter
