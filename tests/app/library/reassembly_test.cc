// Streams given to consumers of a program, on threads of a run: what they get, who is called by whom, and how it ends.
#include "warpmeter/reassembly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/pcap_file.h"
#include "support/scratch_folder.h"
#include "support/tcp_talk.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using Consumers = std::vector<StreamConsumer*>;

// What each direction carried, by the client's port; and which channel had it.
class Texts : public StreamConsumer {
 public:
  void opened(TcpConnection& connection) override {
    const Inside inside(*this);
    EXPECT_EQ(connection.tag, 0U);
    connection.tag = ++connections;
  }
  void take(TcpConnection& connection, const StreamBlock& block) override {
    const Inside inside(*this);
    EXPECT_NE(connection.tag, 0U);
    for (const SubBlock& sub : block.sub_blocks) {
      std::string& text = (sub.side == StreamSide::client ? client : server)[port_number(connection.key.source_port)];
      for (const StreamPiece& piece : sub.pieces) text.append(piece.begin(), piece.end());
    }
  }
  void ended(TcpConnection& connection, const ConnectionReport& report) override {
    const Inside inside(*this);
    ends.push_back(report.end);
    complete += report.directions[0].complete && report.directions[1].complete;
    EXPECT_NE(connection.tag, 0U);
  }

  std::map<std::uint16_t, std::string> client, server;
  std::vector<StreamReason> ends;
  std::uint64_t connections = 0, complete = 0;

 private:
  // Another thread never is there at the same time.
  struct Inside {
    explicit Inside(Texts& of) : texts(of) { EXPECT_FALSE(texts.is_inside_.exchange(true)); }
    ~Inside() { texts.is_inside_ = false; }
    Texts& texts;
  };
  std::atomic<bool> is_inside_ = false;
};

// Each has a request and an answer of some packets.
test::TcpTalk talk_of(std::uint16_t connections, const std::string& text = "some words ") {
  const auto size = static_cast<std::uint32_t>(text.size());
  test::TcpTalk talk;
  for (std::uint16_t port = 1000; port < 1000 + connections; ++port) talk.syn(port).client(port, 0, "GET ");
  for (std::uint32_t part = 0; part < 4; ++part) {
    for (std::uint16_t port = 1000; port < 1000 + connections; ++port) talk.server(port, part * size, text);
  }
  for (std::uint16_t port = 1000; port < 1000 + connections; ++port) talk.fin(port, 4, 4 * size);
  return talk;
}

std::string capture_in(const test::ScratchFolder& folder, const test::TcpTalk& talk) {
  test::PcapFile file({.link = kLinkRaw});
  std::uint32_t second = 1;
  for (const test::Bytes& packet : talk.packets()) file.record(second++, 0, packet);
  return folder.write("trace.pcap", file.data());
}

TEST(Reassembly, GivesWhatBothDirectionsCarried) {
  Texts texts;
  Reassembly run(talk_of(3).feed(), {}, {&texts});
  run.wait();
  const std::map<std::uint16_t, std::string> requests = {{1000, "GET "}, {1001, "GET "}, {1002, "GET "}};
  EXPECT_EQ(texts.client, requests);
  ASSERT_EQ(texts.server.size(), 3U);
  EXPECT_EQ(texts.server[1001], "some words some words some words some words ");
  EXPECT_EQ(texts.ends, std::vector<StreamReason>(3, StreamReason::fin));
  EXPECT_EQ(texts.complete, 3U);
  const auto summary = nlohmann::json::parse(run.summary());
  EXPECT_EQ(summary["exit status"], 0);
  EXPECT_EQ(summary["connections"], 3);
  EXPECT_EQ(summary["complete"], 3);
  EXPECT_EQ(summary["totals"]["submitted_bytes"], 3 * (4 + 44));
  EXPECT_TRUE(run.warnings().empty());
  run.wait();  // it stays over
}

// Pieces of blocks.
class Pieces : public StreamConsumer {
 public:
  void take(TcpConnection&, const StreamBlock& block) override {
    for (const SubBlock& sub : block.sub_blocks) most = std::max(most, sub.pieces.size());
  }
  std::size_t most = 0;
};

TEST(Reassembly, WithSpansABlockIsThePiecesThatCame) {
  Texts texts;
  Pieces pieces;
  Reassembly(talk_of(2).feed(), {{"spans", ""}}, {&texts}).wait();
  EXPECT_EQ(texts.server[1001], "some words some words some words some words ");
  Reassembly(talk_of(2).feed(), {{"spans", ""}}, {&pieces}).wait();
  EXPECT_EQ(pieces.most, 4U);
  Pieces whole;
  Reassembly(talk_of(2).feed(), {}, {&whole}).wait();
  EXPECT_EQ(whole.most, 1U);
}

TEST(Reassembly, ReadsCapturesWithOptionsOfTheCommand) {
  const test::ScratchFolder folder;
  const std::string capture = capture_in(folder, talk_of(5, std::string(600, 'x'))), stats = folder.file("stats.json");
  Texts texts;
  const Options options = {{"filter", "port 1003"}, {"block-size", "1K"}, {"stats", stats}, {"progress", ""}};
  Reassembly run({capture}, options, {&texts});
  run.wait();
  EXPECT_EQ(texts.server.size(), 1U);
  EXPECT_EQ(texts.server[1003], std::string(2400, 'x'));
  EXPECT_EQ(test::file_text(stats), run.summary());
  EXPECT_EQ(nlohmann::json::parse(run.summary())["blocks"], 2) << "both were full";
  EXPECT_EQ(run.progress().packets, nlohmann::json::parse(run.summary())["packets_read"]);
  EXPECT_EQ(run.progress().bytes, run.progress().bytes_in_all);
}

// All that a connection has goes to one of them, and all are called.
TEST(Reassembly, ChannelsShareTheConnections) {
  for (const unsigned channels : {2U, 3U, 16U, 64U}) {
    std::vector<Texts> texts(channels);
    Consumers consumers;
    for (Texts& one : texts) consumers.push_back(&one);
    Reassembly run(talk_of(2000).feed(), {{"threads", "4"}}, consumers);
    run.wait();
    std::uint64_t all = 0;
    std::set<std::uint16_t> ports;
    for (const Texts& one : texts) {
      EXPECT_GT(one.connections, 0U);
      EXPECT_EQ(one.complete, one.connections);
      all += one.connections;
      for (const auto& [port, text] : one.server) {
        EXPECT_TRUE(ports.insert(port).second) << "in two channels";
        EXPECT_EQ(text.size(), 44U);
      }
    }
    EXPECT_EQ(all, 2000U);
  }
}

// Whoever is slow is waited for, and frames are not read ahead meanwhile.
TEST(Reassembly, ASlowConsumerIsWaitedFor) {
  struct Slow : Texts {
    void take(TcpConnection& connection, const StreamBlock& block) override {
      if (++taken == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        fed_meanwhile = fed.load();
      }
      Texts::take(connection, block);
    }
    std::atomic<int> fed = 0;
    int taken = 0, fed_meanwhile = 0;
  } slow;
  const test::TcpTalk talk = talk_of(100);
  Reassembly run(
      [&slow, feed = talk.feed(200)](FrameBlock& block) mutable {
        ++slow.fed;
        return feed(block);
      },
      {{"threads", "2"}}, {&slow});
  run.wait();
  EXPECT_LT(slow.fed_meanwhile, 20);
  EXPECT_EQ(slow.connections, 20000U);
  EXPECT_EQ(slow.complete, 20000U);
}

// What a consumer throws ends the run, wherever it throws it; none is called any more.
TEST(Reassembly, WhatAConsumerThrowsEndsTheRun) {
  struct Throws : Texts {
    void opened(TcpConnection& connection) override { thrown_if("opened", connection); }
    void take(TcpConnection& connection, const StreamBlock&) override { thrown_if("take", connection); }
    void ended(TcpConnection& connection, const ConnectionReport&) override { thrown_if("ended", connection); }
    void thrown_if(const std::string& name, const TcpConnection& connection) {
      if (thrown) ++called_after;
      if (name == where && ++count == 3) {
        thrown = true;
        throw std::logic_error("no more paper " + std::to_string(port_number(connection.key.destination_port)));
      }
    }
    std::string where;
    int count = 0, called_after = 0;
    bool thrown = false;
  };
  for (const char* const where : {"opened", "take", "ended"}) {
    Throws throws, other;
    throws.where = where;
    Reassembly run(talk_of(50).feed(-1), {{"threads", "2"}}, {&throws, &other});
    for (int again = 0; again < 2; ++again) {
      try {
        run.wait();
        FAIL() << where;
      } catch (const std::logic_error& error) {
        EXPECT_STREQ(error.what(), "no more paper 80");
      }
    }
    EXPECT_EQ(throws.called_after, 0);
    EXPECT_EQ(nlohmann::json::parse(run.summary())["error"], "no more paper 80");
  }
}

TEST(Reassembly, CanBeDroppedAtAnyTime) {
  Texts texts;
  std::atomic<int> blocks = 0;
  {
    Reassembly run(
        [&blocks, feed = talk_of(100).feed(-1)](FrameBlock& block) mutable {
          ++blocks;
          return feed(block);
        },
        {{"threads", "2"}}, {&texts});
    while (blocks < 20) std::this_thread::yield();  // as few are in flight, some were given
    EXPECT_FALSE(run.ready(std::chrono::milliseconds(1)));
  }
  EXPECT_GT(texts.connections, 0U);
  const std::uint64_t at_end = texts.connections;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(texts.connections, at_end) << "nobody calls it any more";

  Reassembly run(talk_of(100).feed(-1), {}, {&texts});
  run.give_up();
  EXPECT_EQ(test::thrown_text([&run] { run.wait(); }), "nobody takes the streams");
}

// As Ctrl-C does: what was read is given, and all connections end.
TEST(Reassembly, InterruptedGivesWhatWasRead) {
  Texts texts;
  test::TcpTalk talk;
  talk.syn(1000).client(1000, 0, "GET ");
  std::atomic<int> blocks = 0;
  Reassembly run(
      [&blocks, feed = talk.feed(-1)](FrameBlock& block) mutable {
        ++blocks;
        return feed(block);
      },
      {}, {&texts});
  while (blocks < 10) std::this_thread::yield();
  run.interrupt();
  run.wait();
  ASSERT_EQ(texts.ends.size(), texts.connections);
  EXPECT_GE(texts.connections, 9U);
  EXPECT_EQ(texts.ends.front(), StreamReason::reuse);
  EXPECT_EQ(texts.ends.back(), StreamReason::end);
  EXPECT_EQ(texts.client[1000].size(), 4 * texts.connections);
  const auto summary = nlohmann::json::parse(run.summary());
  EXPECT_EQ(summary["exit status"], 130);
}

TEST(Reassembly, RefusesWhatIsWrongAtOnce) {
  Texts texts;
  const auto start = [&texts](const Options& options) { Reassembly run({"x.pcap"}, options, {&texts}); };
  EXPECT_EQ(test::thrown_text([&] {
              start({{"blocksize", "4K"}});
            }).substr(0, 38),
            "reassemble has no option --blocksize: ");
  EXPECT_EQ(test::thrown_text([&] { start({{"block-size", "1M"}}); }), "--block-size 1M: 1K to 256K");
  EXPECT_EQ(test::thrown_text([&] {
              start({{"output", "x.json"}});
            }),
            "streams for a program have no option --output: nothing is written of them");
  EXPECT_EQ(test::thrown_text([&] {
              start({{"unordered", ""}});
            }).substr(0, 47),
            "streams for a program have no option --unordere");
  EXPECT_EQ(test::thrown_text([&] {
              start({{"spans", ""}, {"overlap", "last"}});
            }).substr(0, 36),
            "--spans goes with --overlap first: o");
  EXPECT_EQ(test::thrown_text([&] { start({{"spans", ""}, {"overlap", "first"}}); }), "");
  EXPECT_EQ(test::thrown_text([&] {
              Reassembly run({"x.pcap"}, {}, {&texts, &texts});
            }).substr(0, 30),
            "two channels have one consumer");
  EXPECT_EQ(test::thrown_text([&] { start({{"filter", ""}}); }), "--filter '': there is no value");
  EXPECT_EQ(test::thrown_text([&] { Reassembly run(std::vector<std::string>{}, {}, {&texts}); }),
            "there are no inputs");
  EXPECT_EQ(test::thrown_text([&] { Reassembly run(FrameFeed(), {}, {&texts}); }), "there is no feed of frames");
  EXPECT_EQ(test::thrown_text([&] { Reassembly run({"x.pcap"}, {}, {}); }), "0 channels: 1 to 64 are possible");
  EXPECT_EQ(test::thrown_text([&] { Reassembly run({"x.pcap"}, {}, {&texts, nullptr}); }), "a channel has no consumer");
  Reassembly missing({"/nowhere/x.pcap"}, {}, {&texts});
  EXPECT_EQ(test::thrown_text([&] { missing.wait(); }), "/nowhere/x.pcap: No such file or directory");
  Reassembly filter({"/nowhere/x.pcap"}, {{"filter", "tcp prot 3"}}, {&texts});
  EXPECT_THROW(filter.wait(), Error);
  EXPECT_EQ(texts.connections, 0U);
}

TEST(Reassembly, NoSummaryTakesThePlaceOfWhatTheProgramReads) {
  const test::ScratchFolder folder;
  const std::string capture = capture_in(folder, talk_of(2)), before = test::file_text(capture);
  Texts texts;
  Reassembly run(talk_of(1).feed(), {{"stats", capture}, {"also-read", capture}}, {&texts});
  EXPECT_NE(test::thrown_text([&] { run.wait(); }), "");
  EXPECT_EQ(test::file_text(capture), before);
}

TEST(Reassembly, WarnsOfDamage) {
  const test::ScratchFolder folder;
  const std::string capture = capture_in(folder, talk_of(2));
  std::filesystem::resize_file(capture, std::filesystem::file_size(capture) - 10);
  Texts texts;
  Reassembly run({capture}, {}, {&texts});
  run.wait();
  EXPECT_EQ(texts.connections, 2U);
  ASSERT_EQ(run.warnings().size(), 1U);
  EXPECT_EQ(run.warnings().front().rfind(capture + ": damaged at byte ", 0), 0U) << run.warnings().front();
}

// Blocks of many more frames than the run takes at once.
TEST(Reassembly, TakesLargeBlocksOfFrames) {
  const test::TcpTalk talk = talk_of(5000);
  ASSERT_GT(talk.packets().size(), 30000U);
  Texts texts;
  Reassembly run(talk.feed(), {{"threads", "3"}}, {&texts});
  run.wait();
  EXPECT_EQ(texts.complete, 5000U);
}

}  // namespace
}  // namespace warpmeter
