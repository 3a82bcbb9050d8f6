// Which Flow Keys the device takes does not depend on who is faster: the one who submits, or the one who collects.
#include <gtest/gtest.h>

#include <memory>

#include "kernels/engine_on_host.h"
#include "support/flow_key_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kPackets = 10, kNewKeys = 5;

// A batch of packets of five flows that no other batch has.
PackedBatch batch_of(std::uint32_t number) {
  PackedBatch batch(kPackets, *std::pmr::new_delete_resource());
  batch.reset(1 + number * kPackets);
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    Segment segment;
    segment.frame = i;
    batch.push({hashed_key(numbered_key(number * kNewKeys + i % kNewKeys)), segment});
  }
  return batch;
}

// Segments that a device with this capacity has no room for. With `eager`, every batch is collected before the next one
// is submitted.
std::size_t overflow_of_three_batches(std::uint32_t flows, bool eager) {
  DeviceMeterOptions options;
  options.meter.method = Method::five_tuple;
  options.meter.five_tuple.block = 1000;
  options.batch = kPackets;
  options.tile = 1;
  options.flows = flows;
  Engine<HostDevice> engine(std::make_unique<HostDevice>(HostDeviceOptions{}), options);
  const PackedBatch first = batch_of(0), second = batch_of(1), third = batch_of(2);
  DeviceMeter::Result result;
  std::size_t overflow = 0;
  const auto collect = [&] {
    engine.collect(result);
    overflow += result.overflow.size();
  };
  engine.submit(first.span(0, kPackets));
  if (eager) collect();
  engine.submit(second.span(0, kPackets));
  collect();  // a third batch may be submitted only then
  engine.submit(third.span(0, kPackets));
  if (!eager) collect();
  collect();
  return overflow;
}

TEST(FlowRoom, DoesNotDependOnWhoIsFaster) {
  constexpr std::uint32_t kSurelyEnough = 2 * kNewKeys + kPackets;  // for a third batch after two
  for (const bool eager : {true, false}) {
    EXPECT_EQ(overflow_of_three_batches(kSurelyEnough, eager), 0u);
    EXPECT_EQ(overflow_of_three_batches(kSurelyEnough - 1, eager), kPackets);
  }
}

}  // namespace
}  // namespace warpmeter::test
