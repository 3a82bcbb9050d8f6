// How metering on devices ends when something goes wrong around them: batches outlive the devices' use of them, threads
// that cannot be started do not leave the others waiting, and an interrupted run is not started over.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <system_error>

#include "command/extract/extract.h"
#include "packet/file/trace.h"
#include "pipeline/metering/device_metering.h"
#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

std::atomic<int> failing_thread = 0;  // number of the thread from now on that cannot be started; 0 = none

// Counts what is given back while the device may still read it.
class Watched : public std::pmr::memory_resource {
 public:
  std::atomic<int> in_flight = 0, freed_too_early = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (in_flight > 0) ++freed_too_early;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

// Every piece is one flow of one packet.
class QuietDevice : public DeviceMeter {
 public:
  explicit QuietDevice(Watched& memory, std::atomic<bool>* interrupted = nullptr)
      : memory_(memory), interrupted_(interrupted) {}

  std::string name() const override { return "quiet"; }
  std::uint64_t block() const override { return 1000; }
  std::pmr::memory_resource& batch_memory() override { return memory_; }
  void submit(const SegmentSpan&) override { ++memory_.in_flight; }
  void expire(std::int64_t) override { ++memory_.in_flight; }
  void collect(Result& result) override {
    --memory_.in_flight;
    result = {};
    result.finished.resize(1);
    result.finished[0].arrival = ++collected_;
  }
  void finish() noexcept override { memory_.in_flight = 0; }
  std::int64_t latest_ns() override { return 0; }
  // With `interrupted`: the user has had enough, and then the device fails.
  bool drain(std::int64_t, std::vector<Partial>&) override {
    if (!interrupted_) return false;
    *interrupted_ = true;
    throw DeviceError("lost");
  }
  std::uint64_t flows() override { return 0; }
  std::array<double, kDeviceStages> stage_seconds() const override { return {}; }

 private:
  Watched& memory_;
  std::atomic<bool>* const interrupted_;
  std::uint64_t collected_ = 0;
};

class DeviceMeteringEnding : public testing::Test {
 protected:
  std::string capture(unsigned packets) const {
    test::PcapFile file(test::PcapDialect{.link = kLinkRaw});
    for (unsigned i = 0; i < packets; ++i) {
      file.record(i / 100, 0, test::ip4({.protocol = 17, .id = static_cast<std::uint16_t>(i)}, test::udp(1, 2)));
    }
    return folder_.write("in.pcap", file.data());
  }

  static MeteringOptions options() {
    MeteringOptions options;
    options.meter.method = Method::five_tuple;
    options.meter.flow_memory = 64 << 20;
    options.threads = 2;
    options.batch = 10;
    return options;
  }

  // One in each memory.
  DeviceMetering::Devices devices() {
    DeviceMetering::Devices devices;
    for (Watched& memory : memory_) devices.push_back(std::make_unique<QuietDevice>(memory));
    return devices;
  }

  const test::ScratchFolder folder_;
  const std::atomic<bool> never_ = false;
  StageClock clock_;
  Watched memory_[2];
};

TEST_F(DeviceMeteringEnding, BatchesOutliveTheirUseWhenTheWriterFails) {
  Trace trace({capture(2000)}, never_);
  RunStore runs({folder_.file("missing"), arrival_order, 1});
  {
    DeviceMetering metering(options(), devices(), 7, trace, runs, clock_);
    EXPECT_NE(test::thrown_text([&] { metering.run(); }), "");
  }
  for (const Watched& memory : memory_) EXPECT_EQ(memory.freed_too_early, 0);
}

TEST_F(DeviceMeteringEnding, AnInterruptedRunIsNotStartedOver) {
  std::atomic<bool> interrupted = false;
  ExtractOptions options;
  options.inputs = {capture(2000)};
  options.output.file = folder_.file("out.csv");
  options.tmpdir = folder_.path();
  options.memory = 64 << 20;
  options.batch = 10;
  options.quiet = true;
  options.meter.method = Method::five_tuple;
  options.make_device = [&](const DeviceMeterOptions&) {
    return std::make_unique<QuietDevice>(memory_[0], &interrupted);
  };
  EXPECT_EQ(test::thrown_text([&] { extract(options, interrupted); }),
            "GPU: lost; interrupted, so not started over on the CPU");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these have a pthread_create of their own
class MissingThread : public DeviceMeteringEnding, public testing::WithParamInterface<int> {};

TEST_P(MissingThread, IsAnErrorAndLeavesNobodyWaiting) {
  Trace trace({capture(200)}, never_);
  RunStore runs({folder_.path(), arrival_order, 1 << 20});
  DeviceMetering metering(options(), devices(), 7, trace, runs, clock_);
  failing_thread = GetParam();
  EXPECT_THROW(metering.run(), std::system_error);
}

INSTANTIATE_TEST_SUITE_P(EachOfThem, MissingThread, testing::Values(1, 2, 3, 4));
#endif

}  // namespace
}  // namespace warpmeter

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* with) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (warpmeter::failing_thread > 0 && --warpmeter::failing_thread == 0) return EAGAIN;
  return create(thread, attributes, start, with);
}
#endif
