// How long after its end was sure a flow's record is written, with very many flows at once: flows of one packet each
// come at a fixed rate through a ring, and leave when they have been idle.
//
//     record_latency_bench [FLOWS [IDLE_SECONDS [SECONDS [LATENCY_MS [RINGS]]]]]
//
// FLOWS live at once (1,000,000), so FLOWS / IDLE_SECONDS come and leave a second.
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "command/live/ring_metering.h"
#include "command/live/running_export.h"
#include "core/one_by_one_writer.h"
#include "pipeline/metering/metering_work.h"
#include "warpmeter/link_type.h"

namespace {

using namespace warpmeter;

std::int64_t wall_clock_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Makes what is due by the clock, each packet of another flow.
class PacedRing : public Ring {
 public:
  PacedRing(unsigned number, double a_second) : number_(number), a_second_(a_second), start_ns_(wall_clock_ns()) {}

  std::size_t size() const override { return 0; }
  int fd() const override { return -1; }
  std::optional<RingBlock> next() override {
    const std::int64_t now = wall_clock_ns();
    const auto due = static_cast<std::uint64_t>(static_cast<double>(now - start_ns_) / 1e9 * a_second_);
    if (shut_ || due < made_ + 64) return {};
    const auto frames = static_cast<std::uint32_t>(std::min<std::uint64_t>(due - made_, kMost));
    for (std::uint32_t i = 0; i < frames; ++i) fill(frames_[i], made_++);
    time_ns_ = now;
    late_ = std::max(late_, due - made_);
    return RingBlock{.at = nullptr, .frames = frames, .last_ns = now, .lease = {}};
  }
  void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const override {
    for (std::uint32_t left = static_cast<std::uint32_t>(std::min<std::size_t>(most, block.frames)); left > 0; --left) {
      frames.frames.push_back({frames_[--block.frames].data(), time_ns_, kBytes, kBytes, kLinkEthernet});
    }
  }
  bool waits_for_lease() const override { return false; }
  std::chrono::milliseconds delay() const override { return std::chrono::milliseconds(1); }
  void shut() override { shut_ = true; }
  void update_counts() override {}
  RingCounts counts() const override { return {.point = "paced", .ring = number_, .received = made_}; }
  std::uint64_t late() const { return late_; }

 private:
  static constexpr std::uint32_t kBytes = 60, kMost = 4096;
  using Bytes = std::array<std::uint8_t, kBytes>;

  // UDP over IPv4, the number in the source address and port.
  void fill(Bytes& frame, std::uint64_t number) const {
    frame.fill(0);
    frame[12] = 8;
    frame[14] = 0x45;
    frame[17] = 46;
    frame[22] = 64;
    frame[23] = 17;
    for (unsigned i = 0; i < 4; ++i) frame[26 + i] = static_cast<std::uint8_t>(number >> 8 * i);
    frame[30] = 10;
    frame[34] = static_cast<std::uint8_t>(number_);
    frame[37] = 53;
    frame[39] = 26;
  }

  const unsigned number_;
  const double a_second_;
  const std::int64_t start_ns_;
  std::uint64_t made_ = 0, late_ = 0;
  std::int64_t time_ns_ = 0;
  bool shut_ = false;
  std::vector<Bytes> frames_{kMost};
};

class PacedPoint : public ObservationPoint {
 public:
  PacedPoint(unsigned rings, double a_second) {
    for (unsigned i = 0; i < rings; ++i) rings_.push_back(std::make_unique<PacedRing>(i, a_second / rings));
  }
  std::string name() const override { return "paced"; }
  std::string way() const override { return "paced"; }
  std::size_t rings() const override { return rings_.size(); }
  Ring& ring(std::size_t number) override { return *rings_[number]; }
  void look(const Warn&) override {}
  bool is_gone() const override { return false; }
  PointCounts counts() const override { return {"paced", 0}; }
  std::uint64_t late() const {
    std::uint64_t late = 0;
    for (const auto& ring : rings_) late = std::max(late, ring->late());
    return late;
  }

 private:
  std::vector<std::unique_ptr<PacedRing>> rings_;
};

class Latencies : public OneByOneWriter {
 public:
  explicit Latencies(std::int64_t idle_ns) : idle_ns_(idle_ns) {}
  void begin() override {}
  void write(const FlowRecord& record, const FlowRecord*) override {
    if (record.end_reason == EndReason::idle) late_ns.push_back(wall_clock_ns() - record.end_ns - idle_ns_);
  }
  void end() override {}

  std::vector<std::int64_t> late_ns;

 private:
  const std::int64_t idle_ns_;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

int main(int count, char** words) {
  const auto word = [&](int at, double otherwise) { return count > at ? std::atof(words[at]) : otherwise; };
  const double flows = word(1, 1e6), idle = word(2, 10), seconds = word(3, 25), latency_ms = word(4, 1000);
  const auto rings = static_cast<unsigned>(word(5, 1));

  ExtractOptions options;
  options.memory = std::uint64_t{2} << 30;
  options.tmpdir = "/tmp";
  options.meter.timeouts.idle_ns = static_cast<std::int64_t>(idle * 1e9);
  options.expire_every_ns = static_cast<std::int64_t>(latency_ms * 1e6 / 2);
  MeteringOptions metering;
  metering.threads = rings;
  metering.meter = options.meter;
  metering.meter.flow_memory = std::uint64_t{1} << 30;
  metering.expire_every_ns = options.expire_every_ns;

  std::atomic<bool> stop = false;
  std::vector<std::unique_ptr<ObservationPoint>> listed;
  listed.push_back(std::make_unique<PacedPoint>(rings, flows / idle));
  const auto& point = static_cast<const PacedPoint&>(*listed.front());
  ObservationPoints points(
      std::move(listed), {}, [](const std::string&) {}, stop);
  RunStore runs(run_store_options(options));
  StageClock clock;
  Latencies latencies(options.meter.timeouts.idle_ns);
  RingMetering process(metering, points, runs, clock);
  RunningExport running(options, runs, latencies, std::chrono::nanoseconds(options.expire_every_ns / 2), [] {});
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    stop = true;
  });
  const double before = cpu_seconds();
  process.run();
  const double cpu = cpu_seconds() - before;

  process.drain();
  running.finish();
  std::vector<std::int64_t>& late = latencies.late_ns;
  std::sort(late.begin(), late.end());
  if (late.empty()) return std::puts("no flow ended"), 1;
  const auto at = [&](double share) {
    return static_cast<double>(late[static_cast<std::size_t>(share * static_cast<double>(late.size() - 1))]) / 1e6;
  };
  std::printf(
      "%zu records while it ran, %llu flows at once; ms after the end was sure: median %.0f, 99.9 %% %.0f, most "
      "%.0f; %.2f s CPU of %.0f s; packets that came late, most: %llu\n",
      late.size(), static_cast<unsigned long long>(process.meter_counters().peak_live_flows), at(0.5), at(0.999), at(1),
      cpu, seconds, static_cast<unsigned long long>(point.late()));
}
