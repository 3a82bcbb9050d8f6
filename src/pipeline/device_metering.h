// The Metering Process on a device, in the four stages of the source paper, each with threads of its own: read, filter
// and decode; copy in and compute; copy out; sort and write. Flow Keys that find no room on the device are metered
// here, on the CPU, from their first packet to their last.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "capture/trace.h"
#include "decode/decoder.h"
#include "meter/shard.h"
#include "pipeline/batch_ring.h"
#include "pipeline/chunk_queue.h"
#include "pipeline/metering_process.h"
#include "pipeline/stage_clock.h"
#include "run/run_store.h"
#include "warpmeter/device_meter.h"

namespace warpmeter {

class DeviceMetering : public MeteringProcess {
 public:
  // What is referred to must outlive it. `hash_seed` is the one that `device` was made with.
  DeviceMetering(const MeteringOptions& options, std::unique_ptr<DeviceMeter> device, std::uint64_t hash_seed,
                 Trace& trace, RunStore& runs, StageClock& clock);

  ~DeviceMetering() override;

  void run() override;    // also throws DeviceError
  void drain() override;  // also throws DeviceError
  std::uint64_t block() const override { return device_->block(); }

 private:
  using StageFunction = void (DeviceMetering::*)();
  void guarded(StageFunction stage);
  void fail();
  void read_and_decode();
  void submit();
  void collect();
  void sort_and_write();
  void meter_on_cpu(const SegmentBatch& batch, const std::vector<std::uint32_t>& positions);
  void pass_on(const PartialChunk& partials);
  void add_partials(PartialChunk partials);

  const std::unique_ptr<DeviceMeter> device_;
  const MeteringOptions options_;  // with the device's memory block
  const std::uint64_t hash_seed_;
  Trace& trace_;
  RunStore& runs_;
  StageClock& clock_;
  const Decoder decoder_;
  BatchRing ring_;
  ChunkQueue chunks_;

  // For flows that the device has no room for; made when there is one.
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<std::vector<std::uint32_t>> of_shard_;
};

}  // namespace warpmeter
