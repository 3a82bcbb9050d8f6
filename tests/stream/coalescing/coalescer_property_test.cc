// On random traffic, a Coalescer is the oracle: packet by packet, count by count, however its memory is bounded, and
// wherever the ends of batches are, and whenever frames go.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "reference/coalesce_oracle.h"
#include "reference/coalesce_traffic.h"
#include "stream/coalescing/coalescer.h"
#include "stream/coalescing/coalescing_packet.h"

namespace warpmeter {
namespace {

#ifdef WARPMETER_LONG
constexpr std::uint64_t kCases = 4'000;
#else
constexpr std::uint64_t kCases = 400;
#endif
constexpr std::size_t kFrames = 300;
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

reference::CoalesceRules random_rules(reference::Random& random) {
  reference::CoalesceRules rules;
  rules.verify = random.percent(70);
  rules.push = random.percent(70);
  rules.threshold = random.pick({1, 3'000, 16'384, 65'000, 65'536});
  rules.interval = random.pick({1'000, 1'000'000, 1'000'000'000});
  rules.window = random.pick({kNoLimit, kNoLimit, std::int64_t{0}, std::int64_t{3'000}, std::int64_t{100'000}});
  rules.held = random.pick({kNoLimit, kNoLimit, std::int64_t{2'000}, std::int64_t{50'000}});
  rules.descriptors = random.pick({std::size_t{1}, std::size_t{2}, std::size_t{1'000}});
  return rules;
}

CoalescerOptions options_of(const reference::CoalesceRules& rules) {
  return {.threshold = static_cast<std::uint32_t>(rules.threshold),
          .push = rules.push,
          .interval_ns = rules.interval,
          .window = static_cast<std::uint64_t>(rules.window),
          .held = static_cast<std::uint64_t>(rules.held),
          .descriptors = rules.descriptors};
}

struct Result {
  std::vector<reference::PlacedPacket> packets;
  std::map<std::string, std::int64_t> counts;
};

void add(const CoalescedPacket& packet, Result& result) {
  reference::PlacedPacket placed{
      static_cast<std::int64_t>(packet.place), packet.order, packet.time_ns, {}, packet.bytes.size(), packet.joined};
  packet.bytes.for_each([&placed](const std::uint8_t* bytes, std::size_t size) {
    placed.bytes.insert(placed.bytes.end(), bytes, bytes + size);
  });
  result.packets.push_back(std::move(placed));
}

void move_to(Result& result, std::vector<CoalescedPacket>& left) {
  for (const CoalescedPacket& packet : left) add(packet, result);
  left.clear();
}

Result coalesced(const std::vector<reference::DraftedFrame>& frames, const reference::CoalesceRules& rules,
                 reference::Random& random) {
  const HashSeed seed(random.bits());
  Coalescer coalescer(options_of(rules));
  std::vector<CoalescedPacket> left;
  Result result;
  std::uint64_t passed = 0;
  std::vector<reference::DraftedFrame> there = frames;
  std::size_t gone = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const reference::DraftedFrame& drafted = frames[i];
    CoalescingPacket packet;
    look_at({there[i].bytes.data(), drafted.time, static_cast<std::uint32_t>(drafted.bytes.size()), drafted.original,
             static_cast<std::uint16_t>(drafted.link)},
            rules.verify, seed, packet);
    const Outcome outcome = packet.has_key ? coalescer.take(packet, i + 1, passed, left) : Outcome::passes;
    if (outcome == Outcome::alone) {
      const std::vector<std::uint8_t> bytes(drafted.bytes.begin(), drafted.bytes.begin() + packet.size);
      result.packets.push_back({static_cast<std::int64_t>(i + 1), 0, drafted.time, bytes, packet.size, 1});
    } else if (outcome == Outcome::passes) {
      const PassReason why = packet.reason == PassReason::none ? PassReason::repeated : packet.reason;
      ++result.counts[std::string("pass ") + kPassReasonNames[static_cast<std::size_t>(why)]];
      result.packets.push_back({static_cast<std::int64_t>(i + 1), 0, drafted.time, drafted.bytes, drafted.original, 1});
    }
    passed += drafted.bytes.size() + 16;
    if (random.percent(10)) coalescer.go_on(passed, left);
    if (!random.percent(10)) continue;
    const std::size_t before = std::max(gone, i + 1 - random.below(std::min<std::size_t>(i + 1, 40)));
    move_to(result, left);
    coalescer.keep_before(before + 1);
    for (; gone < before; ++gone) std::ranges::fill(there[gone].bytes, std::uint8_t{0xee});
  }
  coalescer.end(passed, left);
  move_to(result, left);
  std::ranges::sort(result.packets, {}, &reference::PlacedPacket::in_order);
  const CoalescerCounters counters = coalescer.counters();
  for (std::size_t i = 0; i < kFlushReasons; ++i) {
    if (counters.flushes[i]) result.counts[std::string("flush ") + kFlushReasonNames[i]] = counters.flushes[i];
  }
  return result;
}

TEST(CoalescerProperty, IsTheOracle) {
  std::map<std::string, std::int64_t> met;
  for (std::uint64_t number = 0; number < kCases; ++number) {
    reference::Random random(number);
    const reference::CoalesceRules rules = random_rules(random);
    const auto frames = reference::coalesce_traffic(number, kFrames);
    reference::CoalesceOracle oracle(rules);
    for (const reference::DraftedFrame& f : frames) {
      oracle.take({f.time, f.link, f.original, reference::Bytes(f.bytes)});
    }
    const std::vector<reference::PlacedPacket> wanted = oracle.finish();
    const Result got = coalesced(frames, rules, random);
    ASSERT_EQ(got.counts, oracle.counts()) << "case " << number;
    ASSERT_EQ(got.packets.size(), wanted.size()) << "case " << number;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_TRUE(got.packets[i] == wanted[i]) << "case " << number << ", place " << wanted[i].place;
    }
    for (const auto& [what, count] : got.counts) met[what] += count;
  }
  // The traffic is worth looking at.
  for (const char* const why : kPassReasonNames) EXPECT_GT(met[std::string("pass ") + why], 0) << why;
  for (std::size_t i = 0; i < kFlushReasonsOfFiles; ++i) {
    EXPECT_GT(met[std::string("flush ") + kFlushReasonNames[i]], 0) << kFlushReasonNames[i];
  }
}

}  // namespace
}  // namespace warpmeter
