#include "command/coalesce/coalescing_group.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "packet/file/interface_list.h"
#include "packet/write/capture_writer.h"
#include "support/text_sink.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {
namespace {

// The last chunk of a file may hold no packet. All that is before such a batch is settled, so that the output may be
// done with it before a group takes it.
TEST(CoalescingGroup, TakesAnEmptyBatchThatTheOutputIsDoneWith) {
  InterfaceList interfaces;
  const FrameRules rules{.interfaces = &interfaces};
  std::vector<std::unique_ptr<CoalescingGroup>> groups;
  groups.push_back(std::make_unique<CoalescingGroup>(0, 1, CoalescerOptions{}, rules.form));
  TextSink sink;
  CaptureWriter writer(rules.form, sink, interfaces, "out");
  SettledOutput output(writer, groups);

  const std::array<std::uint8_t, 20> noise = {1, 2, 3};
  FrameBlock block;
  block.frames.push_back({noise.data(), 0, noise.size(), noise.size(), kLinkEthernet});
  CoalescingBatch batch(rules);
  for (int round = 0; round < 3; ++round) {
    batch.begin();
    if (round != 1) batch.add(block);
    batch.finish(round == 0 ? 1 : 2);
    EXPECT_EQ(batch.pending() == nullptr, round == 1);
    if (round != 1) groups[0]->take(batch);
    if (batch.pending()) output.take(batch.pending());
    output.write_settled();
    if (round == 1) groups[0]->take(batch);
  }
  groups[0]->end();
  output.write_settled();
  EXPECT_EQ(output.packets(), 2U);
}

}  // namespace
}  // namespace warpmeter::test
