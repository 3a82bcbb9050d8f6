// A pass over a trace that meters it for the verdicts of its packets: as `extract` meters, but that Flow Records are
// thrown away.
#pragma once

#include <cstdint>
#include <functional>

#include "command/packets/judged_batch.h"
#include "core/counters.h"
#include "core/hash_seed.h"
#include "packet/file/packet_source.h"
#include "pipeline/metering/extract_options.h"

namespace warpmeter::inline command {

struct JudgedCounts {
  DecodeCounters decode;
  std::uint64_t packets = 0;  // that were written; of a capture frames
  VerdictCounts by_verdict{};
};

// Calls `write` with each batch that was picked, in their order and by one thread at a time. `seed`: of the decoder.
// Uses options.threads threads. Throws what any of them throws.
JudgedCounts judge_packets(TraceSource& trace, const JudgeRules& rules, const ExtractOptions& options,
                           const HashSeed& seed, const std::function<void(JudgedBatch&)>& write);

// Groups of shards, each of which meters a batch at a time.
unsigned judging_groups(unsigned threads);

}  // namespace warpmeter::inline command
