// Brings the segments of a batch to their shards, in their order, and asks ahead for the memory that each will need:
// flows lie anywhere, and the wait for one would otherwise be most of what it costs.
//
// Threads: whoever has the shards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/segment_batch.h"
#include "flow/meter/duplicate_filter.h"
#include "flow/meter/shard.h"

namespace warpmeter::inline flow {

// Meters the `listed` segments of `batch`, each in its shard, which has its own filter. Batches must come in trace
// order.
void meter_listed(std::span<const std::unique_ptr<Shard>> shards, std::span<DuplicateFilter> filters,
                  const SegmentBatch& batch, std::span<const ListedSegment> listed);

// Meters the segments of `batch` that `order` names, all in one shard, where it is known already which of them are
// duplicates: not 0.
void meter_told(Shard& shard, const SegmentBatch& batch, std::span<const std::uint32_t> order,
                std::span<const std::uint8_t> duplicate);

}  // namespace warpmeter::inline flow
