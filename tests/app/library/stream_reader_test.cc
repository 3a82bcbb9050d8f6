// Streams taken by threads of a program: what it gets is its own, is bounded, and ends as jobs do.
#include "warpmeter/stream_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/tcp_talk.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

std::string text_of(const SubBlock& sub) {
  EXPECT_EQ(sub.pieces.size(), 1U);
  return {sub.pieces[0].begin(), sub.pieces[0].end()};
}

// Requests, and long answers.
test::TcpTalk talk_of(std::uint16_t connections, std::size_t bytes) {
  test::TcpTalk talk;
  for (std::uint16_t port = 1000; port < 1000 + connections; ++port) {
    talk.syn(port).client(port, 0, "GET").server(port, 0, std::string(bytes, 's')).client(port, 3, "more");
    talk.fin(port, 7, static_cast<std::uint32_t>(bytes));
  }
  return talk;
}

std::vector<StreamEvent> all_of(StreamReader& run, unsigned channel = 0) {
  std::vector<StreamEvent> all;
  for (std::vector<StreamEvent> events; run.next(events, channel);) {
    EXPECT_FALSE(events.empty());
    all.insert(all.end(), events.begin(), events.end());
  }
  return all;
}

TEST(StreamReader, GivesBlocksThatOwnTheirBytes) {
  test::TcpTalk talk;
  talk.syn(1000).client(1000, 0, "GET ").server(1000, 0, "200").server(1000, 7, "behind a gap");
  std::vector<StreamEvent> events;
  {
    StreamReader run(talk.feed(), {{"spans", ""}});  // which are put together here
    events = all_of(run);
  }
  ASSERT_EQ(events.size(), 2U);
  ASSERT_NE(events[0].block(), nullptr);
  EXPECT_EQ(events[0].report(), nullptr);
  const StreamBlock& block = *events[0].block();
  EXPECT_EQ(block.reason, StreamReason::end);
  EXPECT_EQ(block.packet, 0U);
  ASSERT_EQ(block.sub_blocks.size(), 3U);
  EXPECT_EQ(text_of(block.sub_blocks[0]), "GET ");
  EXPECT_EQ(block.sub_blocks[0].side, StreamSide::client);
  EXPECT_EQ(text_of(block.sub_blocks[1]), "200");
  EXPECT_EQ(block.sub_blocks[1].side, StreamSide::server);
  EXPECT_EQ(text_of(block.sub_blocks[2]), "behind a gap");
  EXPECT_EQ(block.sub_blocks[2].offset, 7U);
  EXPECT_EQ(block.sub_blocks[2].gap, 4U);
  EXPECT_EQ(events[0].connection->opened_packet, 1U);
  EXPECT_EQ(port_number(events[0].connection->key.source_port), 1000);

  EXPECT_EQ(events[1].block(), nullptr);
  ASSERT_NE(events[1].report(), nullptr);
  const ConnectionReport& report = *events[1].report();
  EXPECT_EQ(report.end, StreamReason::end);
  EXPECT_EQ(report.directions[1].counters.gap_bytes, 4U);
  ASSERT_EQ(report.directions[1].gaps.size(), 1U);
  EXPECT_EQ(report.directions[1].gaps[0], (StreamGap{3, 4}));
  EXPECT_EQ(events[1].connection, events[0].connection) << "one object";
}

TEST(StreamReader, ATagIsTheTakers) {
  StreamReader run(talk_of(500, 3000).feed(), {{"block-size", "1K"}, {"threads", "2"}});
  std::uint64_t connections = 0, ended = 0;
  for (std::vector<StreamEvent> events; run.next(events);) {
    for (const StreamEvent& event : events) {
      TcpConnection& c = *event.connection;
      if (c.tag == 0) c.tag = ++connections << 16 | port_number(c.key.source_port);
      EXPECT_EQ(c.tag & 0xffff, port_number(c.key.source_port));
      if (event.report()) ++ended;
    }
  }
  EXPECT_EQ(connections, 500U);
  EXPECT_EQ(ended, 500U);
}

// Each on a thread of its own; a connection is in one of them.
TEST(StreamReader, ChannelsAreTakenFromBesideEachOther) {
  for (const unsigned channels : {1U, 3U, 40U}) {
    StreamReader run(talk_of(1000, 1000).feed(), {{"threads", "4"}}, channels);
    std::vector<std::map<std::uint16_t, std::size_t>> bytes(channels);
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < channels; ++i) {
        threads.emplace_back([&run, &bytes, i] {
          for (const StreamEvent& event : all_of(run, i)) {
            if (!event.block()) continue;
            for (const SubBlock& sub : event.block()->sub_blocks) {
              bytes[i][port_number(event.connection->key.source_port)] += sub.length;
            }
          }
        });
      }
    }
    std::map<std::uint16_t, std::size_t> all;
    for (const auto& channel : bytes) {
      EXPECT_FALSE(channel.empty());
      for (const auto& [port, sum] : channel) EXPECT_TRUE(all.emplace(port, sum).second);
    }
    EXPECT_EQ(all.size(), 1000U);
    for (const auto& [port, sum] : all) EXPECT_EQ(sum, 1007U);
    EXPECT_EQ(nlohmann::json::parse(run.summary())["connections"], 1000);
  }
}

// Whoever takes slowly is waited for: what waits is bounded, however much there is.
TEST(StreamReader, WhatWaitsIsBounded) {
  std::atomic<int> fed = 0;
  const test::TcpTalk talk = talk_of(100, 10000);  // a megabyte
  StreamReader run(
      [&fed, feed = talk.feed(100)](FrameBlock& block) mutable {
        ++fed;
        return feed(block);
      },
      {{"threads", "2"}});
  EXPECT_TRUE(run.ready(std::chrono::seconds(60)));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(fed, 15);
  std::vector<StreamEvent> events;
  ASSERT_TRUE(run.next(events));
  std::uint64_t ended = 0;
  do {
    for (const StreamEvent& event : events) ended += event.report() != nullptr;
  } while (run.next(events));
  EXPECT_EQ(ended, 10000U);
}

TEST(StreamReader, TellsTooEarlyQuestionsApart) {
  StreamReader run(talk_of(10, 10).feed(), {});
  EXPECT_TRUE(run.ready(std::chrono::seconds(60)));
  EXPECT_EQ(test::thrown_text([&] { run.summary(); }), "the summary is there when all blocks have been taken");
  std::vector<StreamEvent> events;
  EXPECT_EQ(test::thrown_text([&] { run.next(events, 1); }), "there is no channel 1");
  all_of(run);
  EXPECT_TRUE(run.ready(std::chrono::milliseconds::max()));
  EXPECT_NE(run.summary(), "");
  EXPECT_FALSE(run.next(events));
  EXPECT_EQ(test::thrown_text([] { StreamReader none({"x.pcap"}, {}, 65); }), "65 channels: 1 to 64 are possible");
}

TEST(StreamReader, ThrowsBehindWhatItGave) {
  int times = 3;
  StreamReader run(
      [&times, feed = talk_of(10, 10).feed(-1)](FrameBlock& block) mutable {
        if (times-- == 0) throw std::logic_error("no more paper");
        return feed(block);
      },
      {{"threads", "1"}});
  std::vector<StreamEvent> events;
  std::uint64_t given = 0;
  const auto take_all = [&] {
    while (run.next(events)) given += events.size();
  };
  EXPECT_THROW(take_all(), std::logic_error);
  EXPECT_GT(given, 0U);
  EXPECT_THROW(take_all(), std::logic_error) << "whenever it is asked";

  StreamReader missing({"/nowhere/x.pcap"}, {});
  EXPECT_TRUE(missing.ready(std::chrono::seconds(60)));
  EXPECT_THROW(missing.next(events), CaptureError);
}

TEST(StreamReader, CanBeGivenUpAtAnyTime) {
  const test::TcpTalk talk = talk_of(100, 10000);
  { StreamReader endless(talk.feed(-1), {{"threads", "2"}}, 3); }
  {
    StreamReader not_taken(talk.feed(), {});
    EXPECT_TRUE(not_taken.ready(std::chrono::seconds(60)));
  }
  StreamReader run(talk.feed(-1), {{"threads", "2"}});
  std::vector<StreamEvent> events;
  std::uint64_t given = 0;
  std::atomic<bool> begun = false;
  std::jthread other([&run, &begun] {
    while (!begun) std::this_thread::yield();
    run.give_up();
  });
  const auto take_all = [&] {
    while (run.next(events)) {
      given += events.size();
      begun = true;
    }
  };
  EXPECT_EQ(test::thrown_text(take_all), "nobody takes the streams");
  EXPECT_GT(given, 0U);
}

TEST(StreamReader, InterruptedGivesWhatWasRead) {
  std::atomic<int> blocks = 0;
  StreamReader run(
      [&blocks, feed = talk_of(1, 100).feed(-1)](FrameBlock& block) mutable {
        ++blocks;
        return feed(block);
      },
      {});
  while (blocks < 20) std::this_thread::yield();
  run.interrupt();
  const std::vector<StreamEvent> events = all_of(run);
  ASSERT_FALSE(events.empty());
  EXPECT_NE(events.back().report(), nullptr);
  EXPECT_EQ(nlohmann::json::parse(run.summary())["exit status"], 130);
}

}  // namespace
}  // namespace warpmeter
