// IPFIX over TCP to collectors that read, read slowly, or are not there.
#include "record/collector/ipfix_sinks.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "record/collector/loopback.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using std::chrono::milliseconds;
using test::counted_to;
using test::kTemplateSet;
using test::message_of_options;
using test::numbered_message;
using test::numbers_of;
using test::Received;
using test::sequence_is_right;
using test::TcpPeer;
using test::TcpServer;
using test::two_templates;

// All that comes until the end; then it closes its side, as collectors do.
std::future<std::vector<Received>> all_received(TcpPeer& collector) {
  return std::async(std::launch::async, [&] {
    TcpPeer mine = std::move(collector);
    return mine.receive();
  });
}

// All that comes over the next connection until its end.
std::future<std::vector<Received>> all_received(TcpServer& server) {
  return std::async(std::launch::async, [&] { return server.accept().receive(); });
}

TEST(TcpSink, SendsTemplatesFirstThenAllInOrder) {
  TcpServer server;
  server.start();
  TcpSink sink(server.options());
  auto received = all_received(server);
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < 1000; ++i) sink.send(numbered_message(i, i % 5, i * 7 % 3000));
  sink.end();
  const auto messages = received.get();
  ASSERT_EQ(messages.size(), 1002u);
  EXPECT_EQ(messages[0].set, kTemplateSet);
  EXPECT_EQ(messages[1].set, kTemplateSet);
  EXPECT_EQ(numbers_of(messages), counted_to(1000));
  EXPECT_TRUE(sequence_is_right(messages));
  const ExportReport report = sink.report();
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.counters.messages, 1002u);
  EXPECT_EQ(report.counters.template_messages, 2u);
  EXPECT_EQ(report.counters.records, 2000u);
  EXPECT_EQ(report.counters.lost_records, 0u);
  EXPECT_EQ(report.counters.repeated_records, 0u);
}

// Sequence Numbers have all Data Records. It breaks, so that all are lost: what its host took before, and the rest.
TEST(TcpSink, ReportsFlowRecordsAlone) {
  TcpServer server;
  server.start();
  CollectorOptions options = server.options();
  options.timeout = milliseconds(500);
  TcpSink sink(options);
  {
    TcpPeer collector = server.accept();
    sink.begin(two_templates());
    sink.send(numbered_message(0, 7));
    std::this_thread::sleep_for(milliseconds(300));  // the host acknowledges, and that is noticed
    sink.send(message_of_options(1, 5));
    sink.send(numbered_message(2, 2));
    EXPECT_EQ(sink.state().counters.records, 9u);
  }
  server.stop();
  sink.end();
  const ExportReport report = sink.report();
  EXPECT_EQ(report.counters.records, 9u);
  EXPECT_EQ(report.counters.lost_records, 9u) << report.problem;
}

TEST(TcpSink, WithoutRecordsSendsTemplates) {
  TcpServer server;
  server.start();
  TcpSink sink(server.options());
  auto received = all_received(server);
  sink.begin(two_templates());
  sink.end();
  EXPECT_EQ(received.get().size(), 2u);
}

// Buffers of a message each, on both sides.
TEST(TcpSink, WaitsForASlowReader) {
  TcpServer server;
  server.start(1);
  CollectorOptions options = server.options();
  options.buffer = 1;
  TcpSink sink(options);
  auto received = all_received(server);
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < 20'000; ++i) sink.send(numbered_message(i, 1, 200));
  sink.end();
  const auto messages = received.get();
  EXPECT_EQ(numbers_of(messages), counted_to(20'000));
  EXPECT_TRUE(sequence_is_right(messages));
  EXPECT_EQ(sink.report().problem, "");
}

TEST(TcpSink, FullQueueMakesSendWait) {
  TcpServer server;
  server.start(20'000);
  CollectorOptions options = server.options();
  options.buffer = 100'000;
  TcpSink sink(options);
  TcpPeer collector = server.accept();
  sink.begin({});
  std::atomic<std::uint32_t> sent = 0;
  auto sender = std::async(std::launch::async, [&] {
    for (; sent < 300; ++sent) sink.send(numbered_message(sent, 1, 50'000));
  });
  EXPECT_EQ(sender.wait_for(milliseconds(300)), std::future_status::timeout);
  EXPECT_LT(sent, 300u);
  // Where the machine is busy, the sender has not come so far yet: what is asked for is one state in which the queue
  // holds messages and one more is counted, and waits for room.
  std::uint32_t queued = 0;
  ExportState full;
  for (int tries = 0; tries < 200; ++tries) {
    queued = sent;
    full = sink.state();
    if (full.queued_bytes > 0 && full.counters.records == queued + 1) break;
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_TRUE(full.connected);
  EXPECT_GT(full.queued_bytes, 0u);
  EXPECT_LE(full.queued_bytes, options.buffer);
  EXPECT_EQ(full.counters.records, queued + 1);
  auto received = all_received(collector);
  sender.get();
  sink.end();
  EXPECT_EQ(numbers_of(received.get()), counted_to(300));
  EXPECT_EQ(sink.state().queued_bytes, 0u);
}

TEST(TcpSink, SpeaksIpv6) {
  if (!test::have_ipv6()) GTEST_SKIP() << "a machine whose loopback interface has ::1 runs this";
  TcpServer server(AF_INET6);
  server.start();
  TcpSink sink(server.options());
  auto received = all_received(server);
  sink.begin({});
  sink.send(numbered_message(0));
  sink.end();
  EXPECT_EQ(received.get().size(), 1u);
}

TEST(TcpSink, CollectorDownAtStartIsAnError) {
  const TcpServer server;
  EXPECT_EQ(test::thrown_text([&] { TcpSink sink(server.options()); }),
            server.options().address.name() + ": cannot connect: Connection refused");
}

TEST(TcpSink, TriesAllAddresses) {
  TcpServer up;
  const TcpServer down;
  up.start();
  std::string why;
  const auto address_of = [](const TcpServer& server) { return resolve(server.options().address).front(); };
  EXPECT_TRUE(connect_tcp({address_of(down), address_of(up)}, {}, why));
  EXPECT_FALSE(connect_tcp({address_of(down), address_of(down)}, {}, why));
  EXPECT_EQ(why, "Connection refused");
}

// Some collectors and tools end their side at once, for they have nothing to say.
TEST(TcpSink, CollectorMayCloseItsSide) {
  TcpServer server;
  server.start();
  TcpSink sink(server.options());
  TcpPeer collector = server.accept();
  collector.say_nothing_more();
  auto received = all_received(collector);
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < 100; ++i) sink.send(numbered_message(i));
  sink.end();
  EXPECT_EQ(numbers_of(received.get()), counted_to(100));
  EXPECT_EQ(sink.report().counters.reconnects, 0u);
}

TEST(TcpSink, WhatTheCollectorSaysIsIgnored) {
  TcpServer server;
  server.start();
  TcpSink sink(server.options());
  TcpPeer collector = server.accept();
  collector.say("hello");
  auto received = all_received(collector);
  sink.begin({});
  sink.send(numbered_message(0));
  sink.end();
  EXPECT_EQ(received.get().size(), 1u);
  EXPECT_EQ(sink.report().problem, "");
}

TEST(TcpSink, WithoutEndDoesNotWait) {
  TcpServer server;
  server.start(1);
  const auto start = std::chrono::steady_clock::now();
  {
    TcpSink sink(server.options());
    sink.begin(two_templates());
    for (std::uint32_t i = 0; i < 500; ++i) sink.send(numbered_message(i, 1, 50'000));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  { const TcpSink sink(server.options()); }  // nor without begin()
}

}  // namespace
}  // namespace warpmeter
