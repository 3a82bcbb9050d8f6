// Flow ids up to 2^30 and positions up to 2^31, the largest that the words of the flow table are made for. The memory
// that this would take is not there: arrays are few elements long, and pointers to them stand as far in front as is
// counted.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/device_flow_table.h"
#include "support/flow_key_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kCapacity = std::uint32_t{1} << 30;  // device_plan.cc
constexpr std::uint32_t kCount = 8;
constexpr std::uint32_t kFirst = (std::uint32_t{1} << 31) - kCount;  // the last positions that there are

// For `elements[first]` to be the first of the array.
template <class T>
T* counted_from(std::vector<T>& elements, std::uint64_t first) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(elements.data()) - first * sizeof(T));
}

struct LastOfAll {
  std::vector<FlowKey> key = std::vector<FlowKey>(kCount);
  std::vector<std::uint64_t> hash = std::vector<std::uint64_t>(kCount, 0xffffffffffffffff);
  std::vector<std::uint32_t> flow = std::vector<std::uint32_t>(kCount), slot_of = flow, new_flow = flow;
  std::vector<std::uint8_t> mark = std::vector<std::uint8_t>(kCount, 0xa5);
  std::vector<std::uint64_t> slot = std::vector<std::uint64_t>(64);
  std::vector<FlowState> state = std::vector<FlowState>(kCount);
  std::vector<std::uint32_t> free_id = {kCapacity - 8, kCapacity - 7, kCapacity - 6, kCapacity - 5,
                                        kCapacity - 4, kCapacity - 3, kCapacity - 2, kCapacity - 1};
  FlowRoom room{.given = kCapacity - kCount, .free = kCapacity, .released = 0, .open = 0, .refused = 0, .lost = 0};

  void find_flows(bool may_claim) {
    BatchView view{};
    view.key = counted_from(key, kFirst);
    view.hash = counted_from(hash, kFirst);
    view.flow = counted_from(flow, kFirst);
    view.mark = counted_from(mark, kFirst);
    view.no_flow = kCapacity;
    room.open = may_claim;
    const FlowTableRef table{slot.data(),
                             64,
                             64,
                             kCapacity,
                             counted_from(state, kCapacity - kCount),
                             counted_from(free_id, kCapacity - kCount),
                             &room};
    Tile1 tile;
    const auto all = [&](const auto& kernel) {
      for (std::uint32_t i = kFirst; i < kFirst + kCount; ++i) kernel(tile, i);
    };
    const FlowClaims claims{counted_from(slot_of, kFirst), counted_from(new_flow, kFirst)};
    all(ClaimFlows{view, table, claims});
    all(SettleFlows{view, table, claims});
  }
};

TEST(FlowNumberLimits, LastIdsAndPositionsAreToldApart) {
  LastOfAll last;
  for (std::uint32_t i = 0; i < kCount; ++i) last.key[i] = numbered_key(i / 2);
  last.find_flows(true);
  EXPECT_EQ(last.room.given, kCapacity - kCount / 2);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(last.flow[i], kCapacity - kCount + i / 2);
    EXPECT_TRUE(last.state[i / 2].key == last.key[i]);
  }
  last.find_flows(true);  // now the keys come from the states
  EXPECT_EQ(last.room.given, kCapacity - kCount / 2);
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(last.flow[i], kCapacity - kCount + i / 2);
}

TEST(FlowNumberLimits, LastIdIsNotNone) {
  LastOfAll last;
  for (std::uint32_t i = 0; i < kCount; ++i) last.key[i] = numbered_key(i);
  last.find_flows(true);
  EXPECT_EQ(last.room.given, kCapacity);
  EXPECT_EQ(last.flow[kCount - 1], kCapacity - 1);
  last.key[0] = numbered_key(kCount);
  last.find_flows(false);
  EXPECT_EQ(last.flow[0], kCapacity);
  EXPECT_EQ(last.flow[kCount - 1], kCapacity - 1);
}

}  // namespace
}  // namespace warpmeter::test
