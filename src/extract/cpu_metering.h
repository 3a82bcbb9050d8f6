// The Metering Process on the CPU: worker threads that take frames from a trace and leave finished partials in a store.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "capture/trace.h"
#include "decode/decoder.h"
#include "extract/hole_memory.h"
#include "extract/metering_process.h"
#include "extract/stage_clock.h"
#include "extract/task_board.h"
#include "meter/huge_pages.h"
#include "meter/shard.h"
#include "run/run_store.h"

namespace warpmeter {

class CpuMetering : public MeteringProcess {
 public:
  // What is referred to must outlive it.
  CpuMetering(const MeteringOptions& options, Trace& trace, RunStore& runs, StageClock& clock);

  void run() override;
  void drain() override;
  std::uint64_t block() const override { return options_.meter.five_tuple.block; }

 private:
  CpuMetering(const MeteringOptions& options, Trace& trace, RunStore& runs, StageClock& clock,
              const HashSeed& hash_seed);
  void work(unsigned worker);
  void read_and_decode(std::uint64_t batch, FileWindow& window);
  void settle(std::uint64_t batch, FileWindow& window);
  void walk_and_decode(BatchSlot& slot, FileWindow& window);
  void meter(const Task& task);
  bool may_stay_until_export() const;
  void drain_shards(std::int64_t trace_end_ns);
  void drain_shards(std::atomic<unsigned>& next_shard, std::int64_t trace_end_ns);
  void hand_over(Shard& shard);

  const MeteringOptions options_;
  Trace& trace_;
  RunStore& runs_;
  StageClock& clock_;
  const Decoder decoder_;
  TaskBoard board_;
  std::vector<FileWindow> windows_;  // of the workers
  HugePages flow_memory_;            // of the shards
  HoleMemory hole_memory_;           // of the shards
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace warpmeter
