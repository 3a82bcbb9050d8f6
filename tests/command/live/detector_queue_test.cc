// What a detector gets, and what it is told of what it did not get: always a stream that can be read, never more
// waiting than there is room for, and all that was lost in the counts.
#include "command/live/detector_queue.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <string>

#include "command/live/told_records.h"
#include "support/stream_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kRoom = 4096;

// Takes what is there, as a detector that reads.
std::string taken(DetectorQueue& queue, std::size_t most = 1 << 20) {
  std::string bytes;
  while (!queue.is_empty() && bytes.size() < most) {
    const iovec part = queue.front()[0];
    const std::size_t count = std::min({part.iov_len, most - bytes.size(), std::size_t{77}});
    bytes.append(static_cast<const char*>(part.iov_base), count);
    queue.pop(count);
  }
  return bytes;
}

void block(DetectorQueue& queue, TcpConnection& connection, std::string text) {
  StreamMaker maker;
  maker.add(kClient, std::move(text)).give(queue, connection);
}

void end(DetectorQueue& queue, TcpConnection& connection) { queue.ended(connection, ended_by(StreamReason::end)); }

TEST(DetectorQueue, DetectorFromTheBeginningGetsAll) {
  DetectorQueue queue(kRoom);
  queue.begin_session();
  TcpConnection a = connection_of(1, stream_key()), b = connection_of(2, stream_key(2000));
  queue.opened(a);
  queue.opened(b);
  StreamMaker maker;
  maker.add(kClient, "abc").add(kServer, "xy", 5, 2).give(queue, a);
  end(queue, b);
  end(queue, a);
  queue.put_last(7);
  EXPECT_EQ(records_in_words(taken(queue)), "opened 1\nopened 2\nblock 1: c0 abc s5 xy\nended 2\nended 1\nlast 2\n");
  const StreamFeedCounts counts = queue.counts();
  EXPECT_EQ(counts.connections, 2u);
  EXPECT_EQ(counts.ended, 2u);
  EXPECT_EQ(counts.blocks, 1u);
  EXPECT_EQ(counts.bytes, 5u);
  EXPECT_EQ(counts.dropped_blocks + counts.unread_blocks + counts.dropped_ends, 0u);
  EXPECT_EQ(counts.stray_segments, 7u);
  EXPECT_EQ(counts.readers, 1u);
}

// Connections that began before are opened once they have something; one that has nothing more, at its end.
TEST(DetectorQueue, DetectorThatComesLaterGetsWhatComesFromThenOn) {
  DetectorQueue queue(kRoom);
  TcpConnection a = connection_of(1, stream_key()), b = connection_of(2, stream_key(2000)),
                c = connection_of(3, stream_key(3000));
  queue.opened(a);
  queue.opened(b);
  queue.opened(c);
  block(queue, a, "before");
  end(queue, c);
  queue.begin_session();
  block(queue, a, "after");
  block(queue, a, "more");
  end(queue, b);
  end(queue, a);
  queue.put_last(0);
  EXPECT_EQ(records_in_words(taken(queue)),
            "opened 1\nblock 1: c0 after\nblock 1: c0 more\nopened 2\nended 2\nended 1\nlast 2\n");
  EXPECT_EQ(queue.counts().unread_blocks, 1u);
  EXPECT_EQ(queue.counts().unread_bytes, 6u);
}

TEST(DetectorQueue, NextDetectorGetsAStreamOfItsOwn) {
  DetectorQueue queue(kRoom);
  queue.begin_session();
  TcpConnection a = connection_of(1, stream_key());
  queue.opened(a);
  block(queue, a, "one");
  const std::string first = taken(queue, 90);  // and a part of the block
  block(queue, a, "two");
  queue.end_session();
  EXPECT_TRUE(queue.is_empty());
  EXPECT_FALSE(queue.counts().connected);
  block(queue, a, "three");
  queue.begin_session();
  block(queue, a, "four");
  queue.put_last(0);
  EXPECT_EQ(records_in_words(taken(queue)), "opened 1\nblock 1: c0 four\nlast 0\n");
  EXPECT_EQ(queue.counts().unread_blocks, 3u);
  EXPECT_EQ(queue.counts().unread_bytes, 11u);
  EXPECT_EQ(queue.counts().readers, 2u);
}

TEST(DetectorQueue, WhatFindsNoRoomIsDroppedWholeAndToldByTheNext) {
  DetectorQueue queue(kRoom);
  queue.begin_session();
  TcpConnection a = connection_of(1, stream_key());
  queue.opened(a);
  block(queue, a, std::string(3000, 'x'));
  block(queue, a, std::string(1000, 'y'));  // no room
  block(queue, a, std::string(2000, 'z'));
  EXPECT_LE(queue.counts().queued_bytes, kRoom);
  EXPECT_EQ(queue.counts().dropped_blocks, 2u);
  EXPECT_EQ(queue.counts().dropped_bytes, 3000u);
  std::string stream = taken(queue);
  block(queue, a, "next");
  block(queue, a, "and next");
  stream += taken(queue);
  EXPECT_EQ(records_in_words(stream),
            "opened 1\nblock 1: c0 3000\ndropped 2, 3000 bytes, 0 ends\nblock 1: c0 next\nblock 1: c0 and next\n");
}

// An eighth of the room is theirs: what is open at a detector would stay so for ever.
TEST(DetectorQueue, EndsFindRoomWhereBlocksDoNot) {
  DetectorQueue queue(kRoom);
  queue.begin_session();
  TcpConnection a = connection_of(1, stream_key());
  queue.opened(a);
  block(queue, a, std::string(3400, 'x'));
  block(queue, a, std::string(200, 'y'));
  end(queue, a);
  TcpConnection b = connection_of(2, stream_key(2000));
  queue.opened(b);
  end(queue, b);  // which it does not know: no room, and nothing is missing
  EXPECT_EQ(records_in_words(taken(queue)), "opened 1\nblock 1: c0 3400\ndropped 1, 200 bytes, 0 ends\nended 1\n");
  EXPECT_EQ(queue.counts().dropped_ends, 0u);
  queue.opened(b);
  for (int i = 0; i < 100; ++i) end(queue, b);  // of more than there is room for
  EXPECT_GT(queue.counts().dropped_ends, 50u);
  EXPECT_LE(queue.counts().queued_bytes, kRoom);
  taken(queue);
  queue.put_last(0);
  std::string last = taken(queue);
  const StreamsHeader header;
  EXPECT_EQ(records_in_words(std::string(reinterpret_cast<const char*>(&header), sizeof header) + last),
            "dropped 0, 0 bytes, " + std::to_string(queue.counts().dropped_ends) + " ends\nlast " +
                std::to_string(101 - queue.counts().dropped_ends) + "\n");
}

// Whatever the places where the circle begins anew.
TEST(DetectorQueue, RecordsGoRoundInTheCircle) {
  DetectorQueue queue(kRoom);
  queue.begin_session();
  TcpConnection a = connection_of(1, stream_key());
  queue.opened(a);
  std::string stream, expected = "opened 1\n";
  block(queue, a, "first");
  expected += "block 1: c0 first\n";
  for (int i = 0; i < 300; ++i) {
    const std::string text(30 + i % 7, static_cast<char>('a' + i % 26));
    block(queue, a, text);
    expected += "block 1: c0 " + text + '\n';
    stream += taken(queue, 80 + i % 11);  // never all
  }
  stream += taken(queue);
  EXPECT_EQ(records_in_words(stream), expected);
  EXPECT_EQ(queue.counts().dropped_blocks, 0u);
}

TEST(DetectorQueue, AtTheEndRoomIsMade) {
  DetectorQueue queue(kRoom);
  queue.begin_session();
  TcpConnection a = connection_of(1, stream_key());
  queue.opened(a);
  std::string stream;
  queue.make_room_by([&] {
    const std::string some = taken(queue, 100);
    stream += some;
    return !some.empty();
  });
  for (int i = 0; i < 20; ++i) block(queue, a, std::string(1000, 'x'));
  block(queue, a, std::string(2 * kRoom, 'x'));  // never
  end(queue, a);
  queue.put_last(0);
  stream += taken(queue);
  std::string expected = "opened 1\n";
  for (int i = 0; i < 20; ++i) expected += "block 1: c0 1000\n";
  EXPECT_EQ(records_in_words(stream), expected + "dropped 1, 8192 bytes, 0 ends\nended 1\nlast 1\n");
}

TEST(DetectorQueue, WakesWhoWaits) {
  DetectorQueue queue(kRoom);
  const auto is_awake = [&queue] {
    pollfd wanted{.fd = queue.wake_fd(), .events = POLLIN, .revents = 0};
    return poll(&wanted, 1, 0) > 0;
  };
  queue.begin_session();
  taken(queue);
  TcpConnection a = connection_of(1, stream_key());
  queue.begin_wait();
  queue.publish();
  EXPECT_FALSE(is_awake());  // there is nothing
  queue.opened(a);
  EXPECT_FALSE(is_awake());
  queue.publish();
  EXPECT_TRUE(is_awake());
  queue.end_wait();
  EXPECT_FALSE(is_awake());
  queue.publish();
  EXPECT_FALSE(is_awake());  // nobody waits
}

}  // namespace
}  // namespace warpmeter::test
