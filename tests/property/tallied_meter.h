// A DeviceMeter that says what became of the flows.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "core/device_meter.h"

namespace warpmeter::test {

// Over all runs of a test.
struct MeterTally {
  std::atomic<std::uint64_t> handed_over = 0, expired = 0, taken_again = 0;
};

class TalliedMeter : public DeviceMeter {
 public:
  TalliedMeter(std::unique_ptr<DeviceMeter> meter, MeterTally& tally) : meter_(std::move(meter)), tally_(tally) {}

  std::string name() const override { return meter_->name(); }
  std::uint64_t block() const override { return meter_->block(); }
  std::pmr::memory_resource& batch_memory() override { return meter_->batch_memory(); }
  void submit(const SegmentSpan& batch) override { meter_->submit(batch); }
  void expire(std::int64_t watermark_ns) override { meter_->expire(watermark_ns); }
  void collect(Result& result) override {
    meter_->collect(result);
    tally_.handed_over += result.handed_over.size();
    for (const Partial& record : result.finished) tally_.expired += record.removal == Removal::expired;
  }
  void finish() noexcept override { meter_->finish(); }
  std::uint32_t room_again() override { return meter_->room_again(); }
  void take_again(std::span<const FlowOnCpu> on_cpu) override {
    meter_->take_again(on_cpu);
    ++tally_.taken_again;
  }
  std::int64_t latest_ns() override { return meter_->latest_ns(); }
  bool drain(std::int64_t trace_end_ns, std::vector<Partial>& ended) override {
    return meter_->drain(trace_end_ns, ended);
  }
  std::uint64_t flows() override { return meter_->flows(); }
  std::array<double, kDeviceStages> stage_seconds() const override { return meter_->stage_seconds(); }

 private:
  const std::unique_ptr<DeviceMeter> meter_;
  MeterTally& tally_;
};

}  // namespace warpmeter::test
