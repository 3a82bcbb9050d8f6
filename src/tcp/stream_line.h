// Brings the segments of a batch to their reassemblers, in their order, and asks ahead for the memory that each will
// need, as meter/segment_line.h does for flows.
//
// Threads: whoever has the shards.
#pragma once

#include <memory>
#include <span>

#include "core/payload_batch.h"
#include "tcp/reassembler.h"

namespace warpmeter {

// Gives the `listed` segments of `batch` to their shards. Batches must come in trace order.
void reassemble_listed(std::span<const std::unique_ptr<Reassembler>> shards, const PayloadBatch& batch,
                       std::span<const ListedSegment> listed);

}  // namespace warpmeter
