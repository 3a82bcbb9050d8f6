// The TCP streams of rings, metered as ever: bytes of connections whose directions come to different rings, by one
// thread and by several; connections that end by time alone; detectors that change nothing of what is metered.
#include "command/live/live_streams.h"

#include <gtest/gtest.h>

#include <map>
#include <span>
#include <thread>

#include "command/live/metered_rings.h"
#include "command/live/told_records.h"
#include "command/live/unix_detector.h"
#include "core/packet_batch.h"
#include "packet/decode/decoder.h"
#include "support/packets.h"
#include "support/scratch_folder.h"
#include "support/tcp_talk.h"

namespace warpmeter::test {
namespace {

constexpr std::int64_t kStreamSecond = 1'000'000'000;
constexpr std::int64_t kStart = 1'700'000'000 * kStreamSecond;

FakePacket packet_of(const Bytes& ip, std::int64_t time_ns) { return {ethernet(0x0800, ip), time_ns, 0}; }

// 40 connections of 20 requests and answers each, beside each other.
std::vector<Bytes> talk_of_many() {
  TcpTalk talk;
  for (std::uint16_t port = 1000; port < 1040; ++port) talk.syn(port);
  for (std::uint32_t i = 0; i < 20; ++i) {
    for (std::uint16_t port = 1000; port < 1040; ++port) {
      talk.client(port, 100 * i, std::string(100, static_cast<char>('a' + i)));
      talk.server(port, 300 * i, std::string(300, static_cast<char>('A' + i)));
    }
  }
  return talk.packets();
}

bool is_of_client(const Bytes& ip) { return ip[15] == 1; }  // its address ends so
unsigned port_in(const Bytes& ip) {
  const std::size_t at = is_of_client(ip) ? 20 : 22;
  return static_cast<unsigned>(ip[at] << 8 | ip[at + 1]);
}

// Of the records' bytes, what each direction carried; by the client's port.
std::map<std::pair<unsigned, unsigned>, std::string> carried(const std::string& stream) {
  std::map<std::uint64_t, unsigned> ports;
  std::map<std::pair<unsigned, unsigned>, std::string> bytes;
  std::string_view left = stream;
  taken_part<StreamsHeader>(left);
  while (!left.empty()) {
    const auto head = taken_part<StreamRecordHead>(left);
    std::string_view body = left.substr(0, head.bytes);
    left.remove_prefix(head.bytes);
    if (head.kind == StreamRecordKind::opened) {
      const auto opened = taken_part<OpenedRecord>(body);
      ports[opened.connection] = std::max(opened.client_port, opened.server_port);
    } else if (head.kind == StreamRecordKind::block) {
      const auto block = taken_part<BlockRecord>(body);
      std::string_view payload = body.substr(block.sub_blocks * sizeof(SubBlockRecord));
      for (std::uint32_t i = 0; i < block.sub_blocks; ++i) {
        const auto sub = taken_part<SubBlockRecord>(body);
        std::string& all = bytes[{ports.at(block.connection), payload[0] >= 'a' ? 0 : 1}];
        EXPECT_EQ(all.size(), sub.offset);
        all += payload.substr(0, sub.length);
        payload.remove_prefix(sub.length);
      }
    }
  }
  return bytes;
}

class LiveStreamsTest : public testing::Test {
 protected:
  LiveStreamsTest() : detector_(options_.socket = folder_.file("socket")) {}

  static FrameBlock frames_of(std::span<const Bytes> packets) {
    FrameBlock frames;
    for (const Bytes& packet : packets) {
      const auto size = static_cast<std::uint32_t>(packet.size());
      frames.frames.push_back({packet.data(), kStart, size, size, kLinkRaw});
    }
    return frames;
  }

  // As a ring's thread does.
  static void take(LiveStreams& streams, const FrameBlock& frames) {
    CoreExchange nobody_else(1, 1);
    take(streams.owner(0), frames, nobody_else);
  }
  static void take(StreamOwner& owner, const FrameBlock& frames, CoreExchange& others) {
    const auto count = static_cast<std::uint32_t>(frames.frames.size());
    PacketBatch batch(count, true);
    DecodeCounters counters;
    Decoder({}, 7).append(frames, batch, counters);
    EXPECT_EQ(batch.count, count);
    owner.take(batch.payload, 0, count, others);
  }

  const ScratchFolder folder_;
  DetectorOptions options_;
  UnixDetector detector_;
  std::atomic<bool> gives_up_ = false;
};

// Three rings, whose packets have no order among each other.
class LiveStreamsOfRings : public LiveStreamsTest {
 protected:
  LiveStreamsOfRings() { options_.streams.by_rings = true; }

  template <class RingOf>
  void expect_all(const std::vector<Bytes>& packets, const RingOf& ring_of, unsigned threads) {
    LiveStreams streams(options_, threads, gives_up_);
    MeteredRings metered(ring_options(threads), 3);
    std::vector<FakePacket> blocks[3];
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const std::int64_t time_ns = kStart + static_cast<std::int64_t>(i) * 1000;
      blocks[ring_of(packets[i])].push_back(packet_of(packets[i], time_ns));
    }
    for (int ring = 0; ring < 3; ++ring) metered.ring(ring).put(std::move(blocks[ring]));
    metered.stop();
    std::string stream;
    std::jthread reader([&] {
      detector_.accept();
      stream = detector_.read_all();
    });
    metered.run(RingMetering::kQueue, {.streams = &streams});
    streams.finish();
    reader.join();
    const auto bytes = carried(stream);
    ASSERT_EQ(bytes.size(), 80u);
    for (const auto& [direction, text] : bytes) {
      std::string expected;
      for (int i = 0; i < 20; ++i) {
        expected += direction.second ? std::string(300, static_cast<char>('A' + i))
                                     : std::string(100, static_cast<char>('a' + i));
      }
      EXPECT_EQ(text, expected) << direction.first;
    }
    EXPECT_EQ(metered.partials().size(), 80u);
    EXPECT_EQ(streams.counts().connections, 40u);
    EXPECT_EQ(streams.counts().ended, 40u);
    EXPECT_EQ(streams.counts().lost_segments, 0u);
  }
};

TEST_F(LiveStreamsOfRings, ConversationsAreWhole) {
  const auto ring_of = [](const Bytes& ip) { return port_in(ip) % 3; };
  for (const unsigned threads : {1u, 2u, 3u}) expect_all(talk_of_many(), ring_of, threads);
}

TEST_F(LiveStreamsOfRings, DirectionsMayComeToDifferentRings) {
  const auto ring_of = [](const Bytes& ip) { return is_of_client(ip) ? port_in(ip) % 2 : 1 + port_in(ip) % 2; };
  for (const unsigned threads : {1u, 2u, 3u}) expect_all(talk_of_many(), ring_of, threads);
}

// On a silent link time passes by the clock: the machine's, as of the ring.
TEST_F(LiveStreamsTest, ConnectionsEndByTimeAlone) {
  options_.streams.timeout_ns = kStreamSecond;
  LiveStreams streams(options_, 1, gives_up_);
  FrameBlock frames;
  const Bytes packet = ethernet(0x0800, TcpTalk().client(1000, 0, "abc").packets().front());
  const auto size = static_cast<std::uint32_t>(packet.size());
  frames.frames.push_back({packet.data(), kStart, size, size, kLinkEthernet});
  take(streams, frames);
  streams.owner(0).pass(FrameBlock::kNothingPassed);
  streams.owner(0).pass(kStart + kStreamSecond);
  EXPECT_EQ(streams.counts().ended, 0u);
  streams.owner(0).pass(kStart + kStreamSecond + 1);  // too soon to look again
  streams.owner(0).pass(kStart + 2 * kStreamSecond);
  EXPECT_EQ(streams.counts().ended, 1u);
  streams.end(kStart + 2 * kStreamSecond);
  detector_.accept();
  EXPECT_EQ(records_in_words(detector_.read_all()), "opened 1\nblock 1: c0 abc\nended 1\nlast 1\n");
  streams.finish();
}

// Many of them do not hold a thread up, and all end.
TEST_F(LiveStreamsTest, AllThatAreSilentEndInTheEnd) {
  options_.streams.timeout_ns = kStreamSecond;
  LiveStreams streams(options_, 1, gives_up_);
  constexpr std::uint16_t kMany = 20'000;
  TcpTalk talk;
  for (std::uint16_t i = 0; i < kMany; ++i) talk.client(static_cast<std::uint16_t>(1000 + i), 0, "abc");
  FrameBlock frames;
  for (const Bytes& packet : talk.packets()) {
    const auto size = static_cast<std::uint32_t>(packet.size());
    frames.frames.push_back({packet.data(), kStart, size, size, kLinkRaw});
  }
  take(streams, frames);
  std::jthread reader([&] {
    detector_.accept();
    detector_.read_all();
  });
  streams.owner(0).pass(kStart + 10 * kStreamSecond);
  EXPECT_GT(streams.counts().ended, 0u);
  EXPECT_LT(streams.counts().ended, kMany);
  for (int i = 0; i < 10; ++i) streams.owner(0).pass(kStart + 10 * kStreamSecond);
  EXPECT_EQ(streams.counts().ended, kMany);
  streams.end(kStart);
  streams.finish();
}

// A connection of the second thread, most of which comes to the ring of the first, while the second is far behind: what
// finds room comes out as it is, what finds none is counted, and is a gap.
TEST_F(LiveStreamsTest, WhatFindsNoRoomBetweenRingsIsCounted) {
  constexpr std::uint32_t kAll = 500, kBytes = 1000;
  LiveStreams streams(options_, 2, gives_up_);
  CoreExchange exchange(2, 1, PayloadQueue::kLeast);
  TcpTalk talk;
  talk.syn(1000);
  for (std::uint32_t i = 0; i < kAll; ++i) talk.client(1000, i * kBytes, std::string(kBytes, 'a'));
  const std::span<const Bytes> packets = talk.packets();
  take(streams.owner(1), frames_of(packets.first(2)), exchange);
  take(streams.owner(0), frames_of(packets.subspan(2)), exchange);
  const std::uint64_t lost = streams.counts().lost_segments;
  EXPECT_GT(lost, 100u);
  EXPECT_LT(lost, 400u);
  EXPECT_TRUE(exchange.has_some_for(1));
  streams.owner(1).take_handed_over(exchange);
  EXPECT_FALSE(exchange.has_some_for(1));
  take(streams.owner(0), frames_of(packets.last(1)), exchange);  // there is room again
  streams.owner(1).take_handed_over(exchange);
  EXPECT_EQ(streams.counts().lost_segments, lost);
  std::jthread reader([&] {
    detector_.accept();
    detector_.read_all();
  });
  streams.end(kStart);
  streams.finish();
  EXPECT_EQ(streams.counts().connections, 1u);
  EXPECT_EQ(streams.counts().bytes, (kAll - lost + 1) * kBytes);
}

TEST_F(LiveStreamsTest, MemoryIsBounded) {
  options_.streams.memory = 4 << 20;
  LiveStreams streams(options_, 1, gives_up_);
  std::jthread reader([&] {
    detector_.accept();
    detector_.read_all();
  });
  TcpTalk talk;
  for (std::uint16_t i = 0; i < 20'000; ++i)
    talk.client(static_cast<std::uint16_t>(1000 + i), 0, std::string(900, 'a'));
  FrameBlock frames;
  for (const Bytes& packet : talk.packets()) {
    const auto size = static_cast<std::uint32_t>(packet.size());
    frames.frames.push_back({packet.data(), kStart, size, size, kLinkRaw});
  }
  take(streams, frames);
  EXPECT_GT(streams.counts().early_blocks, 10'000u);
  streams.end(kStart);
  streams.finish();
  EXPECT_EQ(streams.counts().bytes, 900u * 20'000u);
}

}  // namespace
}  // namespace warpmeter::test
