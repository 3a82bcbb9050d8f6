// A state in words: rates between two states, what was lost, lines that no terminal breaks.
#include "command/live/live_state.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

LiveState state_at(double seconds, std::uint64_t packets, std::uint64_t lost) {
  LiveState state;
  state.up_seconds = seconds;
  state.rings = {{.point = "eth0", .received = packets, .ring_full = lost}};
  state.bytes_read = 100 * packets;
  state.records_leave = true;
  state.records.records = packets / 10;
  return state;
}

TEST(StatusLine, RatesAreOfTheTimeBetween) {
  EXPECT_EQ(status_line(state_at(12, 3000, 0), state_at(10, 1000, 0), {}),
            "1 k packets/s, 800 kbit/s, lost 0, 0 live flows, 100 records/s");
}

TEST(StatusLine, LossesAndTalkersAreTold) {
  FlowKey key;
  key.version = 4;
  key.source[0] = 10;
  LiveState now = state_at(11, 1000, 50);
  now.collector = ExportState{};
  now.collector->queued_bytes = 2048;
  now.collector->counters.lost_records = 3;
  EXPECT_EQ(
      status_line(now, state_at(10, 1000, 10), {{key, 1000}, {key, 500}}),
      "40 packets/s, 0 bit/s, lost 50 (now 40/s), 0 live flows, 0 records/s, collector lost 3, 2 KiB wait for it; "
      "top 10.0.0.0 8 kbit/s, 10.0.0.0 4 kbit/s");
}

TEST(StatusLine, BlocksThatADetectorDidNotGetAreTold) {
  LiveState now = state_at(11, 1000, 0);
  now.streams = StreamFeedCounts{.connections = 2, .blocks = 30};
  const std::string before = status_line(now, state_at(10, 1000, 0), {});
  EXPECT_EQ(before.find("blocks"), std::string::npos);
  now.streams->dropped_blocks = 12;
  EXPECT_EQ(status_line(now, state_at(10, 1000, 0), {}), before + ", blocks dropped 12");
}

TEST(StatusLine, WhatCouldNotBeWrittenIsTold) {
  LiveState now = state_at(11, 1000, 0);
  now.outputs.emplace_back();
  const std::string before = status_line(now, state_at(10, 1000, 0), {});
  EXPECT_EQ(before.find("written"), std::string::npos);
  now.outputs[0].lost.records = 12;
  EXPECT_EQ(status_line(now, state_at(10, 1000, 0), {}), before + ", 12 records not written");
}

TEST(StatusLine, ASampleOfTheFlowsIsTold) {
  LiveState now = state_at(11, 1000, 0);
  const std::string all = status_line(now, state_at(10, 1000, 0), {});
  EXPECT_EQ(all.find("of flows"), std::string::npos);
  now.sample_one_in = 4;
  EXPECT_NE(status_line(now, state_at(10, 1000, 0), {}).find(", 1/4 of flows, "), std::string::npos);
  EXPECT_NE(summary_so_far(now).find("sample of flows     1/4\n"), std::string::npos);
}

TEST(StatusLine, ABoundOnRoundsIsTold) {
  LiveState now = state_at(11, 1000, 0);
  now.policy.emplace();
  EXPECT_EQ(status_line(now, state_at(10, 1000, 0), {}).find("round"), std::string::npos);
  now.most_rounds = 3;
  EXPECT_NE(status_line(now, state_at(10, 1000, 0), {}).find(", at most 3 rounds"), std::string::npos);
  EXPECT_NE(summary_so_far(now).find("  rounds              at most 3 of a packet\n"), std::string::npos);
}

TEST(StatusLine, IsCutWhereATerminalWouldBreakIt) {
  EXPECT_EQ(cut_to_columns("0123456789", 10), "0123456789");
  EXPECT_EQ(cut_to_columns("0123456789", 9), "012345...");
  EXPECT_EQ(cut_to_columns("0123456789", 2), "");
}

TEST(SummarySoFar, HasTheSums) {
  LiveState state = state_at(2, 100, 5);
  state.rings[0].hand_over_full = 3;
  state.metering.metered = 90;
  state.metering.ignored[static_cast<int>(Ignored::not_ip)] = 10;
  state.streams = StreamFeedCounts{.connections = 2, .blocks = 30, .bytes = 4096, .unread_blocks = 1};
  state.outputs.resize(2);
  state.outputs[0].output = "a.csv";
  state.outputs[0].lost = {1, 2, 30};
  const std::string text = summary_so_far(state);
  for (const char* part :
       {"after 2 s", "offered     105\n", "5 because a ring was full", "3 because the thread of their flow had no room",
        "metered     90\n", "not IP 10\n", "flow records        10\n",
        "not written         1 Flow Record (2 packets, 30 octets) for a.csv\n",
        "streams             2 connections, 30 blocks (4 KiB); 1 block (0 B) that no detector took\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace warpmeter
