// A ring whose thread gets more packets than it can meter, by its own CPU time, so that the outcome is the same on a
// busy machine: with all flows it loses packets all the time, and with a sample that follows the trouble none any more.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "command/live/load_control.h"
#include "command/live/metered_rings.h"
#include "support/fewer.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kPressedBlock = 256, kPressedPackets = fewer(1 << 16);
constexpr double kPressedRoom = 2 * kPressedPackets;  // packets

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// So many packets come in a second, of which each second is one of its thread's CPU time, or one for which that would
// have waited. A rate of 0: as many as it takes.
class PressedRing : public FakeRing {
 public:
  PressedRing() {
    for (std::uint32_t i = 0; i < kPressedPackets; ++i) {
      const auto port = static_cast<std::uint16_t>(i * 40503);  // no order
      packets_.push_back({ethernet(0x0800, ip4({}, tcp({.source_port = port}))), 1'000'000'000});
    }
  }

  std::optional<RingBlock> next() override {
    if (is_shut_) return {};
    const double cpu = thread_cpu_seconds();
    if (rate_ > 0) {
      if (first_ == 0) first_ = cpu;
      wait_for_block(cpu);
      lose_what_has_no_room();
    }
    cpu_ = cpu;
    FakePacket* const at = packets_.data() + received_ % kPressedPackets;
    received_ += kPressedBlock;
    passed_ += kPressedBlock;
    return RingBlock{.at = at, .frames = kPressedBlock, .last_ns = at->time_ns, .lease = {}};
  }
  void shut() override {
    is_shut_ = true;
    FakeRing::shut();
  }
  RingCounts counts() const override {
    RingCounts counts;
    counts.received = received_;
    counts.ring_full = lost_;
    return counts;
  }
  std::optional<double> fill() const override { return fill_.load(); }

  void set_rate(double rate) { rate_ = rate; }
  double seconds() const { return seconds_; }  // since there was a rate
  double cpu_seconds() const { return cpu_; }
  double waited() const { return waited_; }

 private:
  void wait_for_block(double cpu) {
    seconds_ = cpu - first_ + waited_;
    const double missing = (passed_ + kPressedBlock) / rate_ - seconds_;
    if (missing <= 0) return;
    waited_ = waited_ + missing;
    seconds_ = seconds_ + missing;
  }
  void lose_what_has_no_room() {
    const double waiting = seconds_ * rate_ - passed_;
    fill_ = std::min(waiting / kPressedRoom, 1.0);
    if (waiting <= kPressedRoom) return;
    const double lost = std::floor(waiting - kPressedRoom);
    lost_ += static_cast<std::uint64_t>(lost);
    passed_ += lost;
  }

  std::vector<FakePacket> packets_;
  double first_ = 0, passed_ = 0;  // packets that were given or lost since there was a rate
  std::atomic<double> rate_ = 0, seconds_ = 0, cpu_ = 0, waited_ = 0, fill_ = 0;
  std::atomic<std::uint64_t> received_ = 0, lost_ = 0;
  std::atomic<bool> is_shut_ = false;
};

class PressedCapture {
 public:
  explicit PressedCapture(bool follows) : follows_(follows) {
    auto ring = std::make_unique<PressedRing>();
    ring_ = ring.get();
    std::vector<std::unique_ptr<FakeRing>> rings;
    rings.push_back(std::move(ring));
    MeteringOptions options = ring_options(1);
    options.batch = 4096;
    options.meter.duplicates.window = 0;
    options.decode.sample = {1, 5};
    metered_.emplace(options, std::make_unique<FakePoint>(std::move(rings), "pressed"));
    runner_ = std::jthread([this] { metered_->run(RingMetering::kQueue, {.sample = &rate_}); });
  }

  // Meters all that it can, and from then on so many times that comes in.
  void press(double times) {
    wait_until([&] { return ring_->counts().received > 4 * kPressedPackets; });  // all flows are there
    const double begin = ring_->cpu_seconds();
    const std::uint64_t before = ring_->counts().received;
    wait_until([&] { return ring_->counts().received > before + 8 * kPressedPackets; });
    const auto more = static_cast<double>(ring_->counts().received - before);
    ring_->set_rate(times * more / (ring_->cpu_seconds() - begin));
  }

  // Looked at as live does, ten times a second, where a second is so short that a test need not take long.
  void run(int looks) {
    constexpr double kLook = 0.005;
    for (; looks > 0; --looks) {
      wait_until([&] { return ring_->seconds() > looked_ + kLook; });
      const double now = ring_->seconds(), busy = 1 - (ring_->waited() - waited_) / (now - looked_);
      looked_ = now;
      waited_ = ring_->waited();
      const std::chrono::nanoseconds since(static_cast<std::int64_t>(now / kLook * 1e8));
      if (!follows_) continue;
      const std::uint32_t one_in = control_.look({.now = SampleControl::Clock::time_point(since),
                                                  .lost = ring_->counts().ring_full,
                                                  .fill = *ring_->fill(),
                                                  .busy = busy,
                                                  .settled = rate_.is_settled()});
      if (one_in != rate_.one_in()) rate_.change(one_in);
    }
  }

  void end() {
    metered_->stop();
    runner_.join();
  }
  std::uint64_t lost() const { return ring_->counts().ring_full; }
  std::uint64_t received() const { return ring_->counts().received; }
  std::uint32_t one_in() const { return rate_.one_in(); }
  MeteredRings& metered() { return *metered_; }

 private:
  const bool follows_;
  PressedRing* ring_;
  std::optional<MeteredRings> metered_;
  SampleRate rate_{1, 1};
  SampleControl control_{1024};
  double looked_ = 0, waited_ = 0;
  std::jthread runner_;
};

struct LastThird {
  std::uint64_t lost, received;
};

// What must hold however fast the machine is, and what was lost in the last third.
LastThird run_pressed(bool follows) {
  PressedCapture capture(follows);
  capture.press(1.7);
  capture.run(200);  // "20 s"
  const std::uint64_t lost_before = capture.lost(), received_before = capture.received();
  capture.run(100);
  const LastThird last{capture.lost() - lost_before, capture.received() - received_before};
  capture.end();
  const DecodeCounters& decoded = capture.metered().metering().decode_counters();
  const std::uint64_t not_sampled = decoded.ignored[static_cast<int>(Ignored::not_sampled)];
  EXPECT_EQ(decoded.metered + not_sampled, capture.received());
  std::uint64_t packets = 0;
  for (const Partial& flow : capture.metered().partials()) packets += flow.packets;
  EXPECT_EQ(packets, decoded.metered);
  EXPECT_GT(lost_before, 0u);
  EXPECT_EQ(not_sampled > 0, follows);
  EXPECT_EQ(capture.one_in() > 1, follows);
  return last;
}

// What comes in is set by how fast the machine was at first. Where others take the core from then on, as on a shared
// machine, no sample is rare enough, or nothing is lost without one: so it is done again.
TEST(RingOverload, ASampleTakesThePlaceOfLosses) {
  constexpr int kTimes = 10;
  const auto comes_to = [](bool follows, const auto& expected) {
    for (int i = 0; i < kTimes; ++i) {
      if (expected(run_pressed(follows))) return true;
    }
    return false;
  };
  EXPECT_TRUE(comes_to(false, [](const LastThird& last) { return last.lost > last.received / 4; }));
  EXPECT_TRUE(comes_to(true, [](const LastThird& last) { return last.lost < last.received / 50; }));
}

}  // namespace
}  // namespace warpmeter::test
