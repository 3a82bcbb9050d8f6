// The Metering Process as the straight line sees it: takes the frames of a trace and leaves finished partials in a
// store. CpuMetering does it on the CPU's cores, DeviceMetering on a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/counters.h"
#include "core/options.h"
#include "flow/runs/sorted_runs.h"
#include "packet/decode/decoder.h"
#include "pipeline/metering/running_counts.h"
#include "policy/rounds/outcome.h"
#include "policy/rounds/rounds_options.h"

namespace warpmeter::inline pipeline {

struct MeteringOptions {
  MeterOptions meter;
  unsigned threads = 1;
  std::uint32_t batch = 4096;
  std::uint64_t most_packets = 0;  // expected of the source; 0 = unknown
  DecodeOptions decode;
  std::int64_t expire_every_ns = 0;                        // as in ExtractOptions
  std::int64_t batch_deadline_ns = 0;                      // as in ExtractOptions
  std::string tmpdir = "/tmp";                             // where holes lie that find no room in memory
  std::function<void(unsigned thread)> begin_thread = {};  // as in ExtractOptions
  RoundsOptions policy = {};
  bool annex = false;  // of each flow is noted what its first packet tells: on the CPU, of sources with frames
};

// Of expire_every_ns, what finding an idle flow may take, and what letting its partial go.
inline constexpr std::int64_t kPartsOfExpiry = 4;

class MeteringProcess {
 public:
  virtual ~MeteringProcess() = default;

  // Reads, decodes and meters the whole trace. Throws what a thread of it threw. On the CPU it may be called again
  // where a source goes on behind its end.
  virtual void run() = 0;

  // Ends all flows. After this every partial is in the store.
  virtual void drain() = 0;

  // Between two run(): what has ended is in the store when this returns; what it returns are the flows that live, as if
  // the trace ended here, to be read before the next run(). On the CPU only.
  virtual std::vector<std::shared_ptr<const LiveFlows>> live_flows() { return {}; }
  // Between two run(), behind live_flows(): what is noted of these, as it would stand behind them.
  virtual PartialChunk live_annotations() { return {}; }

  // Packets in a memory block, method five-tuple.
  virtual std::uint64_t block() const = 0;

  // While it runs, from any thread.
  RunningCounts running() const { return running_.counts(); }

  // Of a policy that may change, while it runs, from any thread: as of the last batches.
  virtual PolicyCounters running_policy() const { return {}; }

  // Valid after drain().
  const DecodeCounters& decode_counters() const { return decode_counters_; }
  const MeterCounters& meter_counters() const { return meter_counters_; }
  const PolicyCounters& policy_counters() const { return policy_counters_; }
  using StageTimes = std::vector<std::pair<std::string, double>>;  // seconds, of stages beyond those of the StageClock
  const StageTimes& device_stages() const { return device_stages_; }

 protected:
  RunningCounters running_;
  DecodeCounters decode_counters_;
  MeterCounters meter_counters_;
  PolicyCounters policy_counters_;
  StageTimes device_stages_;
};

}  // namespace warpmeter::inline pipeline
