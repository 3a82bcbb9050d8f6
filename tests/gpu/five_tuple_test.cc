// Method five-tuple on a GPU says what the oracle says, byte for byte, for every tile size, any batches, and where the
// flow table has room for some of the flows only.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/require_gpu.h"
#include "property/in_process.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;

constexpr std::uint64_t kCases = 200;
constexpr std::uint64_t kMostBatches = 200, kMostPackets = 1 << 20;

Setting on_gpu(std::uint64_t seed, unsigned tile) {
  const std::uint32_t batches[] = {8192, 1, 7, 64};
  Setting setting{.threads = static_cast<unsigned>(1 + seed % 3), .batch = batches[seed % 4]};
  setting.backend = Backend::cuda;
  setting.make_device = [=](DeviceMeterOptions options) {
    options.tile = tile;
    options.piece = std::uint32_t{1} << (1 + seed % 6);
    // Small tables: thousands of cases must not clear gigabytes each.
    options.flows = seed % 3 ? 1 << 13 : static_cast<std::uint32_t>(1 + seed % 20);
    if (!options.meter.five_tuple.block) options.meter.five_tuple.block = 1 << 14;
    return make_cuda_meter(0, options);
  };
  return setting;
}

class GpuFiveTuple : public test::NeedsGpu, public testing::WithParamInterface<unsigned> {};

TEST_P(GpuFiveTuple, AgreesWithTheOracle) {
  const test::SilentErrors silent;
  const unsigned tile = GetParam();
  for (std::uint64_t seed = 10'000 * tile; seed < 10'000 * tile + test::property_cases(kCases); ++seed) {
    reference::RandomCase chosen = reference::five_tuple_case(seed);
    const Setting setting = on_gpu(seed, tile);
    const auto block = static_cast<std::uint64_t>(chosen.options.block ? chosen.options.block : INT64_MAX);
    const std::uint64_t most = kMostBatches * std::min<std::uint64_t>(setting.batch, std::min(block, kMostPackets));
    chosen.shape.packets = static_cast<std::uint32_t>(std::min<std::uint64_t>(chosen.shape.packets, most));
    const auto bytes = reference::random_traffic(chosen.shape);
    InProcess program;
    ASSERT_TRUE(
        test::same_csv(reference::flow_csv(bytes, chosen.options), program.run({bytes}, chosen.options, setting).csv))
        << "seed " << seed << ", " << setting << ", options " << test::arguments_text(chosen.options);
  }
}

INSTANTIATE_TEST_SUITE_P(AllSizes, GpuFiveTuple, testing::Values(1, 2, 4, 8, 16, 32));

using GpuMemory = test::NeedsGpu;

TEST_F(GpuMemory, DefaultsUseWhatIsFree) {
  DeviceMeterOptions options;
  options.meter.method = Method::five_tuple;
  options.batch = kDefaultDeviceBatch;
  const auto device = make_cuda_meter(0, options);
  EXPECT_GT(device->block(), 1'000'000u);
}

TEST_F(GpuMemory, TooLittleIsAnErrorThatSaysHowMuch) {
  DeviceMeterOptions options;
  options.meter.method = Method::five_tuple;
  options.batch = kDefaultDeviceBatch;
  options.memory = 1 << 20;
  EXPECT_THROW(make_cuda_meter(0, options), DeviceError);
}

TEST_F(GpuMemory, MoreThanThereIsIsAnErrorToo) {
  DeviceMeterOptions options;
  options.meter.method = Method::five_tuple;
  options.batch = 1 << 10;
  options.memory = std::uint64_t{1} << 44;
  EXPECT_THROW(make_cuda_meter(0, options), DeviceError);
}

TEST_F(GpuMemory, NoSuchGpuIsAnError) {
  DeviceMeterOptions options;
  options.meter.method = Method::five_tuple;
  options.batch = 1 << 10;
  EXPECT_THROW(make_cuda_meter(1023, options), DeviceError);
}

}  // namespace
}  // namespace warpmeter
