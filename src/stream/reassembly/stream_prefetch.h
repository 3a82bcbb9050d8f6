// Brings the segments of a batch to their reassemblers, in their order, and asks ahead for the memory that each will
// need, as flow/meter/segment_line.h does for flows.
//
// Threads: whoever has the shards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/payload_batch.h"
#include "stream/reassembly/reassembler.h"

namespace warpmeter::inline stream {

// Gives the segments of `batch` to their shards: all, or those that are `listed`. Batches must come in trace order.
void reassemble(std::span<const std::unique_ptr<Reassembler>> shards, const PayloadBatch& batch);
void reassemble(std::span<const std::unique_ptr<Reassembler>> shards, const PayloadBatch& batch,
                std::span<const std::uint32_t> listed);

}  // namespace warpmeter::inline stream
