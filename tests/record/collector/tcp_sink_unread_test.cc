// IPFIX over TCP to collectors whose host takes what they do not read, or that read slowly: what a kernel's buffer took
// is not delivered.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "record/collector/ipfix_sinks.h"
#include "record/collector/loopback.h"

namespace warpmeter {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using test::impatient;
using test::kSoon;
using test::numbered_message;
using test::TcpPeer;
using test::TcpServer;
using test::two_templates;

void send_all(TcpSink& sink, std::uint32_t count, std::size_t filling, std::uint32_t records = 1) {
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < count; ++i) sink.send(numbered_message(i, records, filling));
  sink.end();
}

TEST(TcpSinkUnread, FewRecordsThatNobodyReadsAreLost) {
  for (const bool accepts : {true, false}) {
    for (const int buffer : {1, 0, 8 << 20}) {
      TcpServer server;
      server.start(buffer);
      TcpSink sink(impatient(server));
      std::optional<TcpPeer> collector;
      if (accepts) collector.emplace(server.accept());
      const auto start = Clock::now();
      send_all(sink, 2, 100, 5);
      EXPECT_GE(Clock::now() - start, milliseconds(300));
      EXPECT_LT(Clock::now() - start, kSoon);
      const ExportReport report = sink.report();
      EXPECT_EQ(report.counters.lost_records, 10u);
      EXPECT_EQ(report.counters.unconfirmed_records, 10u);
      EXPECT_NE(report.problem.find("did not close its side"), report.problem.npos) << report.problem;
    }
  }
}

// Its host answers every new connection and takes a buffer of records each time. All are lost, and the time that is
// spent on it does not grow with what there is to send.
TEST(TcpSinkUnread, ManyRecordsThatNobodyReadsAreLost) {
  for (const std::size_t wait_in_queue : {100'000, 64 << 20}) {
    TcpServer server;
    server.start();
    CollectorOptions options = impatient(server, 1000);
    options.buffer = wait_in_queue;
    std::atomic<int> given_up = 0;
    options.warn = [&](const std::string& text) { given_up += text.ends_with("until it answers"); };
    TcpSink sink(options);
    const auto start = Clock::now();
    send_all(sink, 1000, 50'000);
    EXPECT_LT(Clock::now() - start, kSoon);
    EXPECT_LE(given_up, 1);
    const ExportReport report = sink.report();
    EXPECT_EQ(report.counters.lost_records, 1000u);
    EXPECT_GT(report.counters.unconfirmed_records, 0u);
    EXPECT_EQ(report.counters.reconnects, 0u);
    EXPECT_NE(report.problem.find("took less than 4096 bytes a second for 1 s: 1000 of 1000 records were lost"),
              report.problem.npos)
        << report.problem;
  }
}

TEST(TcpSinkUnread, WhatLiesUnreadAtTheEndIsLost) {
  TcpServer server;
  server.start(1);
  TcpSink sink(impatient(server));
  TcpPeer collector = server.accept();
  send_all(sink, 20, 50'000);
  EXPECT_LT(collector.unread().size(), 20u);
  EXPECT_EQ(sink.report().counters.lost_records, 20u);
}

// What it read for sure is not lost. At most a few MB are counted that it did read.
TEST(TcpSinkUnread, CollectorThatStopsReadingHasWhatItRead) {
  TcpServer server;
  server.start(1 << 20);
  TcpSink sink(impatient(server, 2000));
  TcpPeer collector = server.accept();
  auto received = std::async(std::launch::async, [&] { return collector.receive(1002).size() - 2; });
  send_all(sink, 2000, 50'000);
  const std::size_t read = received.get();
  EXPECT_GE(read, 1000u);
  EXPECT_GE(sink.report().counters.lost_records, 2000 - read);
  EXPECT_LT(sink.report().counters.lost_records, 2100 - read);
}

// Less than a message in a second, but always something.
TEST(TcpSinkUnread, FewBytesNowAndThenAreNoProgress) {
  TcpServer server;
  server.start(1);
  TcpSink sink(impatient(server, 1500));
  TcpPeer collector = server.accept();
  std::atomic<bool> ended = false;
  auto received = std::async(std::launch::async, [&] {
    for (; !ended; std::this_thread::sleep_for(milliseconds(500))) collector.read_bytes(600);
  });
  const auto start = Clock::now();
  send_all(sink, 100, 1000);
  EXPECT_LT(Clock::now() - start, kSoon);
  ended = true;
  EXPECT_GT(sink.report().counters.lost_records, 50u);
}

TEST(TcpSinkUnread, SlowReaderGetsAll) {
  TcpServer server;
  server.start(1);
  TcpSink sink(impatient(server, 2000));
  TcpPeer collector = server.accept();
  std::size_t read = 0;
  auto received = std::async(std::launch::async, [&] {
    TcpPeer mine = std::move(collector);
    while (const std::size_t more = mine.read_bytes(2000)) {
      read += more;
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  send_all(sink, 200, 1000);
  received.get();
  EXPECT_GT(read, 200'000u);
  EXPECT_EQ(sink.report().problem, "");
}

// Its host has all of it long before the collector, which takes longer than the timeout to read it. That its window
// opens, by large parts of its buffer at a time, shows that it reads.
TEST(TcpSinkUnread, SlowReaderOfWhatItsHostHasGetsAll) {
  TcpServer server;
  server.start(1 << 20);
  TcpSink sink(impatient(server, 4500));
  TcpPeer collector = server.accept();
  std::size_t read = 0;
  auto received = std::async(std::launch::async, [&] {
    TcpPeer mine = std::move(collector);
    while (const std::size_t more = mine.read_bytes(20'000)) {
      read += more;
      std::this_thread::sleep_for(milliseconds(150));
    }
  });
  const auto start = Clock::now();
  send_all(sink, 20, 50'000);
  EXPECT_GT(Clock::now() - start, milliseconds(6000));
  received.get();
  EXPECT_GT(read, 1'000'000u);
  EXPECT_EQ(sink.report().problem, "");
}

TEST(TcpSinkUnread, CollectorThatClosesWithoutReadingHasNothing) {
  TcpServer server;
  server.start();
  TcpSink sink(impatient(server));
  auto received = std::async(std::launch::async, [&] {
    TcpPeer collector = server.accept();
    EXPECT_GE(collector.unread().size(), 2u);
  });
  send_all(sink, 2, 100, 5);
  received.get();
  EXPECT_EQ(sink.report().counters.lost_records, 10u);
  EXPECT_NE(sink.report().problem, "");
}

TEST(TcpSinkUnread, InterruptedOnesDoNotWaitForTheEndToBeRead) {
  TcpServer server;
  server.start();
  std::atomic<bool> interrupted = false;
  CollectorOptions options = server.options();
  options.interrupted = [&] { return interrupted.load(); };
  TcpSink sink(options);
  auto user = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(milliseconds(500));
    interrupted = true;
  });
  const auto start = Clock::now();
  send_all(sink, 10, 1000);
  EXPECT_LT(Clock::now() - start, kSoon);
  EXPECT_EQ(sink.report().counters.lost_records, 10u);
}

TEST(TcpSinkUnread, WithoutRecordsNobodyIsWaitedFor) {
  TcpServer server;
  server.start();
  TcpSink sink(server.options());
  const auto start = Clock::now();
  send_all(sink, 0, 0);
  EXPECT_LT(Clock::now() - start, kSoon);
  EXPECT_EQ(sink.report().problem, "");
}

}  // namespace
}  // namespace warpmeter
