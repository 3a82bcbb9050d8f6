// Kernels that give every segment of a batch its flow id, in three steps, so that no thread ever waits for another:
// claim slots (a tile a segment), give ids to the keys that are new (a thread a segment), look up the ids of the rest.
#pragma once

#include "batch_view.cuh"
#include "core/tile.h"
#include "flow_table.cuh"

namespace warpmeter {

// A tile a segment. Afterwards flow[i] is the flow id of a known key; kClaimed | position of the claiming segment of a
// new one; or no_flow.
struct ClaimFlows {
  static constexpr std::uint32_t kClaimed = std::uint32_t{1} << 31;
  static constexpr unsigned kBlocks = 8;  // of 256 threads on a multiprocessor: it waits for memory most of the time

  BatchView batch;
  FlowTableRef table;
  std::uint32_t* slot_of;  // for the segment that claimed a slot: which

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t i) const {
    const FlowPlace place = table.find_or_claim(tile, batch.key, i, batch.hash[i], table.room->open);
    if (tile.rank() != 0) return;
    batch.mark[i] = 0;
    if (place.slot == kNoSlot) {
      batch.flow[i] = batch.no_flow;
      store_relaxed(&table.room->refused, 1);
      return;
    }
    const std::uint32_t number = FlowTableRef::number_in(place.word);
    batch.flow[i] = FlowTableRef::is_settled(place.word) ? number : kClaimed | number;
    if (batch.flow[i] == (kClaimed | i)) slot_of[i] = place.slot;
  }
};

// A thread a segment: those that claimed a slot settle it.
struct SettleFlows {
  BatchView batch;
  FlowTableRef table;
  const std::uint32_t* slot_of;
  std::uint32_t* new_flow;  // for the segment that claimed a slot: the flow id

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    if (batch.flow[i] != (ClaimFlows::kClaimed | i)) return;
    const std::uint32_t flow = table.new_id();
    new_flow[i] = flow;
    table.state[flow].key = batch.key[i];
    table.state[flow].bits = 0;  // not in use yet: its first packet starts it
    table.slot[slot_of[i]] = FlowTableRef::tag_of(batch.hash[i]) | FlowTableRef::kSettled | flow;
  }
};

// A thread a segment.
struct LookUpNewFlows {
  BatchView batch;
  const std::uint32_t* new_flow;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const std::uint32_t flow = batch.flow[i];
    if (flow != batch.no_flow && (flow & ClaimFlows::kClaimed)) batch.flow[i] = new_flow[flow & ~ClaimFlows::kClaimed];
  }
};

}  // namespace warpmeter
