// Which backend is chosen, and what is said about it, for everything that can be asked for, with a device and without.
#include "pipeline/backend.h"

#include <gtest/gtest.h>

#include "support/thrown_text.h"

namespace warpmeter {
namespace {

// No machine has that many: there is no device, whatever this build and this machine can do.
constexpr int kNoSuchGpu = 1000;

ExtractOptions options(Backend backend, Method method, bool device) {
  ExtractOptions o;
  o.backend = backend;
  o.meter.method = method;
  o.gpu = kNoSuchGpu;
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
  const BackendChoice choice = choose_backend(options(backend, method, device));
  EXPECT_EQ(choice.name, "cpu");
  EXPECT_FALSE(choice.on_device);
  EXPECT_FALSE(choice.reason.empty());
  EXPECT_EQ(choice.reason.find('\n'), std::string::npos);
  EXPECT_EQ(choice.reason == "asked for", backend == Backend::cpu);
  EXPECT_EQ(choice.reason.find("method exact") != std::string::npos, backend == Backend::automatic && device);
}

INSTANTIATE_TEST_SUITE_P(
    Backend, ChoiceOfTheCpu,
    testing::Values(Asked{Backend::cpu, Method::exact, false}, Asked{Backend::cpu, Method::exact, true},
                    Asked{Backend::cpu, Method::five_tuple, false}, Asked{Backend::cpu, Method::five_tuple, true},
                    Asked{Backend::automatic, Method::exact, false}, Asked{Backend::automatic, Method::exact, true},
                    Asked{Backend::automatic, Method::five_tuple, false}));

TEST(Backend, DeviceIsTakenIfThereIsOne) {
  for (const Backend backend : {Backend::automatic, Backend::cuda}) {
    const BackendChoice choice = choose_backend(options(backend, Method::five_tuple, true));
    EXPECT_EQ(choice.name, "cuda");
    EXPECT_TRUE(choice.on_device);
    EXPECT_FALSE(choice.reason.empty());
  }
}

TEST(Backend, WantedBackendThatCannotBeHadIsAnErrorWithTheReasonOfAuto) {
  for (const Asked& asked : {Asked{Backend::cuda, Method::exact, false}, Asked{Backend::cuda, Method::exact, true},
                             Asked{Backend::cuda, Method::five_tuple, false}}) {
    const auto wanted = options(asked.backend, asked.method, asked.device);
    const auto automatic = choose_backend(options(Backend::automatic, asked.method, asked.device));
    EXPECT_EQ(test::thrown_text([&] { choose_backend(wanted); }), "--backend cuda: " + automatic.reason);
  }
}

TEST(Backend, ReasonTellsBuildFromMachine) {
  const std::string reason = choose_backend(options(Backend::automatic, Method::five_tuple, false)).reason;
  EXPECT_EQ(reason == "built without CUDA", !built_with_cuda()) << reason;
  EXPECT_EQ(reason.find("GPU") != std::string::npos, built_with_cuda()) << reason;
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
  EXPECT_THROW(make_device(o, wanted), DeviceError);
  EXPECT_EQ(got.batch, 123u);
  EXPECT_EQ(got.hash_seed, 456u);
  EXPECT_EQ(got.meter.five_tuple.block, 789u);
}

TEST(Backend, GpusAreListedInLines) {
  const std::vector<std::string> lines = gpu_lines();
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) EXPECT_TRUE(!line.empty() && line.find('\n') == std::string::npos) << line;
  EXPECT_EQ(lines.front() == "not looked for: built without CUDA", !built_with_cuda());
}

}  // namespace
}  // namespace warpmeter
