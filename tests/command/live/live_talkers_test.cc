// Who sends most, by flows that live: what they grew by since the last look, of all owners together, whatever is
// spilled, cut or begun anew meanwhile, and not what they had before.
#include "command/live/live_talkers.h"

#include <gtest/gtest.h>

#include <thread>

#include "command/live/metered_rings.h"
#include "core/flow_hash.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

using namespace std::chrono_literals;

const HashSeed kSeed = 5;

// Flows of one shard, all of them in one table.
class Flows {
 public:
  explicit Flows(LiveTalkers& talkers) {
    MeterOptions options;
    options.timeouts = {.idle_ns = 0, .active_ns = 1'000};
    options.flow_memory = 64 << 20;
    shards_.push_back(std::make_unique<Shard>(options, kSeed));
    walk_.emplace(talkers, shards_);
  }

  void packets(std::uint8_t host, int count, std::uint32_t length, std::int64_t time_ns = 0) {
    FlowKey key{};
    key.version = 4;
    key.protocol = 17;
    key.source[3] = host;
    Segment segment{};
    segment.time_ns = time_ns;
    segment.length = length;
    for (; count > 0; --count) shards_[0]->take(key, hash_flow(key, kSeed).hash, segment, ++number_, false);
  }

  // Through all flows, once it is time.
  void look() {
    std::this_thread::sleep_for(2ms);
    walk_->look(1000);
  }
  Shard& shard() { return *shards_[0]; }
  LiveTalkers::Walk& walk() { return *walk_; }

 private:
  std::vector<std::unique_ptr<Shard>> shards_;
  std::optional<LiveTalkers::Walk> walk_;
  std::uint64_t number_ = 0;
};

// The last number of each address.
std::vector<int> hosts_of(const std::vector<TopHost>& top) {
  std::vector<int> hosts;
  for (const TopHost& host : top) hosts.push_back(host.key.source[3]);
  return hosts;
}

TEST(LiveTalkers, GrowthCountsAndNotWhatWasThere) {
  LiveTalkers talkers(1ms);
  Flows flows(talkers);
  flows.packets(1, 100, 1500);
  flows.packets(2, 10, 1500);
  flows.look();
  EXPECT_EQ(hosts_of(talkers.top(3)), (std::vector{1, 2}));
  flows.packets(2, 3, 100);
  flows.packets(3, 2, 100);
  flows.packets(4, 1, 100);
  flows.look();
  EXPECT_EQ(hosts_of(talkers.top(3)), (std::vector{2, 3, 4}));  // 1 was silent
  flows.look();
  EXPECT_TRUE(talkers.top(3).empty());
}

// The rates of one look have one interval: what is compared is what grew.
TEST(LiveTalkers, CountersThatBeginAnew) {
  LiveTalkers talkers(1ms);
  Flows flows(talkers);
  flows.packets(1, 70'000, 100);  // more packets than a state counts
  flows.packets(2, 1, 6'900'000);
  flows.look();
  EXPECT_EQ(hosts_of(talkers.top(3)), (std::vector{1, 2}));
  flows.packets(1, 70'000, 100);
  flows.packets(2, 1, 6'900'000);
  flows.packets(3, 1, 7'100'000);
  flows.look();
  EXPECT_EQ(hosts_of(talkers.top(3)), (std::vector{3, 1, 2}));
  flows.packets(1, 1, 500, 2'000);  // cut: this is all that the new part has
  flows.packets(2, 1, 400);
  flows.look();
  EXPECT_EQ(hosts_of(talkers.top(3)), (std::vector{1, 2}));
}

TEST(LiveTalkers, SomeFlowsAtATime) {
  LiveTalkers talkers(1ms);
  Flows flows(talkers);
  for (std::uint8_t host = 1; host <= 100; ++host) flows.packets(host, host, 100);
  std::this_thread::sleep_for(2ms);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(talkers.top(3).empty()) << i;
    flows.walk().look(10);
  }
  flows.walk().look(10);
  EXPECT_EQ(hosts_of(talkers.top(3)), (std::vector{100, 99, 98}));
}

TEST(LiveTalkers, AHostsFlowsOfSeveralOwnersAreAddedUp) {
  LiveTalkers talkers(1ms);
  Flows first(talkers), second(talkers);
  for (Flows* const flows : {&first, &second}) {
    flows->packets(1, 60, 100);
    flows->packets(flows == &first ? 2 : 3, 70, 100);
    flows->look();
  }
  EXPECT_EQ(hosts_of(talkers.top(1)), (std::vector{1}));
  EXPECT_EQ(talkers.top(9).size(), 3u);
}

// While a capture runs: none of its flows has ended.
TEST(LiveTalkers, OfRings) {
  LiveTalkers talkers(1ms);
  MeteredRings metered(ring_options(2), 2);
  std::jthread runner([&] { metered.run(RingMetering::kQueue, {.talkers = &talkers}); });
  std::vector<TopHost> top;
  std::uint16_t sent = 0;
  wait_until([&] {
    const Bytes packet = ip4({.protocol = 17, .id = ++sent}, udp(sent % 20, 53));
    metered.ring(sent % 2).put({{ethernet(0x0800, packet), wall_clock_ns()}});
    return !(top = talkers.top(3)).empty();
  });
  EXPECT_EQ(hosts_of(top), (std::vector{1}));
  EXPECT_GT(top[0].bytes, 0u);
  metered.stop();
  runner.join();
}

}  // namespace
}  // namespace warpmeter::test
