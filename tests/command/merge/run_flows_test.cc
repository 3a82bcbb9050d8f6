// What waits in a run file comes back as it was.
#include "command/merge/flow_cursor.h"

#include <gtest/gtest.h>

#include "command/merge/merge_cases.h"
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

TEST(RunFlows, AFolderThatIsNoneIsTold) {
  FlowList list({test::merged_flow(1, 1, 1)});
  EXPECT_NE(test::thrown_text([&] { write_run(list, "/nowhere"); }).find("/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace warpmeter
