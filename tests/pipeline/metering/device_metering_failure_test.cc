// The Metering Process on devices, when one of them fails or the one who writes: what was thrown comes out, all threads
// end, and nothing more is asked of that device.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "packet/file/trace.h"
#include "pipeline/metering/device_metering.h"
#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kBatch = 10;
constexpr unsigned kFlows = 50;  // of which each device has some in nearly every batch

// What the device is like.
struct Failing {
  std::string function;     // that throws,
  std::uint64_t at = 1;     // at this call, counted from 1
  bool for_memory = false;  // and not for what a device can have
  unsigned devices = 1;
  unsigned device = 0;         // that throws
  bool has_room = true;        // else all segments are metered on the CPU
  bool ends_all_flows = true;  // with every batch; else only when drained
  std::uint64_t flows = 0;     // most that lived at once
  std::uint32_t room = 0;      // again, at any time
};

// Every piece is one flow of one packet, and so is what is drained.
class FailingDevice : public DeviceMeter {
 public:
  FailingDevice(const Failing& failing, unsigned number, std::atomic<unsigned>& submitted)
      : failing_(failing), number_(number), submitted_(submitted) {}

  std::string name() const override { return "failing"; }
  std::uint64_t block() const override { return 1000; }
  std::pmr::memory_resource& batch_memory() override { return *std::pmr::new_delete_resource(); }

  void submit(const SegmentSpan& piece) override {
    call("submit");
    pieces_[submitted_++ % kMostInFlight] = piece;
  }
  void expire(std::int64_t) override { submit({}); }
  void collect(Result& result) override {
    call("collect");
    const SegmentSpan& piece = pieces_[collected_++ % kMostInFlight];
    result = {};
    for (std::uint32_t i = 0; i < piece.count && !failing_.has_room; ++i) result.overflow.push_back(i);
    result.duplicate.resize(result.overflow.size());
    if (failing_.has_room && failing_.ends_all_flows) result.finished.push_back(record(piece.first_number));
  }
  std::uint32_t room_again() override {
    call("room_again");
    return failing_.room;
  }
  void take_again(std::span<const FlowOnCpu>) override { call("take_again"); }
  std::int64_t latest_ns() override {
    call("latest_ns");
    return 0;
  }
  bool drain(std::int64_t, std::vector<Partial>& ended) override {
    call("drain");
    if (!failing_.has_room || ++drained_ > 10) return false;
    ended.push_back(record(drained_));
    return true;
  }
  std::uint64_t flows() override { return failing_.flows; }
  std::array<double, kDeviceStages> stage_seconds() const override { return {}; }

 private:
  void call(const std::string& function) {
    if (number_ != failing_.device || function != failing_.function || ++calls_ < failing_.at) return;
    if (calls_ > failing_.at) ADD_FAILURE() << function << "() after it has failed";
    if (failing_.for_memory) throw std::bad_alloc();
    throw DeviceError(function + " failed");
  }
  static Partial record(std::uint64_t arrival) {
    Partial record;
    record.arrival = arrival;
    record.packets = 1;
    return record;
  }

  const Failing failing_;
  const unsigned number_;
  std::atomic<unsigned>& submitted_;
  SegmentSpan pieces_[kMostInFlight] = {};
  std::uint64_t collected_ = 0, drained_ = 0;
  std::uint64_t calls_ = 0;  // of the function that throws
};

// Ends the program if a test hangs: waiting for it would hang too.
class Deadline {
 public:
  Deadline() : watcher_([this] { watch(); }) {}
  ~Deadline() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, 60s, [this] { return over_; })) return;
    std::fputs("it hangs\n", stderr);
    std::_Exit(1);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::jthread watcher_;
};

class DeviceMeteringFailure : public testing::Test {
 protected:
  DeviceMeteringFailure() { runs_options_ = {folder_.path(), arrival_order, 1 << 20}; }

  void make(unsigned threads, unsigned packets) {
    test::PcapFile file(test::PcapDialect{.link = kLinkRaw});
    for (unsigned i = 0; i < packets; ++i) {
      const auto id = static_cast<std::uint16_t>(i);
      const auto port = static_cast<std::uint16_t>(1 + i % kFlows);
      file.record(i, 0, test::ip4({.protocol = kProtocolUdp, .id = id}, test::udp(port, 2)));
    }
    MeteringOptions options;
    options.meter.method = Method::five_tuple;
    options.meter.flow_memory = 64 << 20;
    options.threads = threads;
    options.batch = kBatch;
    trace_ = std::make_unique<Trace>(std::vector{folder_.write("trace", file.data())}, never_);
    runs_ = std::make_unique<RunStore>(runs_options_);
    DeviceMetering::Devices devices;
    submitted_ = std::vector<std::atomic<unsigned>>(failing_.devices);
    for (unsigned d = 0; d < failing_.devices; ++d) {
      devices.push_back(std::make_unique<FailingDevice>(failing_, d, submitted_[d]));
    }
    metering_ = std::make_unique<DeviceMetering>(options, std::move(devices), 7, *trace_, *runs_, clock_);
  }

  // To the device that fails.
  unsigned submitted() const { return submitted_[failing_.device]; }
  std::string run() {
    return test::thrown_text([this] { metering_->run(); });
  }
  std::string drain() {
    return test::thrown_text([this] { metering_->drain(); });
  }

  const Deadline deadline_;
  const test::ScratchFolder folder_;
  const std::atomic<bool> never_ = false;
  Failing failing_;
  std::vector<std::atomic<unsigned>> submitted_;  // pieces, to each device
  RunStoreOptions runs_options_;
  StageClock clock_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<RunStore> runs_;
  std::unique_ptr<DeviceMetering> metering_;
};

struct Point {
  unsigned threads;
  std::uint64_t call;
  unsigned devices = 1, device = 0;
};

class DeviceMeteringFailurePoint : public DeviceMeteringFailure, public testing::WithParamInterface<Point> {
 protected:
  // How many batches that makes is only roughly known; more than any of the calls there are.
  void make_failing_in(const std::string& function) {
    failing_.function = function;
    failing_.at = GetParam().call;
    failing_.devices = GetParam().devices;
    failing_.device = GetParam().device;
    make(GetParam().threads, 15 * kBatch);
  }
};

INSTANTIATE_TEST_SUITE_P(DeviceMetering, DeviceMeteringFailurePoint,
                         testing::Values(Point{1, 1}, Point{1, 2}, Point{1, 7}, Point{1, 10}, Point{3, 1}, Point{3, 2},
                                         Point{3, 3}, Point{3, 7}, Point{3, 10}, Point{1, 1, 2, 0}, Point{1, 1, 2, 1},
                                         Point{3, 2, 2, 0}, Point{3, 2, 2, 1}, Point{3, 3, 3, 1}, Point{3, 10, 3, 2},
                                         Point{4, 7, 5, 0}, Point{1, 8, 5, 4}));

constexpr unsigned kBatches = 10;

TEST_P(DeviceMeteringFailurePoint, OfSubmitIsThrownByRun) {
  make_failing_in("submit");
  EXPECT_EQ(run(), "submit failed");
  EXPECT_EQ(submitted(), GetParam().call - 1);
}

TEST_P(DeviceMeteringFailurePoint, OfCollectIsThrownByRun) {
  make_failing_in("collect");
  EXPECT_EQ(run(), "collect failed");
  EXPECT_GE(submitted(), GetParam().call);
  EXPECT_LE(submitted(), GetParam().call - 1 + DeviceMeter::kMostInFlight);
}

TEST_P(DeviceMeteringFailurePoint, OfTheRoomIsThrownByRun) {
  make_failing_in("room_again");
  EXPECT_EQ(run(), "room_again failed");
  EXPECT_EQ(submitted(), GetParam().call - 1);
}

TEST_P(DeviceMeteringFailurePoint, OfTakingAgainIsThrownByRun) {
  failing_.room = 1000;
  make_failing_in("take_again");
  EXPECT_EQ(run(), "take_again failed");
  EXPECT_EQ(submitted(), GetParam().call - 1);
}

// It is asked for before any device may take flows again, and at the end.
TEST_P(DeviceMeteringFailurePoint, OfTheTimeIsThrownByRun) {
  failing_.room = 1000;
  make_failing_in("latest_ns");
  EXPECT_EQ(run(), "latest_ns failed");
  EXPECT_LE(submitted(), GetParam().call - 1);
}

TEST_P(DeviceMeteringFailurePoint, OfDrainIsThrownByDrain) {
  make_failing_in("drain");
  EXPECT_EQ(run(), "");
  EXPECT_EQ(drain(), "drain failed");
}

TEST_F(DeviceMeteringFailure, OfTheTimeIsThrownByDrain) {
  for (const unsigned device : {0u, 1u}) {
    failing_ = {.function = "latest_ns", .devices = 2, .device = device};
    make(2, kBatch);
    EXPECT_EQ(run(), "");
    EXPECT_EQ(drain(), "latest_ns failed");
  }
}

TEST_F(DeviceMeteringFailure, IsADeviceErrorOnlyIfTheDeviceSaysSo) {
  failing_.function = "collect";
  make(2, kBatch);
  EXPECT_THROW(metering_->run(), DeviceError);
  failing_.for_memory = true;
  make(2, kBatch);
  EXPECT_THROW(metering_->run(), std::bad_alloc);
}

// Files cannot grow: what a full disk is to the one who writes.
class FullDisk {
 public:
  FullDisk() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*const handler_)(int);
  rlimit before_{};
};

constexpr unsigned kManyBatches = 200;  // more than can be on their way

class DeviceMeteringWriter : public DeviceMeteringFailure, public testing::WithParamInterface<unsigned> {
 protected:
  DeviceMeteringWriter() { runs_options_.memory_limit = 1; }  // every chunk becomes a run
  void without_a_folder() { runs_options_.folder = folder_.file("missing"); }
  void expect_missing(const std::string& message) { EXPECT_NE(message.find("missing"), std::string::npos) << message; }
};

INSTANTIATE_TEST_SUITE_P(DeviceMetering, DeviceMeteringWriter, testing::Values(1, 3));

TEST_P(DeviceMeteringWriter, WithoutAFolderEndsTheRun) {
  without_a_folder();
  make(GetParam(), kManyBatches * kBatch);
  expect_missing(run());
  EXPECT_LT(submitted(), kManyBatches);
}

TEST_P(DeviceMeteringWriter, WithAFullDiskEndsTheRun) {
  make(GetParam(), kManyBatches * kBatch);
  std::string message;
  {
    const FullDisk full;
    message = run();
  }
  EXPECT_NE(message.find("cannot write a run file"), std::string::npos) << message;
  EXPECT_LT(submitted(), kManyBatches);
}

TEST_P(DeviceMeteringWriter, WithoutAFolderEndsTheDrainOfTheDevice) {
  without_a_folder();
  failing_.ends_all_flows = false;
  failing_.flows = std::uint64_t{1} << 40;  // more than the memory takes
  make(GetParam(), kBatches * kBatch);
  EXPECT_EQ(run(), "");
  expect_missing(drain());
}

TEST_P(DeviceMeteringWriter, DrainsToMemoryWhatHasRoomThere) {
  without_a_folder();
  failing_.ends_all_flows = false;
  make(GetParam(), kBatches * kBatch);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(drain(), "");
}

TEST_P(DeviceMeteringWriter, WithoutAFolderEndsTheDrainOfTheCpu) {
  without_a_folder();
  failing_.has_room = false;
  make(GetParam(), kBatches * kBatch);
  EXPECT_EQ(run(), "");
  expect_missing(drain());
}

}  // namespace
}  // namespace warpmeter
