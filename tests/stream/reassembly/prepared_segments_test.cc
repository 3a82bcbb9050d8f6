// Segments that somebody prepared to be slow cost little more than others: CPU time beside that of a twin, as many
// segments of the same lengths in order. What was quadratic took hundreds of times as long as its twin; the bounds are
// far from both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "support/stream_segments.h"

namespace warpmeter {
namespace {

constexpr std::uint32_t kMany = 16 << 10;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Counts bytes that leave.
class Submitted : public StreamConsumer {
 public:
  void take(TcpConnection&, const StreamBlock& block) override {
    for (const SubBlock& sub_block : block.sub_blocks) bytes += sub_block.length;
  }
  std::uint64_t bytes = 0;
};

// Says segments of a client (port 1) and its server.
class Line {
 public:
  explicit Line(const ReassemblerOptions& options) : reassembler_(options, submitted_) {}

  void client(std::uint8_t flags, std::uint32_t sequence, std::uint32_t length, std::uint32_t cut = 0) {
    say(1, 2, flags, sequence, length, cut);
  }
  void server(std::uint8_t flags, std::uint32_t sequence, std::uint32_t length, std::uint32_t cut = 0) {
    say(2, 1, flags, sequence, length, cut);
  }
  Reassembler& reassembler() { return reassembler_; }
  std::uint64_t end() {
    reassembler_.end_all(Reassembler::kNoTime);
    return submitted_.bytes;
  }

  std::uint64_t number = 0;

 private:
  void say(std::uint16_t from, std::uint16_t to, std::uint8_t flags, std::uint32_t sequence, std::uint32_t length,
           std::uint32_t cut) {
    // Other bytes for the same place would be conflicts.
    const std::span captured(bytes_.data(), length - cut);
    const PayloadSegment s = test::stream_segment(from, to, flags, sequence, 0, length, captured, 0);
    reassembler_.take(s, ++number, reassembler_.prefetch_connection(s.hash));
  }

  Submitted submitted_;
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(kMany);
  Reassembler reassembler_;
};

using Talk = std::function<void(Line&)>;

// CPU seconds: the least of some tries, as others take the caches now and then. `before` is not counted.
double cost(const ReassemblerOptions& options, const Talk& before, const Talk& talk) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    Line line(options);
    before(line);
    const double begin = thread_seconds();
    talk(line);
    least = std::min(least, thread_seconds() - begin);
    line.end();
  }
  return least;
}

void unprepared(Line&) {}

void expect_like(double attack, double twin, double most) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  most *= 5;  // sanitizers make each look at a byte dear, and what a segment costs anyway less so
#elif defined(__OPTIMIZE__)
  most *= 5;  // what a segment costs anyway is 20 ns then; a walk over all that waits would be thousands of times that
#endif
  EXPECT_LT(attack, most * twin) << 1e6 * attack << " and " << 1e6 * twin << " us";
}

// The server's FIN waits behind a hole, and its bytes come from behind, one by one: each begins its list anew.
TEST(PreparedSegments, BehindAFinThatWaits) {
  const auto attack = [](Line& line) {
    constexpr std::uint32_t kFinNumber = 1'000'000;
    line.client(kSyn, 999, 0);
    line.client(kAck, 1005, 1);
    line.server(kAck, kFinNumber - 2, 1);
    line.server(kAck | kFin, kFinNumber, 0);
    for (std::uint32_t i = 0; i < kMany - 3; ++i) line.server(kAck, kFinNumber - 3 - i, 1);
  };
  const auto twin = [](Line& line) {
    line.client(kSyn, 999, 0);
    for (std::uint32_t i = 0; i < kMany; ++i) line.client(kAck, 1000 + i, 1);
  };
  expect_like(cost({}, unprepared, attack), cost({}, unprepared, twin), 20);
}

// The same with holes that are filled and torn open again, each time below all others.
TEST(PreparedSegments, BehindAFinWithHolesThatAreFilled) {
  const auto attack = [](Line& line) {
    constexpr std::uint32_t kFinNumber = 1'000'000;
    line.server(kAck, kFinNumber - 2, 1);
    line.server(kAck | kFin, kFinNumber, 0);
    for (std::uint32_t i = 0; i < kMany / 2 - 2; ++i) {
      line.server(kAck, kFinNumber - 4 - 2 * i, 1);
      line.server(kAck, kFinNumber - 3 - 2 * i, 1);
    }
  };
  const auto twin = [](Line& line) {
    for (std::uint32_t i = 0; i < kMany; ++i) line.server(kAck, 1000 + i, 1);
  };
  expect_like(cost({}, unprepared, attack), cost({}, unprepared, twin), 20);
}

// What the capture cuts of them makes gaps certain: each byte is looked at once.
TEST(PreparedSegments, CutOverGapsBehindAFin) {
  const auto gaps = [](Line& line) {
    line.client(kSyn, 999, 0);
    for (std::uint32_t i = 0; i < kMany / 2; ++i) line.client(kAck, 1001 + 2 * i, 1);
    line.client(kAck | kFin, 1000 + 2 * kMany, 0);
  };
  const auto attack = [](Line& line) {
    for (std::uint32_t i = 0; i < 4000; ++i) line.client(kAck, 1000 + 2 * i, 1400, 1400);
  };
  const auto twin = [](Line& line) {
    line.client(kSyn, 999, 0);
    for (std::uint32_t i = 0; i < 4000; ++i) line.client(kAck, 1000 + 2 * i, 2, 2);
  };
  expect_like(cost({}, gaps, attack), cost({}, unprepared, twin), 20);
}

// Runs of one byte each, and long segments over them which bring nothing new. `apart`: between the runs of a direction
// are those of the other one.
void make_runs(Line& line, bool apart) {
  line.client(kSyn, 999, 0);
  line.server(kSyn | kAck, 999, 0);
  const std::uint32_t count = apart ? kMany / 2 - 2 : kMany - 2;
  for (std::uint32_t i = 0; i < count; ++i) {
    line.client(kAck, apart ? 1001 + i : 1000 + kMany - i, 1);
    if (apart) line.server(kAck, 1001 + i, 1);
  }
}

void repeat(Line& line, std::uint32_t among, std::uint32_t length) {
  for (std::uint32_t i = 0; i < 2000; ++i) line.client(kAck, 1003 + i * 37 % (among - length - 6), length);
}

void say_in_order(Line& line, std::uint32_t length) {
  line.client(kSyn, 999, 0);
  for (std::uint32_t i = 0; i < 2000; ++i) line.client(kAck, 1000 + i * length, length);
}

TEST(PreparedSegments, ThatRepeatManyRuns) {
  for (const std::uint32_t length : {100, 1400, 8000}) {
    for (const bool apart : {false, true}) {
      if (apart && length > 1400) continue;
      SCOPED_TRACE(length);
      const double attack = cost(
          {}, [apart](Line& line) { make_runs(line, apart); },
          [=](Line& line) { repeat(line, apart ? kMany / 2 - 2 : kMany - 2, length); });
      expect_like(attack, cost({}, unprepared, [length](Line& line) { say_in_order(line, length); }), 8);
    }
  }
}

// Each time with one byte that is new, so that what is joined never is all.
TEST(PreparedSegments, ThatRepeatManyRunsWithSomethingNew) {
  constexpr std::uint32_t kLength = 1400;
  const auto attack = [](Line& line) {
    for (std::uint32_t i = 0; i < 2000; ++i) line.client(kAck, 1001 + 2 * i, kLength + i % 2);
  };
  const auto before = [](Line& line) {
    line.client(kSyn, 999, 0);
    for (std::uint32_t i = 0; i < 4000; ++i) line.client(kAck, 1002 + 2 * i, 1);
  };
  expect_like(cost({}, before, attack), cost({}, unprepared, [](Line& line) { say_in_order(line, kLength); }), 8);
}

// Late segments over many gaps that were given up.
TEST(PreparedSegments, OverManyGapsThatWereGivenUp) {
  constexpr std::uint32_t kLength = 1400;
  const auto before = [](Line& line) {
    line.client(kSyn, 999, 0);
    for (std::uint32_t i = 0; i < kMany; ++i) line.client(kAck, 1001 + 2 * i, 1);
    for (std::uint32_t i = 0; i < 16; ++i) line.client(kAck, 1001 + 2 * kMany + 2 * i, 1000);
  };
  const auto attack = [](Line& line) {
    for (std::uint32_t i = 0; i < 2000; ++i) line.client(kAck, 1000 + i * 61 % (2 * kMany - kLength), kLength);
  };
  expect_like(cost({}, before, attack), cost({}, unprepared, [](Line& line) { say_in_order(line, kLength); }), 8);
}

// Frames go after each segment, of a connection of which much is held.
TEST(PreparedSegments, WhoseFramesGo) {
  ReassemblerOptions options;
  options.spans = true;
  const auto before = [](Line& line) {
    line.client(kSyn, 999, 0);
    for (std::uint32_t i = 0; i < kMany / 2; ++i) line.client(kAck, 1000 + kMany - 2 * i, 1);
    line.reassembler().detach_from_frames(line.number);
  };
  const auto attack = [](Line& line) {
    for (std::uint32_t i = 0; i < 4000; ++i) {
      line.client(kAck, 1000 + kMany - 1 - 2 * i, 1);
      line.reassembler().detach_from_frames(line.number);
    }
  };
  const auto twin = [](Line& line) {
    line.client(kSyn, 999, 0);
    for (std::uint32_t i = 0; i < 4000; ++i) {
      line.client(kAck, 1000 + i, 1);
      line.reassembler().detach_from_frames(line.number);
    }
  };
  expect_like(cost(options, before, attack), cost(options, unprepared, twin), 20);
}

}  // namespace
}  // namespace warpmeter
