// What a session knows of its peer at any time, however seldom it looks.
#include "record/collector/tcp_session.h"

#include <gtest/gtest.h>

#include "record/collector/loopback.h"

namespace warpmeter::test {
namespace {

// Writes until the host has taken nothing for a while.
void write_while_it_is_taken(TcpSession& session, const TcpPeer& peer) {
  for (std::uint64_t before = 0, now = 1; now != before;) {
    before = now;
    EXPECT_TRUE(session.write());
    usleep(200'000);
    now = peer.unread_bytes();
  }
}

// The buffer takes much more than was offered at the first look, and is full at the second.
TEST(TcpSession, WhatNobodyReadIsInDoubtWhateverWindowsItSaw) {
  for (const int buffer : {0, 1, 1 << 20, 2'000'000}) {
    TcpServer server;
    server.start(buffer);
    std::string why;
    ExportCounters counters;
    TcpSession session(connect_tcp(resolve(server.options().address), {}, why), {}, kDeadline, counters);
    const TcpPeer collector = server.accept();
    EXPECT_TRUE(session.look());
    for (std::uint32_t i = 0; i < 1000; ++i) session.take(numbered_message(i, 1, 50'000));
    write_while_it_is_taken(session, collector);
    EXPECT_TRUE(session.look());
    EXPECT_EQ(session.doubtful_records() + session.unacknowledged().size(), 1000u) << buffer;
    EXPECT_FALSE(session.surely_read());
  }
}

}  // namespace
}  // namespace warpmeter::test
