// Kernels that give every segment of a batch its flow id, in two steps, so that no thread ever waits for another: claim
// slots, and for those ids that nobody has (a tile a segment); settle them, and look up the ids of the rest (a thread a
// segment).
#pragma once

#include "batch_view.cuh"
#include "core/tile.h"
#include "flow_table.cuh"

namespace warpmeter {

// Of the segment that claimed a slot.
struct FlowClaims {
  std::uint32_t* slot;  // which
  std::uint32_t* flow;  // the id of the new flow
};

// A tile a segment. Afterwards flow[i] is the flow id of a known key; kClaimed | position of the claiming segment of a
// new one; or no_flow.
struct ClaimFlows {
  static constexpr std::uint32_t kClaimed = std::uint32_t{1} << 31;
  static constexpr unsigned kBlocks = 8;  // of 256 threads on a multiprocessor: it waits for memory most of the time

  BatchView batch;
  FlowTableRef table;
  FlowClaims claims;

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
    if (batch.flow[i] == (kClaimed | i)) take_id(i, place.slot);
  }

 private:
  // No slot names the id before it is settled: nobody looks at its state.
  WARPMETER_HD void take_id(std::uint32_t i, std::uint32_t slot) const {
    const std::uint32_t flow = table.new_id();
    claims.slot[i] = slot;
    claims.flow[i] = flow;
    table.state[flow].key = batch.key[i];
    table.state[flow].bits = 0;  // not in use yet: its first packet starts it
  }
};

// A thread a segment.
struct SettleFlows {
  BatchView batch;
  FlowTableRef table;
  FlowClaims claims;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const std::uint32_t found = batch.flow[i];
    if (!(found & ClaimFlows::kClaimed)) return;
    const std::uint32_t claimer = found & ~ClaimFlows::kClaimed, flow = claims.flow[claimer];
    batch.flow[i] = flow;
    if (claimer == i) table.slot[claims.slot[i]] = FlowTableRef::tag_of(batch.hash[i]) | FlowTableRef::kSettled | flow;
  }
};

}  // namespace warpmeter
