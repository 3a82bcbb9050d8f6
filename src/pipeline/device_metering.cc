#include "pipeline/device_metering.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace warpmeter {
namespace {

// Enough for each reader to have a batch, and for the stages behind them; pinned memory is dear.
unsigned slots_for(unsigned threads) { return std::clamp(threads + DeviceMeter::kMostUnderWay, 4u, 8u); }

constexpr std::size_t kPartialsPerChunk = 4096;

MeteringOptions with_block_of(const MeteringOptions& options, const DeviceMeter& device) {
  MeteringOptions with_block = options;
  with_block.meter.five_tuple.block = device.block();
  return with_block;
}

std::uint64_t duplicates_in(const PartialChunk& partials) {
  std::uint64_t duplicates = 0;
  for (const FlowRecord& partial : partials) duplicates += partial.duplicate_packets;
  return duplicates;
}

}  // namespace

DeviceMetering::DeviceMetering(const MeteringOptions& options, std::unique_ptr<DeviceMeter> device,
                               std::uint64_t hash_seed, Trace& trace, RunStore& runs, StageClock& clock)
    : device_(std::move(device)),
      options_(with_block_of(options, *device_)),
      hash_seed_(hash_seed),
      trace_(trace),
      runs_(runs),
      clock_(clock),
      decoder_(options.key_vlan, hash_seed, options.filter),
      ring_(slots_for(options.threads), options.batch, device_->batch_memory(), DeviceMeter::kMostUnderWay) {}

// After a failure batches may be under way still, and their memory is about to go.
DeviceMetering::~DeviceMetering() { device_->finish(); }

void DeviceMetering::run() {
  {
    std::vector<std::jthread> stages;
    const auto start = [&](StageFunction stage) { stages.emplace_back([this, stage] { guarded(stage); }); };
    try {
      for (auto stage : {&DeviceMetering::submit, &DeviceMetering::collect, &DeviceMetering::sort_and_write})
        start(stage);
      for (unsigned i = 1; i < options_.threads; ++i) start(&DeviceMetering::read_and_decode);
    } catch (...) {  // no more threads: those that run must not wait for the others
      fail();
    }
    guarded(&DeviceMetering::read_and_decode);
  }
  ring_.rethrow_failure();
}

void DeviceMetering::guarded(StageFunction stage) {
  try {
    (this->*stage)();
  } catch (...) {
    fail();
  }
}

// Every stage ends when the ring has failed and the queue is closed.
void DeviceMetering::fail() {
  ring_.fail(std::current_exception());
  chunks_.close();
}

void DeviceMetering::read_and_decode() {
  const std::uint64_t block = options_.meter.five_tuple.block;
  while (const auto batch = ring_.begin_read()) {
    BatchSlot& slot = ring_.slot(*batch);
    bool more;
    {
      const StageClock::Scope scope(clock_, Stage::read);
      // A batch ends where a memory block ends.
      const std::uint64_t left = block - trace_.frames_read() % block;
      more = trace_.next_block(slot.block, std::min<std::uint64_t>(options_.batch, left));
    }
    ring_.frames_read(more);
    if (!more) continue;
    {
      const StageClock::Scope scope(clock_, Stage::decode);
      decoder_.decode(slot.block, slot.batch, slot.counters);
    }
    ring_.decoded(*batch);
  }
}

void DeviceMetering::submit() {
  for (std::uint64_t batch = 0; ring_.wait_until_decoded(batch); ++batch) {
    device_->submit(ring_.slot(batch).batch);
    ring_.submitted(batch);
  }
}

void DeviceMetering::collect() {
  DeviceMeter::Result result;
  for (std::uint64_t batch = 0; ring_.wait_until_submitted(batch); ++batch) {
    device_->collect(result);
    ring_.collected(batch);
    if (!result.overflow.empty()) meter_on_cpu(ring_.slot(batch).batch, result.overflow);
    ring_.release(batch);
    if (result.finished.empty()) continue;
    meter_counters_.duplicate_packets += duplicates_in(result.finished);
    pass_on(result.finished);
  }
  chunks_.close();
}

// In chunks, of which few may wait: a batch can end a million flows.
void DeviceMetering::pass_on(const PartialChunk& partials) {
  for (std::size_t i = 0; i < partials.size(); i += kPartialsPerChunk) {
    const auto begin = partials.begin() + static_cast<std::ptrdiff_t>(i);
    const std::size_t count = std::min(kPartialsPerChunk, partials.size() - i);
    chunks_.push(PartialChunk(begin, begin + static_cast<std::ptrdiff_t>(count)));
  }
}

void DeviceMetering::sort_and_write() {
  while (std::optional<PartialChunk> chunk = chunks_.pop()) add_partials(std::move(*chunk));
}

void DeviceMetering::add_partials(PartialChunk partials) {
  const StageClock::Scope scope(clock_, Stage::spill);
  runs_.add(std::move(partials));
}

void DeviceMetering::meter_on_cpu(const SegmentBatch& batch, const std::vector<std::uint32_t>& positions) {
  const StageClock::Scope scope(clock_, Stage::meter);
  if (shards_.empty()) {
    for (unsigned s = 0; s < kShards; ++s) shards_.push_back(std::make_unique<Shard>(options_.meter, hash_seed_));
    of_shard_.resize(kShards);
  }
  for (std::uint32_t position : positions) of_shard_[batch.shard[position]].push_back(position);
  for (unsigned s = 0; s < kShards; ++s) {
    shards_[s]->meter(batch, of_shard_[s]);
    of_shard_[s].clear();
    if (shards_[s]->finished().size() >= kPartialsPerChunk) chunks_.push(std::exchange(shards_[s]->finished(), {}));
  }
  meter_counters_.on_cpu += positions.size();
}

void DeviceMetering::drain() {
  decode_counters_ = ring_.counters();
  std::int64_t trace_end_ns = device_->latest_ns();
  for (const auto& shard : shards_) trace_end_ns = std::max(trace_end_ns, shard->latest_ns());
  const auto drained = [&](auto drain) {
    const StageClock::Scope scope(clock_, Stage::drain);
    return drain();
  };
  PartialChunk ended;
  while (drained([&] { return device_->drain(trace_end_ns, ended); })) {
    meter_counters_.duplicate_packets += duplicates_in(ended);
    add_partials(std::exchange(ended, {}));
  }
  meter_counters_.peak_live_flows = device_->flows();
  for (const auto& shard : shards_) {
    for (bool more = true; more;) {
      more = drained([&] { return shard->drain(trace_end_ns, kPartialsPerChunk); });
      add_partials(std::exchange(shard->finished(), {}));
    }
    meter_counters_.add(shard->counters());
  }
  shards_.clear();
  const auto seconds = device_->stage_seconds();
  for (int i = 0; i < kDeviceStages; ++i) device_stages_.emplace_back(kDeviceStageNames[i], seconds[i]);
}

}  // namespace warpmeter
