#include "pipeline/metering/end_flows.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/threads/in_threads.h"

namespace warpmeter::inline pipeline {
namespace {

constexpr std::size_t kEndedAtOnce = 256;

// Of the memory for flow states, what those may take that stay where they are until they are exported.
constexpr std::uint64_t kStayShare = 2;

class FlowsEnd {
 public:
  FlowsEnd(std::span<Shard* const> shards, std::int64_t trace_end_ns, RunStore& runs, StageClock& clock)
      : shards_(shards), trace_end_ns_(trace_end_ns), runs_(runs), clock_(clock) {}

  void stay() {
    for (Shard* const shard : shards_) {
      take_finished(*shard);
      shard->stop_metering();
      runs_.add(std::make_shared<ShardFlows>(*shard, trace_end_ns_));
    }
  }

  void drain(unsigned threads) {
    for_each_index(shards_.size(), threads, [this](std::size_t s) { drain(*shards_[s]); });
  }

 private:
  void drain(Shard& shard) {
    for (bool more = true; more;) {
      {
        const StageClock::Scope scope(clock_, Stage::drain);
        more = shard.drain(trace_end_ns_, kEndedAtOnce);
      }
      take_finished(shard);
    }
  }

  void take_finished(Shard& shard) {
    const StageClock::Scope scope(clock_, Stage::spill);
    if (!shard.finished().empty()) runs_.add(std::exchange(shard.finished(), {}));
  }

  const std::span<Shard* const> shards_;
  const std::int64_t trace_end_ns_;
  RunStore& runs_;
  StageClock& clock_;
};

}  // namespace

// Where flows stay, there are partials beside the states then, places of the sort, and sections of the output.
void end_flows(std::span<Shard* const> shards, const EndOptions& options, RunStore& runs, StageClock& clock) {
  std::int64_t trace_end_ns = options.watermark_ns;
  std::uint64_t live = 0;
  for (const Shard* const shard : shards) {
    trace_end_ns = std::max(trace_end_ns, shard->latest_ns());
    live += shard->live();
  }
  FlowsEnd end(shards, trace_end_ns, runs, clock);
  const std::uint64_t room = options.flow_memory / kStayShare;
  if (room > 0 && live * sizeof(CompactFlowState) <= room) end.stay();
  else end.drain(options.threads);
}

}  // namespace warpmeter::inline pipeline
