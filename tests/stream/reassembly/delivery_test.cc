// Bytes in order at each packet, from a buffer that the connection keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "stream/reassembly/stream_talk.h"

namespace warpmeter {
namespace {

using test::StreamTalk;

ReassemblerOptions each_packet(OverlapPolicy overlap = OverlapPolicy::first, bool spans = false) {
  ReassemblerOptions options;
  options.each_packet = true;
  options.overlap = overlap;
  options.spans = spans;
  return options;
}

TEST(Delivery, IsOfWhatIsInOrder) {
  StreamTalk talk(each_packet());
  talk.one(kSyn, 9).two(kSyn | kAck, 19).one(kAck, 10, "ab").two(kAck, 20, "X").one(kAck, 10, "abcd");
  EXPECT_EQ(talk.log(), "opened 1>2\nsize 3: c0 \"ab\"\nsize 4: s0 \"X\"\nsize 5: c2 \"cd\"\n");
  talk.one(kAck, 16, "gh").two(kAck, 21, "Y");
  EXPECT_EQ(talk.log(), "");
  talk.one(kAck, 14, "ef");
  EXPECT_EQ(talk.log(), "size 8: c4 \"efgh\", s1 \"Y\"\n");
  EXPECT_EQ(talk.end_log(), "ended end\n");
}

TEST(Delivery, GoesOnBehindAGapThatIsGivenUp) {
  ReassemblerOptions options = each_packet();
  options.gap_packets = 1;
  StreamTalk talk(options);
  talk.one(kSyn, 9).one(kAck, 12, "cd");
  EXPECT_EQ(talk.log(), "opened 1>2\n");
  talk.one(kAck, 14, "ef").one(kAck, 10, "ab").one(kAck, 16, "g");
  EXPECT_EQ(talk.log(), "size 3: c2+2 \"cdef\"\nsize 5: c6 \"g\"\n");
}

// What leaves, and when, is what blocks of one byte say.
TEST(Delivery, IsThatOfBlocksOfOneByte) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    const bool spans = seed % 3 == 0;
    const OverlapPolicy overlap = spans ? OverlapPolicy::first : static_cast<OverlapPolicy>(seed % 5);
    ReassemblerOptions one_byte;
    one_byte.block_size = 1;
    one_byte.overlap = overlap;
    one_byte.spans = spans;
    StreamTalk wanted(one_byte), got(each_packet(overlap, spans));
    std::mt19937 chance(seed);
    std::uint32_t nexts[2] = {1, 1};
    for (std::uint32_t i = 0; i < 200; ++i) {
      const auto length = static_cast<std::uint32_t>(chance() % 12);
      const bool from_one = chance() % 2 == 0;
      std::uint32_t& next = nexts[from_one];  // in order, more often than not
      const std::uint32_t begin = chance() % 4 != 0 ? next : static_cast<std::uint32_t>(chance() % 40) + i * 2;
      next = std::max(next, begin + length);
      std::string text;
      for (std::uint32_t at = 0; at < length; ++at) {
        text += static_cast<char>('a' + (begin + at + (chance() % 50 == 0)) % 26);
      }
      const int flags = i == 0 ? kSyn : chance() % 150 == 0 ? kAck | kFin : chance() % 150 == 0 ? kRst : kAck;
      for (StreamTalk* const talk : {&wanted, &got}) {
        if (from_one) talk->one(static_cast<std::uint8_t>(flags), 10 + begin, text);
        else talk->two(static_cast<std::uint8_t>(flags), 1000 + begin, text);
      }
      ASSERT_EQ(wanted.log(), got.log()) << "seed " << seed << ", segment " << i;
    }
    ASSERT_EQ(wanted.end_log(), got.end_log()) << "seed " << seed;
  }
}

// Where the bytes of each connection lay, by the port of its client.
struct Places : StreamConsumer {
  void take(TcpConnection& connection, const StreamBlock& block) override {
    for (const SubBlock& sub_block : block.sub_blocks) {
      places[port_number(connection.key.source_port)].insert(sub_block.pieces.front().data());
    }
  }
  std::map<int, std::set<const std::uint8_t*>> places;
};

void say(Reassembler& reassembler, std::uint16_t from, std::uint32_t sequence, std::uint64_t number) {
  constexpr std::uint8_t kBytes[4] = {};
  reassembler.take(test::stream_segment(from, 9, kAck, sequence, 0, 4, kBytes, 0), number);
}

TEST(Delivery, DoesNotGiveTheBufferBack) {
  Places consumer;
  Reassembler reassembler(each_packet(), consumer);
  for (std::uint32_t i = 0; i < 10; ++i) {
    say(reassembler, 1, 100 + 4 * i, 2 * i + 1);
    say(reassembler, 2, 100 + 4 * i, 2 * i + 2);
  }
  ASSERT_EQ(consumer.places[1].size(), 1u);
  ASSERT_EQ(consumer.places[2].size(), 1u);
  EXPECT_NE(consumer.places[1], consumer.places[2]);
  reassembler.end_all(0);
}

TEST(Delivery, KeepsToTheMemory) {
  ReassemblerOptions options = each_packet();
  options.memory = 256 << 10;
  Places consumer;
  const auto shared =
      std::make_shared<SharedBuffers>(options.block_size, *std::pmr::new_delete_resource(), options.memory / 32);
  Reassembler reassembler(options, consumer, *std::pmr::new_delete_resource(), shared);
  for (std::uint16_t i = 1; i <= 2000; ++i) say(reassembler, static_cast<std::uint16_t>(1000 + i), 100, i);
  EXPECT_LE(shared->blocks.resident(), options.memory);
  EXPECT_EQ(consumer.places.size(), 2000u);
  reassembler.end_all(0);
}

// What a Reassembler says of connections: "opened ", "ended ", and bytes of blocks.
class Listener : private StreamConsumer {
 public:
  Listener() : reassembler_(each_packet(OverlapPolicy::first, true), *this) {}

  struct Said {
    std::string events, blocks;
  };
  // Nobody listens to the connection of this segment from here on, if `mute` says so, or all do.
  Said take(const PayloadSegment& s, std::uint64_t number, bool mute) {
    said_ = {};
    StreamSide side;
    Tcb* const c = reassembler_.take_and_find(s, number, side);
    if (c) Reassembler::mute(*c, mute);
    reassembler_.detach_from_frames(number);
    return said_;
  }
  std::uint64_t blocks() const { return blocks_; }
  void end() { reassembler_.end_all(reassembler_.latest_ns()); }

 private:
  void opened(TcpConnection&) override { said_.events += "opened "; }
  void take(TcpConnection&, const StreamBlock& block) override {
    ++blocks_;
    for (const SubBlock& sub : block.sub_blocks) {
      said_.blocks += sub.side == StreamSide::client ? 'c' : 's';
      said_.blocks += std::to_string(sub.offset) + '+' + std::to_string(sub.length) + ' ';
    }
  }
  void ended(TcpConnection&, const ConnectionReport& report) override {
    said_.events += std::string("ended ") + word_of(report.end) + ' ';
  }

  Said said_;
  std::uint64_t blocks_ = 0;
  Reassembler reassembler_;
};

// A connection to which nobody listens for a while begins and ends with the same packets, and then says all again.
TEST(Delivery, OfAMutedConnectionGoesOnWhereItWouldBe) {
  std::uint64_t all_blocks = 0, some_blocks = 0;
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 chance(seed);
    Listener all, some;
    std::uint32_t nexts[2] = {1, 1};
    std::int64_t now_ns = 0;
    bool mute = false;
    for (std::uint32_t i = 1; i <= 300; ++i) {
      const auto length = static_cast<std::uint32_t>(chance() % 3 == 0 ? 0 : chance() % 12);
      const bool from_one = chance() % 2 == 0;
      std::uint32_t& next = nexts[from_one];
      const std::uint32_t begin = chance() % 8 != 0 ? next : next + static_cast<std::uint32_t>(chance() % 40) - 20;
      const auto luck = static_cast<unsigned>(chance() % 80);
      const int flags = luck == 0 ? kSyn : luck == 1 ? kSyn | kAck : luck == 2 ? kFin | kAck : luck == 3 ? kRst : kAck;
      next = std::max(next, begin + length + (luck < 3));
      now_ns += chance() % 200 == 0 ? 65 * test::kTalkSecond : 1;
      const std::vector<std::uint8_t> bytes(length - (length > 0 && chance() % 20 == 0), 'x');
      const std::uint16_t from = from_one ? 1 : 2;
      const PayloadSegment s =
          test::stream_segment(from, 3 - from, static_cast<std::uint8_t>(flags), begin,
                               nexts[!from_one] - static_cast<std::uint32_t>(chance() % 3), length, bytes, now_ns);
      const bool was_muted = mute;
      if (chance() % 10 == 0) mute = !mute;
      const Listener::Said wanted = all.take(s, i, false), got = some.take(s, i, mute);
      ASSERT_EQ(wanted.events, got.events) << "seed " << seed << ", segment " << i;
      if (!was_muted) ASSERT_EQ(wanted.blocks, got.blocks) << "seed " << seed << ", segment " << i;
    }
    all.end();
    some.end();
    all_blocks += all.blocks();
    some_blocks += some.blocks();
  }
  EXPECT_LT(some_blocks, all_blocks * 9 / 10);
}

}  // namespace
}  // namespace warpmeter
