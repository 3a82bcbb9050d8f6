// The Metering Process on a device, when the device fails or the one who writes: what was thrown comes out, all threads
// end, and nothing more is asked of the device.
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

#include "pipeline/device_metering.h"
#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kBatch = 10;

// What the device is like.
struct Failing {
  std::string function;        // that throws,
  std::uint64_t at = 1;        // at this call, counted from 1
  bool for_memory = false;     // and not for what a device can have
  bool has_room = true;        // else all segments are metered on the CPU
  bool ends_all_flows = true;  // with every batch; else only when drained
};

// Every batch is one flow of one packet, and so is what is drained.
class FailingDevice : public DeviceMeter {
 public:
  FailingDevice(const Failing& failing, std::atomic<unsigned>& submitted) : failing_(failing), submitted_(submitted) {}

  std::string name() const override { return "failing"; }
  std::uint64_t block() const override { return 1000; }
  std::pmr::memory_resource& batch_memory() override { return *std::pmr::new_delete_resource(); }

  void submit(const SegmentBatch& batch) override {
    call("submit");
    batches_[submitted_++ % kMostUnderWay] = &batch;
  }
  void collect(Result& result) override {
    call("collect");
    const SegmentBatch& batch = *batches_[collected_++ % kMostUnderWay];
    result.finished.clear();
    result.overflow.clear();
    for (std::uint32_t i = 0; i < batch.count && !failing_.has_room; ++i) result.overflow.push_back(i);
    if (failing_.has_room && failing_.ends_all_flows) result.finished.push_back(record(batch.first_number));
  }
  std::int64_t latest_ns() override {
    call("latest_ns");
    return 0;
  }
  bool drain(std::int64_t, std::vector<FlowRecord>& ended) override {
    call("drain");
    if (!failing_.has_room || ++drained_ > 10) return false;
    ended.push_back(record(drained_));
    return true;
  }
  std::uint64_t flows() override { return 0; }
  std::array<double, kDeviceStages> stage_seconds() const override { return {}; }

 private:
  void call(const std::string& function) {
    if (function != failing_.function || ++calls_ < failing_.at) return;
    if (calls_ > failing_.at) ADD_FAILURE() << function << "() after it has failed";
    if (failing_.for_memory) throw std::bad_alloc();
    throw DeviceError(function + " failed");
  }
  static FlowRecord record(std::uint64_t arrival) {
    FlowRecord record;
    record.arrival = arrival;
    record.packets = 1;
    return record;
  }

  const Failing failing_;
  std::atomic<unsigned>& submitted_;
  const SegmentBatch* batches_[kMostUnderWay] = {};
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
      file.record(i, 0, test::ip4({.protocol = kProtocolUdp, .id = id}, test::udp(1, 2)));
    }
    MeteringOptions options;
    options.meter.method = Method::five_tuple;
    options.meter.flow_memory = 64 << 20;
    options.threads = threads;
    options.batch = kBatch;
    trace_ = std::make_unique<Trace>(std::vector{folder_.write("trace", file.data())}, never_);
    runs_ = std::make_unique<RunStore>(runs_options_);
    auto device = std::make_unique<FailingDevice>(failing_, submitted_);
    metering_ = std::make_unique<DeviceMetering>(options, std::move(device), 7, *trace_, *runs_, clock_);
  }

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
  std::atomic<unsigned> submitted_ = 0;
  RunStoreOptions runs_options_;
  StageClock clock_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<RunStore> runs_;
  std::unique_ptr<DeviceMetering> metering_;
};

struct Point {
  unsigned threads;
  std::uint64_t call;
};

class DeviceMeteringFailurePoint : public DeviceMeteringFailure, public testing::WithParamInterface<Point> {};

INSTANTIATE_TEST_SUITE_P(DeviceMetering, DeviceMeteringFailurePoint,
                         testing::Values(Point{1, 1}, Point{1, 2}, Point{1, 7}, Point{1, 10}, Point{3, 1}, Point{3, 2},
                                         Point{3, 3}, Point{3, 7}, Point{3, 10}));

constexpr unsigned kBatches = 10;

TEST_P(DeviceMeteringFailurePoint, OfSubmitIsThrownByRun) {
  failing_ = {"submit", GetParam().call};
  make(GetParam().threads, kBatches * kBatch);
  EXPECT_EQ(run(), "submit failed");
  EXPECT_EQ(submitted_, GetParam().call - 1);
}

TEST_P(DeviceMeteringFailurePoint, OfCollectIsThrownByRun) {
  failing_ = {"collect", GetParam().call};
  make(GetParam().threads, kBatches * kBatch);
  EXPECT_EQ(run(), "collect failed");
  EXPECT_GE(submitted_, GetParam().call);
  EXPECT_LE(submitted_, GetParam().call - 1 + DeviceMeter::kMostUnderWay);
}

TEST_P(DeviceMeteringFailurePoint, OfDrainIsThrownByDrain) {
  failing_ = {"drain", GetParam().call};
  make(GetParam().threads, kBatches * kBatch);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(drain(), "drain failed");
}

TEST_F(DeviceMeteringFailure, OfTheLatestTimeIsThrownByDrain) {
  failing_ = {"latest_ns"};
  make(2, kBatch);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(drain(), "latest_ns failed");
}

TEST_F(DeviceMeteringFailure, IsADeviceErrorOnlyIfTheDeviceSaysSo) {
  failing_ = {"collect"};
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
  EXPECT_LT(submitted_, kManyBatches);
}

TEST_P(DeviceMeteringWriter, WithAFullDiskEndsTheRun) {
  make(GetParam(), kManyBatches * kBatch);
  std::string message;
  {
    const FullDisk full;
    message = run();
  }
  EXPECT_NE(message.find("cannot write a run file"), std::string::npos) << message;
  EXPECT_LT(submitted_, kManyBatches);
}

TEST_P(DeviceMeteringWriter, WithoutAFolderEndsTheDrainOfTheDevice) {
  without_a_folder();
  failing_.ends_all_flows = false;
  make(GetParam(), kBatches * kBatch);
  EXPECT_EQ(run(), "");
  expect_missing(drain());
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
