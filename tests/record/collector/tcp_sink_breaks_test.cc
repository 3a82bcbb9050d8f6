// IPFIX over TCP when connections break: what the collector's host had not acknowledged comes again, and what is lost
// is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "record/collector/ipfix_sinks.h"
#include "record/collector/loopback.h"

namespace warpmeter {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using test::counted_to;
using test::impatient;
using test::kSoon;
using test::kTemplateSet;
using test::numbered_message;
using test::numbers_of;
using test::Received;
using test::sequence_is_right;
using test::TcpPeer;
using test::TcpServer;
using test::two_templates;

std::vector<std::uint32_t> sorted_without_repeats(std::vector<std::uint32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void append(std::vector<std::uint32_t>& to, const std::vector<Received>& messages) {
  const auto numbers = numbers_of(messages);
  to.insert(to.end(), numbers.begin(), numbers.end());
}

// All had been read when the connection was closed, so that nothing comes twice.
TEST(TcpSinkBreaks, NewSessionBeginsWithTemplatesAndCountsFromZero) {
  TcpServer server;
  server.start();
  TcpSink sink(server.options());
  sink.begin(two_templates());
  std::uint32_t next = 0;
  for (int connection = 0; connection < 4; ++connection) {
    TcpPeer collector = server.accept();
    const std::uint32_t end = next + 50;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = next; i < end; ++i) expected.push_back(i);
    for (; next < end; ++next) sink.send(numbered_message(next, 2));
    const auto messages = collector.receive(52);
    ASSERT_EQ(messages.size(), 52u);
    EXPECT_EQ(messages[0].set, kTemplateSet);
    EXPECT_EQ(messages[1].set, kTemplateSet);
    EXPECT_EQ(numbers_of(messages), expected);
    EXPECT_TRUE(sequence_is_right(messages));
    if (connection < 3) collector.reset();
  }
  sink.end();
  const ExportReport report = sink.report();
  EXPECT_EQ(report.counters.reconnects, 3u);
  EXPECT_EQ(report.counters.lost_records, 0u);
  EXPECT_EQ(report.problem, "");
}

// The collector crashes again and again with its buffer full. What its host had acknowledged by then can be seen; all
// else has to come over the next connection.
TEST(TcpSinkBreaks, NothingIsLostThatWasNotAcknowledged) {
  constexpr std::uint32_t kMessages = 3000;
  TcpServer server;
  server.start(20'000);
  CollectorOptions options = server.options();
  options.buffer = 50'000;
  TcpSink sink(options);
  sink.begin(two_templates());
  auto sender = std::async(std::launch::async, [&] {
    for (std::uint32_t i = 0; i < kMessages; ++i) sink.send(numbered_message(i, 3, 5000 + i % 7 * 100));
    sink.end();
  });
  std::vector<std::uint32_t> got;
  for (int crash = 0; crash < 5; ++crash) {
    TcpPeer collector = server.accept();
    const auto messages = collector.receive(100 + crash);
    EXPECT_EQ(messages.front().set, kTemplateSet);
    EXPECT_TRUE(sequence_is_right(messages));
    append(got, messages);
    append(got, collector.unread());
    collector.reset();
  }
  append(got, server.accept().receive());
  sender.get();
  EXPECT_EQ(sorted_without_repeats(got), counted_to(kMessages));
  const ExportReport report = sink.report();
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.counters.reconnects, 5u);
  EXPECT_GT(report.counters.repeated_records, 0u);
}

// Down for a while, with room in the queue.
TEST(TcpSinkBreaks, RecordsWaitForTheCollectorToComeBack) {
  TcpServer server;
  server.start();
  CollectorOptions options = server.options();
  std::promise<void> lost;
  options.warn = [&, said = false](const std::string& text) mutable {
    if (!said && text.find("connection lost") != text.npos) lost.set_value();
    said = true;
  };
  TcpSink sink(options);
  sink.begin(two_templates());
  TcpPeer first = server.accept();
  EXPECT_EQ(first.receive(2).size(), 2u);
  server.stop();
  first.reset();
  lost.get_future().get();
  for (std::uint32_t i = 0; i < 1000; ++i) sink.send(numbered_message(i, 1, 1000));
  server.start();
  auto received = std::async(std::launch::async, [&] { return server.accept().receive(); });
  sink.end();
  EXPECT_EQ(numbers_of(received.get()), counted_to(1000));
  EXPECT_EQ(sink.report().problem, "");
}

// The first ten were acknowledged; nothing says any more that they were read.
TEST(TcpSinkBreaks, CollectorThatStaysAwayIsGivenUpAndLossCounted) {
  TcpServer server;
  server.start();
  CollectorOptions options = impatient(server);
  options.buffer = 10'000;
  TcpSink sink(options);
  sink.begin(two_templates());
  TcpPeer collector = server.accept();
  for (std::uint32_t i = 0; i < 10; ++i) sink.send(numbered_message(i, 2));
  EXPECT_EQ(collector.receive(12).size(), 12u);
  server.stop();
  collector.reset();
  const auto start = Clock::now();
  for (std::uint32_t i = 10; i < 5000; ++i) sink.send(numbered_message(i, 2, 1000));  // waits once
  sink.end();
  EXPECT_LT(Clock::now() - start, kSoon);
  const ExportReport report = sink.report();
  EXPECT_EQ(report.counters.records, 10'000u);
  EXPECT_EQ(report.counters.lost_records, 10'000u);
  EXPECT_EQ(report.counters.unconfirmed_records, 20u);
  EXPECT_EQ(report.problem, options.address.name() +
                                ": connection lost, and not to be had again: Connection refused: 10000 of 10000 "
                                "records were lost (20 of them its host took; whether it read them is not known)");
}

TEST(TcpSinkBreaks, CollectorThatComesBackLateGetsWhatComesThen) {
  TcpServer server;
  server.start();
  CollectorOptions options = impatient(server);
  std::vector<std::string> said;  // by the thread that sends
  options.warn = [&](const std::string& text) { said.push_back(text); };
  TcpSink sink(options);
  sink.begin(two_templates());
  TcpPeer collector = server.accept();
  EXPECT_EQ(collector.receive(2).size(), 2u);
  server.stop();
  collector.reset();
  std::uint32_t sent = 0;
  const auto send_until = [&](const auto& happened) {
    for (const auto deadline = Clock::now() + test::kDeadline; !happened() && Clock::now() < deadline;) {
      sink.send(numbered_message(sent++));
      std::this_thread::sleep_for(milliseconds(1));
    }
  };
  send_until([&] { return sink.state().counters.lost_records > 0; });
  server.start();
  auto received = std::async(std::launch::async, [&] { return server.accept().receive(); });
  send_until([&] { return sink.state().counters.reconnects > 0; });
  for (int i = 0; i < 10; ++i) sink.send(numbered_message(sent++));
  sink.end();
  const auto numbers = numbers_of(received.get());
  const ExportReport report = sink.report();
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(numbers.back(), sent - 1);
  EXPECT_GT(report.counters.lost_records, 0u);
  EXPECT_EQ(report.counters.lost_records + numbers.size(), sent);
  EXPECT_EQ(report.counters.reconnects, 1u);
  EXPECT_NE(report.problem, "");
  const std::string name = options.address.name();  // a line for what happened, and one for its end
  ASSERT_EQ(said.size(), 2u);
  EXPECT_TRUE(said[0].starts_with(name + ": connection lost: ")) << said[0];
  EXPECT_TRUE(said[0].ends_with("; records are lost unless it is back within 300 ms")) << said[0];
  EXPECT_EQ(said[1], name + ": connected again");
}

TEST(TcpSinkBreaks, InterruptedOnesDoNotWaitForADeadCollector) {
  TcpServer server;
  server.start();
  std::atomic<bool> interrupted = false;
  CollectorOptions options = server.options();
  options.interrupted = [&] { return interrupted.load(); };
  options.buffer = 1000;
  TcpSink sink(options);
  sink.begin(two_templates());
  TcpPeer collector = server.accept();
  EXPECT_EQ(collector.receive(2).size(), 2u);
  server.stop();
  collector.reset();
  interrupted = true;
  const auto start = Clock::now();
  for (std::uint32_t i = 0; i < 100; ++i) sink.send(numbered_message(i, 1, 1000));
  sink.end();
  EXPECT_LT(Clock::now() - start, kSoon);
  EXPECT_EQ(sink.report().counters.lost_records, 100u);
}

// Whoever wants to finish still has all records arrive where the collector reads.
TEST(TcpSinkBreaks, InterruptedOnesFinishWithACollectorThatReads) {
  TcpServer server;
  server.start();
  CollectorOptions options = server.options();
  options.interrupted = [] { return true; };
  TcpSink sink(options);
  TcpPeer collector = server.accept();
  auto received = std::async(std::launch::async, [&] {
    TcpPeer mine = std::move(collector);
    return mine.receive();
  });
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < 5000; ++i) sink.send(numbered_message(i, 1, 1000));
  sink.end();
  EXPECT_EQ(numbers_of(received.get()), counted_to(5000));
  EXPECT_EQ(sink.report().problem, "");
}

// Whoever closes a connection with something unread resets it. Nothing waits, so nobody is waited for.
TEST(TcpSinkBreaks, ResetBehindTheLastRecordLeavesItInDoubt) {
  for (const int pause : {0, 250}) {  // noticed at the end, or before
    TcpServer server;
    server.start();
    TcpSink sink(server.options());
    sink.begin(two_templates());
    TcpPeer collector = server.accept();
    sink.send(numbered_message(0, 7));
    EXPECT_EQ(collector.receive(3).size(), 3u);
    server.stop();
    collector.reset();
    std::this_thread::sleep_for(milliseconds(pause));
    const auto start = Clock::now();
    sink.end();
    EXPECT_LT(Clock::now() - start, kSoon);
    EXPECT_EQ(sink.report().counters.lost_records, 7u);
    EXPECT_EQ(sink.report().counters.unconfirmed_records, 7u);
    EXPECT_NE(sink.report().problem, "");
  }
}

// It had read all, and what its host says to the end of the stream does not matter.
TEST(TcpSinkBreaks, CollectorThatClosedAfterTheLastRecordHasReadIt) {
  for (const int pause : {0, 250}) {
    TcpServer server;
    server.start();
    TcpSink sink(server.options());
    sink.begin(two_templates());
    sink.send(numbered_message(0));
    EXPECT_EQ(server.accept().receive(3).size(), 3u);
    server.stop();
    std::this_thread::sleep_for(milliseconds(pause));
    sink.end();
    EXPECT_EQ(sink.report().problem, "");
  }
}

}  // namespace
}  // namespace warpmeter
