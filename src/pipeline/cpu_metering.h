// The Metering Process on the CPU: worker threads that take frames from a trace and leave finished partials in a store.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "capture/trace.h"
#include "decode/decoder.h"
#include "meter/shard.h"
#include "pipeline/stage_clock.h"
#include "pipeline/task_board.h"
#include "run/run_store.h"
#include "warpmeter/counters.h"
#include "warpmeter/options.h"

namespace warpmeter {

class PacketFilter;

struct MeteringOptions {
  MeterOptions meter;
  unsigned threads = 1;
  std::uint32_t batch = 4096;
  bool key_vlan = false;
  const PacketFilter* filter = nullptr;  // may be null
};

class MeteringProcess {
 public:
  // What is referred to must outlive it.
  MeteringProcess(const MeteringOptions& options, Trace& trace, RunStore& runs, StageClock& clock);

  // Reads, decodes and meters the whole trace. Throws what a worker threw.
  void run();

  // Ends all flows. After this every partial is in the store.
  void drain();

  const DecodeCounters& decode_counters() const { return decode_counters_; }
  const MeterCounters& meter_counters() const { return meter_counters_; }

 private:
  MeteringProcess(const MeteringOptions& options, Trace& trace, RunStore& runs, StageClock& clock,
                  std::uint64_t hash_seed);
  void work(unsigned worker);
  void read_and_decode(std::uint64_t batch);
  void meter(const Task& task);
  void drain_shards(std::atomic<unsigned>& next_shard, std::int64_t trace_end_ns);
  void hand_over(Shard& shard);

  const MeteringOptions options_;
  Trace& trace_;
  RunStore& runs_;
  StageClock& clock_;
  const Decoder decoder_;
  TaskBoard board_;
  std::vector<std::unique_ptr<Shard>> shards_;
  DecodeCounters decode_counters_;  // complete after run()
  MeterCounters meter_counters_;    // complete after drain()
};

}  // namespace warpmeter
