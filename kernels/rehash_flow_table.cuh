// Kernels that rehash the flow table, between batches: slots are cleared, the flows in use are entered again, all
// other ids are free. States stay where they are, so ids of living flows do not change, and nothing is copied.
#pragma once

#include "core/flow_hash.h"
#include "core/flow_on_cpu.h"
#include "core/tile.h"
#include "device_holes.cuh"
#include "flow_table.cuh"

namespace warpmeter {

// A thread a flow id: nobody has it.
struct ListAllIds {
  FlowTableRef table;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t id) const {
    table.state[id].bits = 0;
    table.free_id[id] = id;
    if (id == 0) *table.room = {.given = 0, .free = table.capacity, .released = 0, .open = 1, .refused = 0, .lost = 0};
  }
};

// One thread alone, before a batch of `count` segments: is there surely room for all its keys?
struct BeginBatch {
  FlowRoom* room;
  std::uint32_t count;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t) const {
    room->open = room->open && !room->refused && room->free - room->given >= count;
  }
};

// A thread a flow id: forgets which flows are on the CPU. The host names them anew.
struct ForgetFlowsOnCpu {
  FlowState* state;
  HolePoolRef holes;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t id) const {
    FlowState& f = state[id];
    if (!(f.bits & kInUse) || !(f.bits & kOnCpu)) return;
    DeviceHoles(holes, f).release();
    f.bits = 0;
  }
};

// One thread alone, before RehashFlowTable. Whether keys were refused stays known, unless the table shall take new ones
// `again`.
struct BeginRehash {
  FlowRoom* room;
  bool again;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t) const {
    room->given = room->free = room->released = 0;
    if (!again) return;
    room->open = 1;
    room->refused = 0;
  }
};

// A tile as many flow ids as it has lanes. REQUIRES: slots are empty.
struct RehashFlowTable {
  FlowTableRef table;
  HashSeed hash_seed;

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t t) const {
    const std::uint64_t id = std::uint64_t{t} * Tile::kSize + tile.rank();
    const bool exists = id < table.capacity;
    const bool used = exists && (table.state[id].bits & kInUse);
    if (used) enter(static_cast<std::uint32_t>(id));
    const std::uint32_t free = tile.ballot(exists && !used);
    if (!free) return;
    // One addition for all lanes: every flow id that is free comes through here.
    std::uint32_t begin = 0;
    if (tile.rank() == 0) begin = fetch_add(&table.room->free, count_bits(free));
    begin = tile.shfl(begin, 0);
    if (exists && !used) {
      const std::uint32_t before = free & ((std::uint32_t{1} << tile.rank()) - 1);
      table.free_id[begin + count_bits(before)] = static_cast<std::uint32_t>(id);
      table.state[id].bits = 0;
    }
  }

 private:
  WARPMETER_HD void enter(std::uint32_t id) const {
    const FlowState& f = table.state[id];
    if (!table.enter(hash_flow(f.key, hash_seed).hash, id)) store_relaxed(&table.room->lost, 1);
  }
};

// A thread a flow. REQUIRES: the key is not in the table.
struct EnterFlowsOnCpu {
  FlowTableRef table;
  const FlowOnCpu* flow;
  HashSeed hash_seed;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const std::uint32_t given = fetch_add(&table.room->given, 1);
    if (given >= table.room->free) {  // whoever asked for this miscounted
      store_relaxed(&table.room->lost, 1);
      return;
    }
    const std::uint32_t id = table.free_id[given];
    FlowState& f = table.state[id];
    f.key = flow[i].key;
    f.end_ns = flow[i].end_ns;
    f.holes = 0;
    f.bits = kInUse | kOnCpu;
    if (!table.enter(hash_flow(f.key, hash_seed).hash, id)) store_relaxed(&table.room->lost, 1);
  }
};

}  // namespace warpmeter
