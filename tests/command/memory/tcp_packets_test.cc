// A batch of segments, as connections see it.
#include "command/memory/stream_memory.h"

#include <gtest/gtest.h>

#include "support/memory_trace.h"

namespace warpmeter {
namespace {

using test::TracePacket;

struct Taken {
  explicit Taken(const std::vector<TracePacket>& trace, std::uint8_t vlan = 0) {
    const HashSeed seed(3);
    batch.reset(0);
    for (const TracePacket& packet : trace) {
      test::append(batch, packet, seed);
      if (vlan == 0) continue;
      const std::uint32_t at = batch.count - 1;
      batch.key[at].vlan[1] = static_cast<std::uint8_t>(vlan + at);
      batch.hash[at] = hash_flow(batch.key[at], seed).hash;
    }
    packets.take(batch, seed);
  }
  SegmentBatch batch{4};
  TcpPackets packets;
};

TEST(TcpPackets, BothDirectionsHaveTheSameEndsAndHash) {
  const Taken taken({{.connection = 77}, {.connection = 77, .reply = true}, {.connection = 78}});
  const auto& tcp = taken.packets.tcp;
  ASSERT_EQ(tcp.size(), 3u);
  EXPECT_EQ(taken.packets.ends(tcp[0]), taken.packets.ends(tcp[1]));
  EXPECT_EQ(tcp[0].hash, tcp[1].hash);
  EXPECT_NE(tcp[0].way, tcp[1].way);
  EXPECT_FALSE(taken.packets.ends(tcp[0]) == taken.packets.ends(tcp[2]));
  EXPECT_NE(tcp[0].hash, tcp[2].hash);
}

TEST(TcpPackets, VlanIdsBelongToNoConnection) {
  const Taken taken({{.connection = 77}, {.connection = 77, .reply = true}, {.connection = 77}}, 5);
  const auto& tcp = taken.packets.tcp;
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(taken.packets.ends(tcp[0]), taken.packets.ends(tcp[i]));
    EXPECT_EQ(tcp[0].hash, tcp[i].hash);
  }
}

TEST(TcpPackets, TimeNeverRunsBackWithinThem) {
  const Taken taken({{.time_ns = 5}, {.time_ns = 9, .tcp = false}, {.time_ns = 7}, {.time_ns = 4}});
  EXPECT_EQ(taken.packets.packets, 4u);
  EXPECT_EQ(taken.packets.ip_bytes, 160u);
  EXPECT_EQ(taken.packets.first_ns, 5);
  EXPECT_EQ(taken.packets.latest_ns, 9);
  ASSERT_EQ(taken.packets.tcp.size(), 3u);
  EXPECT_EQ(taken.packets.tcp[0].time_ns, 5);
  EXPECT_EQ(taken.packets.tcp[1].time_ns, 9);
  EXPECT_EQ(taken.packets.tcp[2].time_ns, 9);
}

}  // namespace
}  // namespace warpmeter
