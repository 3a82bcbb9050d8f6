#include "extract/cpu_metering.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "extract/shard_flows.h"
#include "warpmeter/random_seed.h"

namespace warpmeter {
namespace {

// Every shard may hold this many finished partials back.
constexpr std::size_t kPartialsPerChunk = 256;

// Of the memory for flow states, what those may take that stay where they are until they are exported.
constexpr std::uint64_t kStayShare = 2;

// Few: a batch that is used again soon is still in the cache. One thread alone needs no second one.
unsigned slots_for(unsigned threads) { return 2 * threads - 1; }

}  // namespace

CpuMetering::CpuMetering(const MeteringOptions& options, Trace& trace, RunStore& runs, StageClock& clock)
    : CpuMetering(options, trace, runs, clock, random_hash_seed()) {}

CpuMetering::CpuMetering(const MeteringOptions& options, Trace& trace, RunStore& runs, StageClock& clock,
                         const HashSeed& hash_seed)
    : options_(options),
      trace_(trace),
      runs_(runs),
      clock_(clock),
      decoder_(options.decode, hash_seed),
      board_(slots_for(options.threads), options.batch, options.threads),
      windows_(options.threads),
      hole_memory_(hole_memory_of(options.meter), options.tmpdir) {
  for (unsigned i = 0; i < kShards; ++i)
    shards_.push_back(std::make_unique<Shard>(options.meter, hash_seed, flow_memory_, hole_memory_));
}

void CpuMetering::run() {
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < options_.threads; ++i) helpers.emplace_back([this, i] { work(i); });
    work(0);
  }
  board_.rethrow_failure();
}

void CpuMetering::work(unsigned worker) {
  try {
    for (Task task = board_.next(worker); task.kind != Task::Kind::none; task = board_.next(worker)) {
      switch (task.kind) {
        case Task::Kind::read: read_and_decode(task.first, windows_[worker]); break;
        case Task::Kind::settle: settle(task.first, windows_[worker]); break;
        default: meter(task);
      }
    }
  } catch (...) {
    board_.fail(std::current_exception());
  }
}

void CpuMetering::read_and_decode(std::uint64_t batch, FileWindow& window) {
  BatchSlot& slot = board_.slot(batch);
  bool more;
  {
    const StageClock::Scope scope(clock_, Stage::read);
    more = trace_.claim(slot.stretch, {.frames = options_.batch});
  }
  board_.claimed(more);
  if (!more) return;
  walk_and_decode(slot, window);
  board_.walked(batch);
}

void CpuMetering::settle(std::uint64_t batch, FileWindow& window) {
  BatchSlot& slot = board_.slot(batch);
  bool right;
  {
    const StageClock::Scope scope(clock_, Stage::read);
    right = trace_.settle(slot.stretch, window);
  }
  board_.settled(batch);
  if (!right) walk_and_decode(slot, window);
  slot.batch.first_number = slot.stretch.first_number;
  slot.counters.add(slot.counters_of_batch);
  board_.decoded(batch);
}

// What it finds counts once the batch is settled.
void CpuMetering::walk_and_decode(BatchSlot& slot, FileWindow& window) {
  const auto walk = [&] {
    const StageClock::Scope scope(clock_, Stage::read);
    return Trace::walk(slot.stretch, window);
  };
  slot.counters_of_batch = {};
  slot.batch.reset(0);
  while (walk()) {
    const StageClock::Scope scope(clock_, Stage::decode);
    decoder_.append(slot.stretch.block, slot.batch, slot.counters_of_batch);
  }
  const StageClock::Scope scope(clock_, Stage::decode);
  slot.batch.list_by_shard();
}

void CpuMetering::meter(const Task& task) {
  {
    const StageClock::Scope scope(clock_, Stage::meter);
    for (std::uint64_t b = task.first; b < task.last; ++b) {
      const SegmentBatch& batch = board_.slot(b).batch;
      Shard::meter(shards_, batch, batch.of_shards(task.group * kShardsPerGroup, (task.group + 1) * kShardsPerGroup));
    }
  }
  for (unsigned s = task.group * kShardsPerGroup; s < (task.group + 1) * kShardsPerGroup; ++s) {
    if (shards_[s]->finished().size() >= kPartialsPerChunk) hand_over(*shards_[s]);
  }
  board_.metered(task);
}

void CpuMetering::hand_over(Shard& shard) {
  const StageClock::Scope scope(clock_, Stage::spill);
  if (shard.finished().empty()) return;
  PartialChunk next;
  next.reserve(kPartialsPerChunk);
  runs_.add(std::exchange(shard.finished(), std::move(next)));
}

void CpuMetering::drain() {
  for (unsigned i = 0; i < slots_for(options_.threads); ++i) decode_counters_.add(board_.slot(i).counters);
  std::int64_t trace_end_ns = shards_.front()->latest_ns();
  for (const auto& shard : shards_) trace_end_ns = std::max(trace_end_ns, shard->latest_ns());
  if (may_stay_until_export()) {
    for (const auto& shard : shards_) {
      hand_over(*shard);
      shard->stop_metering();
      runs_.add(std::make_shared<ShardFlows>(*shard, trace_end_ns));
    }
  } else {
    drain_shards(trace_end_ns);
  }
  for (const auto& shard : shards_) meter_counters_.add(shard->counters());
}

// Beside the states there are then partials, places of the sort, and sections of the output.
bool CpuMetering::may_stay_until_export() const {
  std::uint64_t live = 0;
  for (const auto& shard : shards_) live += shard->live();
  return live * sizeof(CompactFlowState) <= options_.meter.flow_memory / kStayShare;
}

void CpuMetering::drain_shards(std::int64_t trace_end_ns) {
  std::atomic<unsigned> next_shard = 0;
  const auto work = [&] {
    try {
      drain_shards(next_shard, trace_end_ns);
    } catch (...) {
      board_.fail(std::current_exception());
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < options_.threads; ++i) helpers.emplace_back(work);
    work();
  }
  board_.rethrow_failure();
}

void CpuMetering::drain_shards(std::atomic<unsigned>& next_shard, std::int64_t trace_end_ns) {
  for (unsigned s = next_shard++; s < kShards; s = next_shard++) {
    for (bool more = true; more;) {
      {
        const StageClock::Scope scope(clock_, Stage::drain);
        more = shards_[s]->drain(trace_end_ns, kPartialsPerChunk);
      }
      hand_over(*shards_[s]);
    }
  }
}

}  // namespace warpmeter
