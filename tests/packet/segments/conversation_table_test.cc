// Conversations of a block: numbered as they come, both directions of one side by side.
#include "packet/segments/block_encoder.h"

#include <gtest/gtest.h>

#include "support/flow_key_maker.h"
#include "support/keys.h"

namespace warpmeter {
namespace {

const HashSeed kSeed(3);

struct NumberedConversations {
  ConversationTable table{kSeed};

  std::uint32_t number_of(const FlowKey& key) { return table.number_of(key, hash_flow(key, kSeed).hash); }
};

TEST(ConversationTable, NumbersBothDirections) {
  NumberedConversations all;
  const FlowKey a = test::numbered_key(1), b = test::numbered_key(2);
  EXPECT_EQ(all.number_of(a), 0u);
  EXPECT_EQ(all.number_of(swapped(b)), 2u);
  EXPECT_EQ(all.number_of(swapped(a)), 1u);
  EXPECT_EQ(all.number_of(b), 3u);
  EXPECT_EQ(all.number_of(a), 0u);
  ASSERT_EQ(all.table.size(), 2u);
  EXPECT_EQ(all.table.key(0), a);
  EXPECT_EQ(all.table.key(1), swapped(b));
}

TEST(ConversationTable, KeyThatIsItsOwnReverseIsOneFlow) {
  NumberedConversations all;
  const FlowKey same = test::key_of({.destination = {10, 0, 0, 1}, .source_port = 5, .destination_port = 5});
  ASSERT_EQ(swapped(same), same);
  EXPECT_EQ(all.number_of(same), 0u);
  EXPECT_EQ(all.number_of(same), 0u);
  EXPECT_EQ(all.table.size(), 1u);
}

TEST(ConversationTable, OtherProtocolsAndVlansAreOthers) {
  NumberedConversations all;
  EXPECT_EQ(all.number_of(test::key_of({})), 0u);
  EXPECT_EQ(all.number_of(test::key_of({.protocol = kProtocolUdp})), 2u);
  EXPECT_EQ(all.number_of(test::key_of({.vlan = 1})), 4u);
}

TEST(ConversationTable, RemembersWhatIsForetold) {
  NumberedConversations all;
  const std::uint32_t flow = all.number_of(test::numbered_key(1));
  EXPECT_FALSE(all.table.foretold(flow).known);
  all.table.foretold(flow).sequence = 77;
  for (std::uint32_t i = 2; i < 5000; ++i) all.number_of(test::numbered_key(i));
  EXPECT_EQ(all.table.foretold(flow).sequence, 77u);
  EXPECT_EQ(all.table.foretold(flow ^ 1).sequence, 0u);
}

TEST(ConversationTable, GrowsAndForgets) {
  NumberedConversations all;
  for (const std::uint32_t count : {10'000u, 100u, 100u, 100u, 100u, 100u, 20'000u, 0u, 1u}) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const FlowKey key = test::numbered_key(i);
      all.table.prefetch_slot(hash_flow(key, kSeed).hash);
      all.table.prefetch_flow(hash_flow(key, kSeed).hash);
      ASSERT_EQ(all.number_of(key), 2 * i);
      if (i % 3 == 0) {
        ASSERT_EQ(all.number_of(swapped(key)), 2 * i + 1);
      }
    }
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(all.number_of(swapped(test::numbered_key(i))), 2 * i + 1);
    ASSERT_EQ(all.table.size(), count);
    all.table.clear();
    ASSERT_EQ(all.table.size(), 0u);
  }
}

}  // namespace
}  // namespace warpmeter
