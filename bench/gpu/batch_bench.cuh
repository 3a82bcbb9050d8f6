// Whole batches through the Engine: how many segments a second its kernels take, all of those that a batch goes
// through, for both methods, every tile size, sizes of pieces and of batches, and kinds of traffic; and what each
// kernel has of it.
//
// "Kernels only" is the Engine's own time on the queue compute, while nothing is copied: one batch after the other,
// from pinned memory. "With copies" is time on the host's clock with two batches under way, as in the product. The
// first batches warm up and do not count.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "bench_traffic.cuh"
#include "engine.cuh"
#include "timed_device.cuh"

namespace warpmeter::bench {

struct BatchBenchOptions {
  std::uint32_t segments = 1 << 24;
  std::vector<std::uint32_t> batches = {1 << 20, 1 << 22};
  std::vector<std::uint32_t> pieces = {16, 64, 256};
  std::vector<unsigned> lanes = {1, 2, 4, 8, 16, 32};
  unsigned repeat = 3;  // of what is measured with all memory
  // Of the tables, so that hundreds of them are made in a minute.
  std::uint32_t flows = 1 << 24;
  std::uint32_t hole_units = 1 << 22;
  std::uint64_t block = 1 << 25;
  std::uint64_t memory = 0;  // of the device, where all there is shall be used; 0 = most of what is free
};

// `make_device` gives a std::unique_ptr<Device>, another one each time.
template <class Device, class MakeDevice>
class BatchBench {
 public:
  BatchBench(const MakeDevice& make_device, const BatchBenchOptions& options)
      : make_device_(make_device), options_(options), keeper_(make_device()), batches_(*keeper_, options.segments) {}

  void run() {
    std::printf("| method | traffic | batch | piece | lanes | kernels only, G segments/s | left to the CPU |\n");
    std::printf("|---|---|---|---|---|---|---|\n");
    for_all([this](const Traffic& traffic, Method method) { sweep(traffic, method); });
    std::printf("\nWith the product's lanes and pieces, and all the memory there is:\n\n");
    std::printf("| method, whole | traffic | batch | kernels only, G segments/s | with copies |\n");
    std::printf("|---|---|---|---|---|\n");
    for_all([this](const Traffic& traffic, Method method) { measure_whole(traffic, {method, options_.batches[0]}); });
    std::printf("\n| method, by kernel | traffic | batch | kernel | share, %% | G segments/s |\n");
    std::printf("|---|---|---|---|---|---|\n");
    for_all([this](const Traffic& traffic, Method method) { measure_shares(traffic, {method, options_.batches[0]}); });
    std::printf("\n");
  }

 private:
  using Times = std::vector<typename Device::Time>;

  struct Setting {
    Method method;
    std::uint32_t batch;
    std::uint32_t piece = DeviceMeterOptions().piece;
    unsigned lanes = DeviceMeterOptions().tile;
  };
  struct Measured {
    double kernel_seconds = 1e9, wall_seconds = 1e9;  // without the first batch
    std::uint64_t segments = 0;                       // of these batches
    std::uint64_t on_cpu = 0;                         // of all batches
  };

  // What the flows add up to: is the traffic what it should be, and is none of it lost?
  struct Totals {
    std::uint64_t flows = 0, packets = 0, retransmitted = 0, late = 0, missing = 0;
    void add(const std::vector<Partial>& records) {
      for (const Partial& record : records) {
        ++flows;
        packets += record.packets;
        retransmitted += record.retransmitted_segments;
        late += record.out_of_order_segments;
        missing += record.missing_bytes;
      }
    }
  };

  // All the traffic, in memory that the device copies fast.
  struct Batches {
    Batches(Device& device, std::uint32_t count) : on_host(count, &device.host_memory()), on_device(device, count) {}

    void make(Device& device, const Traffic& traffic) {
      const auto count = static_cast<std::uint32_t>(on_host.size());
      // So that flows come to their ends, also among few segments.
      const std::uint32_t live = std::min(traffic.live, count / 64);
      device.launch(MakeTraffic{traffic, live, on_device.data()}, count);
      device.copy_out(Queue::compute, on_host.data(), on_device.data(), on_device.bytes());
      device.finish(Queue::compute);
    }
    SegmentSpan span(std::uint32_t begin, std::uint32_t most) const {
      const auto count = static_cast<std::uint32_t>(on_host.size());
      return {1 + begin / kFrames * kFrames, std::min(most, count - begin), &on_host[begin], nullptr, 0};
    }

    std::pmr::vector<PackedSegment> on_host;
    DeviceArray<Device, PackedSegment> on_device;
  };

  static const char* name_of(Method method) { return method == Method::exact ? "exact" : "five-tuple"; }
  static double rate(std::uint64_t segments, double seconds) {
    return seconds > 0 ? static_cast<double>(segments) / seconds / 1e9 : 0;
  }

  template <class Use>
  void for_all(const Use& use) {
    for (const Traffic& traffic : kTraffic) {
      batches_.make(*keeper_, traffic);
      for (const Method method : {Method::exact, Method::five_tuple}) use(traffic, method);
    }
  }

  DeviceMeterOptions device_options(const Setting& setting, bool whole) const {
    DeviceMeterOptions device;
    device.meter.method = setting.method;
    device.batch = setting.batch;
    device.hash_seed = kHashSeed;
    device.tile = setting.lanes;
    device.piece = setting.piece;
    device.memory = options_.memory;
    if (whole) return device;
    device.flows = options_.flows;
    device.hole_units = options_.hole_units;
    device.meter.five_tuple.block = options_.block;
    return device;
  }

  static double compute_seconds(const Engine<Device>& engine) {
    const auto seconds = engine.stage_seconds();
    const auto of = [&](DeviceStage stage) { return seconds[static_cast<int>(stage)]; };
    return of(DeviceStage::clear_segments) + of(DeviceStage::insert_flows) + of(DeviceStage::insert_segments);
  }

  // One batch after the other. `times` and `totals`: filled if they are wanted.
  Measured one_by_one(const Setting& setting, bool whole, Times* times = nullptr, Totals* totals = nullptr) {
    auto device = make_device_();
    Device& timed = *device;
    Engine<Device> engine(std::move(device), device_options(setting, whole));
    DeviceMeter::Result result;
    Measured measured;
    double first = 0;
    for (std::uint32_t begin = 0; begin < options_.segments; begin += setting.batch) {
      timed.timed = times && begin;
      engine.submit(batches_.span(begin, setting.batch));
      engine.collect(result);
      if (timed.timed) timed.add_times(*times);
      if (!begin) first = compute_seconds(engine);
      measured.on_cpu += result.overflow.size();
      if (totals) totals->add(result.finished);
    }
    measured.kernel_seconds = compute_seconds(engine) - first;
    measured.segments = options_.segments - std::min(options_.segments, setting.batch);
    timed.timed = false;
    while (totals && engine.drain(INT64_MAX / 4, result.finished)) totals->add(result.finished);
    return measured;
  }

  // Two under way. Returns seconds without the first two batches.
  double two_under_way(const Setting& setting) {
    using Clock = std::chrono::steady_clock;
    Engine<Device> engine(make_device_(), device_options(setting, true));
    DeviceMeter::Result result;
    Clock::time_point start;
    for (std::uint32_t begin = 0; begin < options_.segments; begin += setting.batch) {
      engine.submit(batches_.span(begin, setting.batch));
      if (begin >= setting.batch) engine.collect(result);
      if (begin <= setting.batch) start = Clock::now();
    }
    engine.collect(result);
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  void sweep(const Traffic& traffic, Method method) {
    for (const std::uint32_t batch : options_.batches) {
      for (const std::uint32_t piece : options_.pieces) {
        // Beside the default method, the other one for comparison.
        if (method != Method::exact && piece != DeviceMeterOptions().piece) continue;
        for (const unsigned lanes : options_.lanes) {
          const Measured measured = one_by_one({method, batch, piece, lanes}, false);
          std::printf("| %s | %s | %u | %u | %u | %.2f | %.4f |\n", name_of(method), traffic.name, batch, piece, lanes,
                      rate(measured.segments, measured.kernel_seconds),
                      static_cast<double>(measured.on_cpu) / options_.segments);
          std::fflush(stdout);
        }
      }
    }
  }

  void measure_whole(const Traffic& traffic, const Setting& setting) {
    double kernels = 1e9, wall = 1e9;
    for (unsigned r = 0; r < options_.repeat; ++r) {
      kernels = std::min(kernels, one_by_one(setting, true).kernel_seconds);
      wall = std::min(wall, two_under_way(setting));
    }
    std::printf("| %s | %s | %u | %.2f | %.2f |\n", name_of(setting.method), traffic.name, setting.batch,
                rate(options_.segments - std::min(options_.segments, setting.batch), kernels),
                rate(options_.segments - std::min(options_.segments, 2 * setting.batch), wall));
    std::fflush(stdout);
  }

  void measure_shares(const Traffic& traffic, const Setting& setting) {
    Times times;
    Totals totals;
    const Measured measured = one_by_one(setting, false, &times, &totals);
    if (totals.packets + measured.on_cpu != options_.segments) throw DeviceError("segments were lost");
    double sum = 0;
    for (const auto& time : times) sum += time.seconds;
    std::sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    for (const auto& time : times) {
      std::printf("| %s | %s | %u | %s | %.1f | %.2f |\n", name_of(setting.method), traffic.name, setting.batch,
                  time.name.c_str(), sum > 0 ? 100 * time.seconds / sum : 0, rate(measured.segments, time.seconds));
    }
    std::printf("%s, %s: %ju flows, %ju retransmitted and %ju late segments, %ju bytes missing\n",
                name_of(setting.method), traffic.name, totals.flows, totals.retransmitted, totals.late, totals.missing);
    std::fflush(stdout);
  }

  const MakeDevice make_device_;
  const BatchBenchOptions options_;
  const std::unique_ptr<Device> keeper_;  // of the traffic
  Batches batches_;
};

}  // namespace warpmeter::bench
