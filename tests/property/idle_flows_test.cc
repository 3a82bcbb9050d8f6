// Idle flows leave while packets come, by the time that has passed: the CPU and the engine of the CUDA backend let the
// same flows go, with the same records, however packets are cut into batches.
#include <gtest/gtest.h>

#include "kernels/tile_sizes.h"
#include "pipeline/metering/cpu_metering.h"
#include "pipeline/metering/device_metering.h"
#include "property/engine_under_test.h"
#include "property/timed_source.h"
#include "reference/random_traffic.h"
#include "support/record_maker.h"

namespace warpmeter {
namespace {

using test::EngineUnderTest;

constexpr std::uint64_t kHashSeed = 5;

struct Metered {
  std::vector<Partial> records;
  std::uint64_t expired = 0;
  bool left = true;  // all, before the end
};

std::vector<Partial> records_of(RunStore* runs) {
  return runs ? test::all_of(*runs->sorted(1)->in({})) : std::vector<Partial>();
}

Metered metered(MeteringProcess& metering, RunStore& runs) {
  metering.run();
  Metered result;
  result.records = records_of(runs.take().get());
  metering.drain();
  const std::vector<Partial> others = records_of(&runs);
  result.left = others.empty();
  result.records.insert(result.records.end(), others.begin(), others.end());
  std::ranges::sort(result.records, [](const Partial& a, const Partial& b) { return arrival_order(a, b) < 0; });
  // How a flow left shows in no Flow Record: it was idle when a packet came, or before.
  for (Partial& record : result.records) record.removal = Removal::none;
  result.expired = metering.meter_counters().expired;
  return result;
}

class IdleFlows : public testing::TestWithParam<unsigned> {
 protected:
  IdleFlows() { options_.expire_every_ns = 1; }

  void make_case(std::uint64_t seed) {
    reference::RandomCase chosen = reference::random_case(seed);
    chosen.shape.time_runs_back = false;
    chosen.shape.keys = 10 + static_cast<std::uint32_t>(seed % 50);
    chosen.shape.packets = 150;
    chosen.shape.holes = seed % 3 ? 0 : 30;
    frames_ = test::read_bytes(reference::random_traffic(chosen.shape)).frames;
    options_.meter = test::meter_options_of(chosen.options);
    options_.meter.flow_memory = 64 << 20;
    options_.decode = {
        .key_vlan = chosen.options.key_vlan, .decapsulate = chosen.options.decapsulate, .filter = nullptr};
    options_.threads = static_cast<unsigned>(1 + seed % 2);
    looks_ = static_cast<unsigned>(2 + seed % 3);
    silence_ns_ = seed % 4 == 3 ? 0 : looks_ * (options_.meter.timeouts.idle_ns + 1);  // the first look finds all idle
  }

  test::TimedSource source(std::size_t at_once) const { return {frames_, at_once, looks_, silence_ns_}; }

  Metered on_cpu() {
    test::TimedSource packets = source(7);
    RunStore runs(runs_options_);
    CpuMetering metering(options_, packets, runs, clock_);
    return metered(metering, runs);
  }

  Metered on_devices(const EngineUnderTest& engine, unsigned devices, std::uint32_t batch, std::size_t at_once) {
    MeteringOptions options = options_;
    options.batch = batch;
    options.batch_deadline_ns = at_once % 2 ? 1 : 1'000'000'000;
    DeviceMeterOptions device;
    device.meter = options.meter;
    device.batch = batch;
    device.hash_seed = kHashSeed;
    DeviceMetering::Devices made;
    const test::Setting setting = test::on_engine_under_test({}, engine);
    while (made.size() < devices) made.push_back(setting.make_device(device));
    test::TimedSource packets = source(at_once);
    RunStore runs(runs_options_);
    DeviceMetering metering(options, std::move(made), kHashSeed, packets, runs, clock_);
    return metered(metering, runs);
  }

  // Of the engine, over all cases: flows that left before the end.
  std::uint64_t check(const EngineUnderTest& like, std::uint64_t cases) {
    const std::uint64_t first = 300'000 * GetParam();
    std::uint64_t expired = 0;
    for (std::uint64_t seed = first; seed < first + cases && !HasFailure(); ++seed) {
      make_case(seed);
      EngineUnderTest engine = like;
      engine.seed = seed;
      const std::uint32_t batch = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 7 : 64;
      const Metered expected = on_cpu();
      const Metered got = on_devices(engine, seed % 3 ? 1 : 2, batch, 1 + seed % 6);
      EXPECT_TRUE(test::same_records(expected.records, got.records)) << "seed " << seed << ", batch " << batch;
      EXPECT_EQ(got.left, expected.left) << "seed " << seed;
      EXPECT_TRUE(got.left || silence_ns_ <= looks_) << "seed " << seed;
      expired += got.expired;
    }
    return expired;
  }

  std::uint64_t cases() const { return test::property_cases(60) / (GetParam() == 1 ? 3 : 10) + 1; }

  MeteringOptions options_;
  const test::ScratchFolder folder_{test::folder_in_memory()};
  const RunStoreOptions runs_options_{folder_.path(), arrival_order, 1 << 20};
  StageClock clock_;
  std::vector<test::ReadFrame> frames_;
  unsigned looks_ = 1;
  std::int64_t silence_ns_ = 0;
  test::MeterTally tally_;
};

TEST_P(IdleFlows, LeaveWithTheRecordsOfTheCpu) {
  EXPECT_GT(check({.tile = GetParam(), .piece = 4, .tally = &tally_}, cases()), cases());
}

// Flows that the CPU has taken over leave, too; and marks of them on the device.
TEST_P(IdleFlows, LeaveWhereThereIsRoomForFewOfThem) {
  const EngineUnderTest small{.tile = GetParam(), .piece = 4, .flows = 12, .hole_units = 4, .tally = &tally_};
  EXPECT_GT(check(small, cases()), cases());
}

INSTANTIATE_TEST_SUITE_P(AllSizes, IdleFlows, testing::ValuesIn(test::tile_sizes()));

}  // namespace
}  // namespace warpmeter
