// Brings the segments of a batch to their shards, in their order, and asks ahead for the memory that each will need:
// flows lie anywhere, and the wait for one would otherwise be most of what it costs.
//
// Threads: whoever has the shards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/annex.h"
#include "core/segment_batch.h"
#include "flow/meter/duplicate_filter.h"
#include "flow/meter/shard.h"

namespace warpmeter::inline flow {

// Meters the `listed` segments of `batch`, each in its shard, which has its own filter. `shards` and `filters` begin
// with those of shard `first`. Batches must come in trace order.
void meter_listed(std::span<const std::unique_ptr<Shard>> shards, std::span<DuplicateFilter> filters, unsigned first,
                  const SegmentBatch& batch, std::span<const ListedSegment> listed);

// Gives the annex of the packet in this place of the batch.
class AnnexSource {
 public:
  virtual ~AnnexSource() = default;
  virtual Annex annex_of(std::uint32_t at) const = 0;
};

// The same for shards with annexes.
void meter_listed(std::span<const std::unique_ptr<Shard>> shards, std::span<DuplicateFilter> filters, unsigned first,
                  const SegmentBatch& batch, std::span<const ListedSegment> listed, const AnnexSource& annexes);

// The same as the first, and says of each what it saw, in its place in the batch.
void judge_listed(std::span<const std::unique_ptr<Shard>> shards, std::span<DuplicateFilter> filters, unsigned first,
                  const SegmentBatch& batch, std::span<const ListedSegment> listed, std::span<JudgedPacket> judged);

// The same as the very first, where it is known already which segments of the batch are duplicates: not 0.
void meter_with_duplicate_flags(std::span<const std::unique_ptr<Shard>> shards, unsigned first,
                                const SegmentBatch& batch, std::span<const ListedSegment> listed,
                                std::span<const std::uint8_t> duplicate);

}  // namespace warpmeter::inline flow
