// The functions that decide every counter give the same states on a GPU as on the CPU.
#include "gpu/shared_functions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "gpu/require_gpu.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kFlows = 4096;

// Few sequence numbers, so that everything happens: holes, overlaps, keep-alives, wraps, SYNs old and new.
Segment random_segment(std::mt19937_64& random, std::uint32_t base, std::int64_t& time_ns) {
  const auto draw = [&random](std::uint64_t n) { return random() % n; };
  Segment s;
  time_ns += static_cast<std::int64_t>(draw(200'000'000));
  if (draw(50) == 0) time_ns += 3'000'000'000;
  s.time_ns = time_ns;
  s.sequence = base + static_cast<std::uint32_t>(draw(4000));
  s.payload_length = static_cast<std::uint32_t>(draw(4) ? draw(300) : draw(2));
  s.length = 40 + s.payload_length;
  s.window = static_cast<std::uint16_t>(draw(20) ? 500 : 0);
  s.flags = 16;
  if (draw(20) == 0) s.flags |= kSyn;
  if (draw(20) == 0) s.flags |= kFin;
  if (draw(40) == 0) s.flags |= kRst;
  s.kind = kTcpSegment | kHasIdentity;
  return s;
}

std::vector<Segment> random_segments() {
  std::mt19937_64 random(1);
  std::vector<Segment> segments;
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    std::int64_t time_ns = 1'700'000'000'000'000'000;
    const std::uint32_t base = flow % 2 ? 0xfffff800u : static_cast<std::uint32_t>(random());
    for (std::uint32_t i = 0; i < kSegmentsPerFlow; ++i) segments.push_back(random_segment(random, base, time_ns));
  }
  return segments;
}

using SharedFunctions = NeedsGpu;

TEST_F(SharedFunctions, SameOnTheGpu) {
  const std::vector<Segment> segments = random_segments();
  const Timeouts timeouts{2'000'000'000, 9'000'000'000};
  const std::vector<MeteredFlow> on_gpu = meter_on_gpu(segments, timeouts);
  ASSERT_EQ(on_gpu.size(), kFlows);
  std::vector<MeteredFlow> on_cpu(1);
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    std::memset(static_cast<void*>(on_cpu.data()), 0, sizeof(MeteredFlow));
    meter_flow(on_cpu[0], &segments[flow * kSegmentsPerFlow], kSegmentsPerFlow, timeouts);
    ASSERT_EQ(std::memcmp(&on_cpu[0].state, &on_gpu[flow].state, sizeof(FlowState)), 0) << "flow " << flow;
    ASSERT_EQ(on_cpu[0].array.count, on_gpu[flow].array.count) << "flow " << flow;
    ASSERT_EQ(std::memcmp(on_cpu[0].hole, on_gpu[flow].hole, on_cpu[0].array.count * sizeof(Hole)), 0) << flow;
  }
}

}  // namespace
}  // namespace warpmeter::test
