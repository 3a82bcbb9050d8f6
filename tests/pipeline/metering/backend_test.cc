// Which backend is chosen, and what is said about it, for everything that can be asked for, with a device and without.
#include "pipeline/metering/backend.h"

#include <gtest/gtest.h>

#include "pipeline/metering/played_device.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

// No machine has that many: there is no device, whatever this build and this machine can do.
constexpr int kNoSuchGpu = 1000;

constexpr std::uint64_t kMuch = std::uint64_t{1} << 50;  // bytes

ExtractOptions options(Backend backend, Method method, bool device) {
  ExtractOptions o;
  o.backend = backend;
  o.meter.method = method;
  o.gpus = {kNoSuchGpu};
  if (device) {
    o.make_device = [](const DeviceMeterOptions&) -> std::unique_ptr<DeviceMeter> {
      ADD_FAILURE() << "a device is made where only the choice was asked for";
      return nullptr;
    };
  }
  return o;
}

struct Asked {
  Backend backend;
  Method method;
  bool device;
};

class ChoiceOfTheCpu : public testing::TestWithParam<Asked> {};

TEST_P(ChoiceOfTheCpu, SaysWhy) {
  const auto [backend, method, device] = GetParam();
  const BackendChoice choice = choose_backend(options(backend, method, device), 0);
  EXPECT_EQ(choice.name, "cpu");
  EXPECT_FALSE(choice.on_device);
  EXPECT_FALSE(choice.reason.empty());
  EXPECT_EQ(choice.reason.find('\n'), std::string::npos);
  EXPECT_EQ(choice.reason == "asked for", backend == Backend::cpu);
}

INSTANTIATE_TEST_SUITE_P(Backend, ChoiceOfTheCpu,
                         testing::Values(Asked{Backend::cpu, Method::exact, false},
                                         Asked{Backend::cpu, Method::exact, true},
                                         Asked{Backend::cpu, Method::five_tuple, false},
                                         Asked{Backend::cpu, Method::five_tuple, true},
                                         Asked{Backend::automatic, Method::exact, false},
                                         Asked{Backend::automatic, Method::five_tuple, false}));

TEST(Backend, DeviceIsTakenIfThereIsOne) {
  for (const Backend backend : {Backend::automatic, Backend::cuda}) {
    for (const Method method : {Method::exact, Method::five_tuple}) {
      const BackendChoice choice = choose_backend(options(backend, method, true), 0);
      EXPECT_EQ(choice.name, "cuda");
      EXPECT_TRUE(choice.on_device);
      EXPECT_FALSE(choice.reason.empty());
    }
  }
}

TEST(Backend, WantedBackendThatCannotBeHadIsAnErrorWithTheReasonOfAuto) {
  for (const Method method : {Method::exact, Method::five_tuple}) {
    const auto wanted = options(Backend::cuda, method, false);
    const auto automatic = choose_backend(options(Backend::automatic, method, false), kMuch);
    EXPECT_EQ(test::thrown_text([&] { choose_backend(wanted, 0); }), "--backend cuda: " + automatic.reason);
  }
}

// Who names a GPU is told that there is none; who names none has not thought of one.
TEST(Backend, NamedGpuThatIsNotThereIsTold) {
  for (const bool device : {false, true}) {
    for (const bool quiet : {false, true}) {
      ExtractOptions asked = options(Backend::automatic, Method::exact, device);
      std::string told;
      asked.warn = [&told](const std::string& line) { told += line; };
      asked.quiet = quiet;
      choose_backend(asked, 0);
      EXPECT_EQ(told, "");
      asked.gpu_named = true;
      const std::string why = choose_backend(asked, 0).reason;
      const std::string line = "--gpu and --gpu-memory have no effect: no GPU was found (" + why + ")";
      EXPECT_EQ(told, device || quiet ? "" : line);
    }
  }
}

TEST(Backend, ReasonTellsBuildFromMachine) {
  const std::string reason = choose_backend(options(Backend::automatic, Method::five_tuple, false), kMuch).reason;
  EXPECT_EQ(reason == "built without CUDA", !built_with_cuda()) << reason;
  EXPECT_EQ(reason.find("NVIDIA") != std::string::npos || reason.find("GPU") != std::string::npos, built_with_cuda())
      << reason;
}

TEST(Backend, SmallInputIsDoneAsSoonWithoutAGpu) {
  for (const Method method : {Method::exact, Method::five_tuple}) {
    const std::uint64_t enough = worth_a_gpu(method);
    for (const unsigned threads : {1u, 2u, 256u}) {
      EXPECT_NE(why_no_gpu_for(0, threads, method), "");  // unknown
      EXPECT_NE(why_no_gpu_for(1, threads, method), "");
      EXPECT_NE(why_no_gpu_for(enough * threads - 1, threads, method), "");
      EXPECT_EQ(why_no_gpu_for(enough * threads, threads, method), "");
    }
  }
  EXPECT_LT(worth_a_gpu(Method::five_tuple), worth_a_gpu(Method::exact));  // the CPU takes longer
}

TEST(Backend, AutoLooksForNoGpuIfTheInputIsSmallOrUnknown) {
  ExtractOptions o = options(Backend::automatic, Method::exact, false);
  o.threads = 2;
  const std::string large = choose_backend(o, 2 * worth_a_gpu(o.meter.method)).reason;
  for (const std::uint64_t input : {std::uint64_t{0}, 2 * worth_a_gpu(o.meter.method) - 1}) {
    const BackendChoice choice = choose_backend(o, input);
    EXPECT_EQ(choice.name, "cpu");
    EXPECT_EQ(choice.reason != large, built_with_cuda()) << choice.reason;
  }
  o.gpu_named = true;
  EXPECT_EQ(choose_backend(o, 1).reason, large);
  o.backend = Backend::cuda;  // insists
  EXPECT_EQ(test::thrown_text([&] { choose_backend(o, 1); }), "--backend cuda: " + large);
}

TEST(Backend, DeviceIsMadeAsAsked) {
  ExtractOptions o;
  DeviceMeterOptions got;
  o.make_device = [&](const DeviceMeterOptions& wanted) -> std::unique_ptr<DeviceMeter> {
    got = wanted;
    throw DeviceError("made");
  };
  DeviceMeterOptions wanted;
  wanted.batch = 123;
  wanted.hash_seed = 456;
  wanted.meter.five_tuple.block = 789;
  EXPECT_THROW(make_devices(o, wanted), DeviceError);
  EXPECT_EQ(got.batch, 123u);
  EXPECT_EQ(got.hash_seed, 456u);
  EXPECT_EQ(got.meter.five_tuple.block, 789u);
}

// Makes played devices, whose memory blocks have `block` packets, until one fails.
class Devices : public testing::Test {
 protected:
  Devices() {
    options_.make_device = [this](const DeviceMeterOptions& wanted) -> std::unique_ptr<DeviceMeter> {
      wanted_.push_back(wanted);
      if (wanted_.size() == fails_) throw DeviceError("the second one");
      return std::make_unique<Device>(*this);
    };
  }

  class Device : public test::PlayedDevice {
   public:
    explicit Device(Devices& test) : PlayedDevice(test.played_), alive_(test.alive_) { ++alive_; }
    ~Device() override { --alive_; }

   private:
    int& alive_;
  };

  std::vector<std::uint64_t> blocks() const {
    std::vector<std::uint64_t> blocks;
    for (const DeviceMeterOptions& wanted : wanted_) blocks.push_back(wanted.meter.five_tuple.block);
    return blocks;
  }

  ExtractOptions options_;
  test::Played played_ = {.block = 789};
  std::vector<DeviceMeterOptions> wanted_;
  std::size_t fails_ = 0;  // the how manieth
  int alive_ = 0;
};

TEST_F(Devices, AreMadeOneAGpu) {
  for (const std::vector<int>& gpus : {std::vector{0}, std::vector{2}, std::vector{3, 1, 0}}) {
    options_.gpus = gpus;
    wanted_.clear();
    DeviceMeterOptions device;
    device.batch = 123;
    device.hash_seed = 456;
    device.memory = 1000;
    const auto devices = make_devices(options_, device);
    EXPECT_EQ(devices.size(), gpus.size());
    EXPECT_EQ(alive_, static_cast<int>(gpus.size()));
    ASSERT_EQ(wanted_.size(), gpus.size());
    for (const DeviceMeterOptions& wanted : wanted_) {
      EXPECT_EQ(wanted.batch, 123u);
      EXPECT_EQ(wanted.hash_seed, 456u);
      EXPECT_EQ(wanted.memory, 1000u);  // of each
    }
  }
}

TEST_F(Devices, HaveTheMemoryBlocksThatTheFirstOneChose) {
  options_.gpus = {0, 1, 2};
  DeviceMeterOptions device;
  device.meter.method = Method::five_tuple;
  make_devices(options_, device);
  EXPECT_EQ(blocks(), (std::vector<std::uint64_t>{0, 789, 789}));
}

TEST_F(Devices, HaveTheMemoryBlocksThatWereAskedFor) {
  played_.block = 50;
  options_.gpus = {0, 1, 2};
  DeviceMeterOptions device;
  device.meter.method = Method::five_tuple;
  device.meter.five_tuple.block = 50;
  make_devices(options_, device);
  EXPECT_EQ(blocks(), (std::vector<std::uint64_t>{50, 50, 50}));
}

TEST_F(Devices, HaveNoMemoryBlocksUnderMethodExact) {
  options_.gpus = {0, 1};
  make_devices(options_, {});
  EXPECT_EQ(blocks(), (std::vector<std::uint64_t>{0, 0}));
}

TEST_F(Devices, OneThatCannotBeMadeIsTheErrorOfAll) {
  options_.gpus = {0, 1, 2};
  fails_ = 2;
  EXPECT_EQ(test::thrown_text([&] { make_devices(options_, {}); }), "the second one");
  EXPECT_EQ(wanted_.size(), 2u);
  EXPECT_EQ(alive_, 0);
}

TEST(Backend, GpusAreListedInLines) {
  const std::vector<std::string> lines = gpu_lines();
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) EXPECT_TRUE(!line.empty() && line.find('\n') == std::string::npos) << line;
  EXPECT_EQ(lines.front() == "not looked for: built without CUDA", !built_with_cuda());
}

}  // namespace
}  // namespace warpmeter
