// Many bytes that wait as runs of one or two, in any order, and longer segments over them: what is joined, counted and
// held of such lists shows in nothing, beside the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "property/in_process.h"
#include "property/reassembled.h"
#include "reference/stream_oracle.h"
#include "support/stream_segments.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kTinyCases = 300;
constexpr int kTinySegments = 1200;

struct TinySegment {
  bool from_client;
  std::uint8_t flags;
  std::uint32_t sequence, length, cut;
};

// Numbers lie in a window that goes on slowly, so that much is sent again, and little is far from what waits.
class TinySegments {
 public:
  explicit TinySegments(std::uint64_t seed) : random_(seed) {
    reach_ = 20 + below(600);
    is_ordered_ = below(3) == 0;
    cuts_ = below(3) == 0 ? 10 : 0;
  }

  TinySegment next() {
    TinySegment s{below(2) == 0, kAck, 0, 1 + below(2), 0};
    std::uint32_t& begin = begin_[s.from_client];
    if (below(3) == 0) ++begin;
    s.sequence = is_ordered_ && below(4) ? begin + reach_ / 2 : begin + below(reach_);
    if (below(8) == 0) s.length = 1 + below(reach_);
    if (below(100) < cuts_) s.cut = 1 + below(s.length);
    if (below(400) == 0) s.flags |= kFin;
    if (below(2000) == 0) s.flags |= kRst;
    return s;
  }

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

 private:
  std::mt19937_64 random_;
  std::uint32_t reach_, cuts_;
  std::uint32_t begin_[2] = {0xffffff00u, 5000};
  bool is_ordered_;
};

reference::OracleSegment tiny_for_oracle(const TinySegment& s, std::span<const std::uint8_t> data,
                                         std::int64_t number) {
  reference::OracleSegment made;
  made.source.port = s.from_client ? 1 : 2;
  made.destination.port = s.from_client ? 2 : 1;
  made.sequence = s.sequence;
  made.flags = s.flags;
  made.payload = s.length;
  made.data = {data.data(), data.size()};
  made.number = number;
  return made;
}

reference::StreamOptions some_options(TinySegments& tiny) {
  reference::StreamOptions options;
  options.block_size = std::int64_t{1024} << tiny.below(3);
  options.gap_packets = std::int64_t{2} << 3 * tiny.below(4);
  return options;
}

void compare_tiny(std::uint64_t seed) {
  TinySegments tiny(seed);
  const reference::StreamOptions wanted = some_options(tiny);
  const test::StreamSetting setting{.spans = tiny.below(2) == 0};
  test::Collector collector(setting.spans);
  Reassembler reassembler(test::options_of(wanted, setting), collector);
  reference::StreamOracle oracle(wanted);
  std::deque<std::vector<std::uint8_t>> frames;  // until what points into them is detached
  for (int number = 1; number <= kTinySegments; ++number) {
    const TinySegment s = tiny.next();
    std::vector<std::uint8_t>& frame = frames.emplace_back(s.length - s.cut);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      frame[i] = static_cast<std::uint8_t>(s.sequence + i + (tiny.below(40) == 0));
    }
    oracle.take(tiny_for_oracle(s, frame, number));
    const std::uint16_t from = s.from_client ? 1 : 2;
    const auto to = static_cast<std::uint16_t>(3 - from);
    const PayloadSegment segment = test::stream_segment(from, to, s.flags, s.sequence, 0, s.length, frame, 0);
    reassembler.take(segment, static_cast<std::uint64_t>(number));
    if (!setting.spans || tiny.below(30)) continue;
    reassembler.detach_from_frames(static_cast<std::uint64_t>(number));
    for (auto& gone : frames) std::ranges::fill(gone, 0xee);
    frames.clear();
  }
  reassembler.end_all(0);
  reference::Streams got;
  got.connections = collector.connections();
  for (auto& connection : got.connections) connection.version = 0;  // as of what the oracle was given
  for (auto& connection : got.connections) {
    for (auto& end : connection.ends) end.address = {};
  }
  reference::Streams expected = oracle.finish();
  expected.stray_segments = 0;
  ASSERT_TRUE(test::same_streams(expected, got)) << "seed " << seed;
}

TEST(TinySegments, AreThoseOfTheOracle) {
  for (std::uint64_t seed = 1; seed <= test::property_cases(kTinyCases); ++seed) {
    compare_tiny(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace warpmeter
