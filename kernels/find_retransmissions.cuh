// Kernels of method five-tuple: which data segments came before, in this memory block or in the previous one.
//
// The published system has one table: it inserts of a new block the segments whose keys the table already holds, clears
// it, and inserts the rest. Here each of the two blocks has a table, so that a batch is enough in device memory where
// the paper keeps a whole block, and a repeated key is remembered for the next block like any other.
//
// Without a gap, a segment is retransmitted if it is not the first arrival of its key in the block, or if the previous
// block holds its key. With a gap, time decides as well: the repeated segments, which are few, are sorted by key and
// judged in the order of arrival.
#pragma once

#include "batch_view.cuh"
#include "core/tile.h"
#include "segment_table.cuh"

namespace warpmeter {

struct SegmentTables {
  SegmentTableRef current;
  SegmentTableRef previous;
};

// A tile a segment.
struct InsertSegments {
  BatchView batch;
  SegmentTables tables;

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t i) const {
    std::uint32_t slot = SegmentTableRef::kNotFound;
    bool repeated = false;
    if (batch.is_counted_data(i)) {  // the same for all lanes
      const std::uint64_t key = SegmentTableRef::key_of(batch.flow[i], batch.segment[i].sequence);
      slot = tables.current.insert(tile, key);
      repeated = tables.previous.find(tile, key) != SegmentTableRef::kNotFound;
    }
    // Lanes that read marks above must have done so before one is written.
    tile.sync();
    if (tile.rank() != 0) return;
    batch.segment_slot[i] = slot;
    if (slot == SegmentTableRef::kNotFound) return;
    lower_to(&tables.current.slot[slot].arrival, batch.arrival(i));
    if (repeated) batch.mark[i] |= kRepeated;
  }
};

// A thread a segment, when all of the batch are inserted. With a gap only those keep their places in the table that
// JudgeByTime must look at, for the sort.
struct JudgeSegments {
  BatchView batch;
  SegmentTableRef current;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const std::uint32_t slot = batch.segment_slot[i];
    const bool entered = slot != SegmentTableRef::kNotFound;
    const bool again = entered && ((batch.mark[i] & kRepeated) || current.slot[slot].arrival != batch.arrival(i));
    if (current.latest_ns) {
      if (!again) batch.segment_slot[i] = SegmentTableRef::kNotFound;
      if (entered && !again) current.latest_ns[slot] = batch.segment[i].time_ns;  // the first of its key, alone here
    } else if (again) {
      batch.mark[i] |= kRetransmitted;
    }
  }
};

// A thread a segment, sorted by the slot to judge, then arrival. The first of each slot judges all of them in turn.
struct JudgeByTime {
  BatchView batch;
  SegmentTables tables;
  const std::uint32_t* slot;
  const std::uint32_t* position;
  std::int64_t gap_ns;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t c) const {
    if (slot[c] == SegmentTableRef::kNotFound || (c > 0 && slot[c - 1] == slot[c])) return;
    std::int64_t& latest_ns = tables.current.latest_ns[slot[c]];
    const std::int64_t before_ns = latest_in_previous(position[c]);
    for (std::uint32_t s = c; s < batch.count && slot[s] == slot[c]; ++s) {
      const std::int64_t time_ns = batch.segment[position[s]].time_ns;
      if (within_gap(time_ns, latest_ns) || within_gap(time_ns, before_ns)) batch.mark[position[s]] |= kRetransmitted;
      if (latest_ns < time_ns) latest_ns = time_ns;
    }
  }

  WARPMETER_HD std::int64_t latest_in_previous(std::uint32_t i) const {
    Tile1 alone;
    const std::uint64_t key = SegmentTableRef::key_of(batch.flow[i], batch.segment[i].sequence);
    const std::uint32_t found = tables.previous.find(alone, key);
    return found == SegmentTableRef::kNotFound ? SegmentTableRef::kNoTime : tables.previous.latest_ns[found];
  }

  WARPMETER_HD bool within_gap(std::int64_t time_ns, std::int64_t original_ns) const {
    return original_ns != SegmentTableRef::kNoTime && time_ns - original_ns <= gap_ns;
  }
};

}  // namespace warpmeter
