// A device that fails, at whichever of its operations: --backend auto meters on the CPU instead, with nothing lost and
// nothing counted twice; --backend cuda says so and leaves no output.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "property/engine_under_test.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::EngineUnderTest;
using test::InProcess;
using test::Setting;

class DeviceFailure : public testing::TestWithParam<reference::Method> {
 protected:
  DeviceFailure() {
    options_.method = GetParam();
    options_.block = 20;
    options_.idle_timeout = 1'000'000'000;
    reference::TrafficShape shape;
    shape.seed = 5;
    shape.packets = 500;
    shape.keys = 20;
    shape.gap_percent = 12;
    shape.holes = 30;
    shape.idle_timeout = options_.idle_timeout;
    bytes_ = reference::random_traffic(shape);
    expected_ = reference::flow_csv(bytes_, options_);
  }

  // So little room that flows are let go, handed over to the CPU, and taken again.
  Setting failing_at(std::uint64_t operation, Backend backend) {
    const EngineUnderTest engine{.flows = 20, .hole_units = 2, .threads = 2, .fails_at = operation, .tally = &tally_};
    return test::on_engine_under_test({.threads = 2, .batch = 4, .run_memory = 1}, engine, backend);
  }

  test::MeterTally tally_;

  reference::Options options_;
  std::vector<std::uint8_t> bytes_;
  std::string expected_;
};

TEST_P(DeviceFailure, AutoMetersOnTheCpuInstead) {
  std::uint64_t operation = 1;
  for (;; operation += operation < 60 ? 1 : 97) {
    testing::internal::CaptureStderr();
    InProcess program;
    const auto got = program.run({bytes_}, options_, failing_at(operation, Backend::automatic));
    const std::string said = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(test::same_csv(expected_, got.csv)) << "fails at operation " << operation;
    if (got.stats["backend"]["name"] == "cuda") break;  // it was done before that
    ASSERT_NE(said.find("warpmeter: GPU: "), std::string::npos) << said;
    ASSERT_NE(said.find("on the CPU\n"), std::string::npos) << said;
  }
  EXPECT_GT(operation, 300u);
  EXPECT_GT(tally_.expired, 0u);
  if (GetParam() == reference::Method::exact) {
    EXPECT_GT(tally_.handed_over, 0u);
    EXPECT_GT(tally_.taken_again, 0u);
  }
}

TEST_P(DeviceFailure, CudaIsAnErrorAndLeavesNothing) {
  for (std::uint64_t operation : {1, 30, 100, 200}) {
    InProcess program;
    try {
      program.run({bytes_}, options_, failing_at(operation, Backend::cuda));
      FAIL() << "no error";
    } catch (const DeviceError&) {
      FAIL() << "the device's own error came through";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), "GPU: the device was lost");
    }
    // The capture, and what tells of the failure.
    EXPECT_TRUE(std::filesystem::exists(program.folder().file("part0.pcap")));
    const auto stats = test::parsed(test::file_text(program.folder().file("stats.json")));
    EXPECT_EQ(stats["error"], "GPU: the device was lost");
    EXPECT_EQ(program.folder().entries(), 2u) << "something is left behind";
  }
}

TEST_P(DeviceFailure, APipeCannotBeReadAgain) {
  InProcess program;
  const std::string pipe = program.folder().file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] {
    std::FILE* file = std::fopen(pipe.c_str(), "wb");
    std::fwrite(bytes_.data(), 1, bytes_.size(), file);
    std::fclose(file);
  });
  signal(SIGPIPE, SIG_IGN);
  try {
    program.run_files({pipe}, options_, failing_at(150, Backend::automatic));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "GPU: the device was lost; what a pipe gave cannot be read again");
  }
}

TEST_P(DeviceFailure, TooLittleMemoryIsKnownBeforeAnythingIsRead) {
  const EngineUnderTest engine{.memory = 1 << 20};
  testing::internal::CaptureStderr();
  InProcess program;
  const auto got = program.run({bytes_}, options_, test::on_engine_under_test({}, engine, Backend::automatic));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(test::same_csv(expected_, got.csv));
  EXPECT_NE(said.find("metering on the CPU"), std::string::npos) << said;
  EXPECT_NE(said.find("MiB of device memory"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(Methods, DeviceFailure,
                         testing::Values(reference::Method::exact, reference::Method::five_tuple));

}  // namespace
}  // namespace warpmeter
