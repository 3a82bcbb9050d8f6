// IPFIX over UDP as a collector on the loopback interface sees it.
#include "record/collector/ipfix_sinks.h"

#include <gtest/gtest.h>

#include "record/collector/loopback.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::kDataSet;
using test::kTemplateSet;
using test::message_of_options;
using test::numbered_message;
using test::Port;
using test::Received;
using test::sequence_is_right;
using test::thrown_text;
using test::two_templates;
using test::UdpReceiver;

TEST(UdpSink, SendsTemplatesFirstAndNumbersRecords) {
  UdpReceiver collector;
  UdpSink sink(collector.options());
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < 10; ++i) sink.send(numbered_message(i, i));
  sink.end();
  const auto received = collector.receive(12);
  EXPECT_EQ(received[0].number, 1000u);
  EXPECT_EQ(received[1].number, 1001u);
  EXPECT_EQ(received[2].sequence, 3u);  // type information is made of Data Records
  EXPECT_EQ(received[11].sequence, 3u + 36);
  EXPECT_TRUE(sequence_is_right(received));
  EXPECT_TRUE(collector.silent());
}

// Sequence Numbers have all Data Records.
TEST(UdpSink, ReportsFlowRecordsAlone) {
  UdpReceiver collector;
  UdpSink sink(collector.options());
  sink.begin(two_templates());
  sink.send(numbered_message(0, 7));
  sink.send(message_of_options(1, 5));
  sink.send(numbered_message(2, 2));
  sink.end();
  EXPECT_TRUE(sequence_is_right(collector.receive(5)));
  EXPECT_EQ(sink.report().counters.records, 9u);
  EXPECT_EQ(sink.state().counters.records, 9u);
}

TEST(UdpSink, CountsEachObservationDomainForItself) {
  UdpReceiver collector;
  UdpSink sink(collector.options());
  sink.begin({});
  for (std::uint32_t i = 0; i < 9; ++i) sink.send(numbered_message(i, i + 1, 0, kDataSet, i % 3));
  sink.end();
  const auto received = collector.receive(9);
  EXPECT_TRUE(sequence_is_right(received));
  EXPECT_EQ(received[8].sequence, 3u + 6);
}

TEST(UdpSink, SequenceNumbersGoRoundAt32Bits) {
  UdpReceiver collector;
  UdpSink sink(collector.options());
  sink.begin({});
  for (std::uint32_t i = 0; i < 3; ++i) sink.send(numbered_message(i, 0x7fff'ffff));
  sink.send(numbered_message(3, 5));
  sink.end();
  EXPECT_EQ(collector.receive(4).back().sequence, 0x7fff'fffdu);
}

TEST(UdpSink, ExportTimeIsNow) {
  UdpReceiver collector;
  UdpSink sink(collector.options());
  const auto before = static_cast<std::uint32_t>(time(nullptr));
  sink.begin(two_templates());
  const auto after = static_cast<std::uint32_t>(time(nullptr));
  for (const Received& message : collector.receive(2)) {
    EXPECT_GE(message.export_time, before);
    EXPECT_LE(message.export_time, after);
  }
}

TEST(UdpSink, RepeatsTemplatesAfterSoManyMessages) {
  UdpReceiver collector;
  CollectorOptions options = collector.options();
  options.template_refresh_messages = 4;
  UdpSink sink(options);
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < 9; ++i) sink.send(numbered_message(i));
  sink.end();
  const auto received = collector.receive(3 * 2 + 9);
  std::string order;
  for (const Received& message : received) order += message.set == kTemplateSet ? 'T' : 'd';
  EXPECT_EQ(order, "TTddddTTddddTTd");
  EXPECT_TRUE(sequence_is_right(received));
  EXPECT_EQ(sink.report().counters.template_messages, 6u);
}

TEST(UdpSink, RepeatsTemplatesAfterATime) {
  UdpReceiver collector;
  CollectorOptions options = collector.options();
  options.template_refresh = std::chrono::milliseconds(0);
  UdpSink sink(options);
  sink.begin({numbered_message(7, 0, 0, kTemplateSet)});
  sink.send(numbered_message(0));
  EXPECT_EQ(collector.receive(3)[1].set, kTemplateSet);
}

TEST(UdpSink, CountsWhatItSends) {
  UdpReceiver collector;
  UdpSink sink(collector.options());
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < 5; ++i) sink.send(numbered_message(i, 2));
  sink.end();
  const ExportReport report = sink.report();
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.counters.records, 10u);
  EXPECT_EQ(report.counters.messages, 7u);
  EXPECT_EQ(report.counters.template_messages, 2u);
  EXPECT_EQ(report.counters.bytes, 7 * numbered_message(0).bytes.size());
  EXPECT_EQ(report.counters.refused_messages, 0u);
  EXPECT_EQ(report.counters.lost_records, 0u);
}

TEST(UdpSink, MessagesFitThePacket) {
  UdpReceiver collector;
  CollectorOptions options = collector.options();
  EXPECT_EQ(UdpSink(options).largest_message(), 1472u);
  options.mtu = 512;
  UdpSink sink(options);
  ASSERT_EQ(sink.largest_message(), 484u);
  sink.begin({});
  sink.send(numbered_message(1, 1, 484 - 28));
  EXPECT_EQ(collector.receive_bytes().size(), 484u);
  options.mtu = 511;
  EXPECT_EQ(thrown_text([&] { UdpSink too_small(options); }),
            options.address.name() + ": an MTU of 511 bytes: 512 to 65535");
}

TEST(UdpSink, SpeaksIpv6) {
  if (!test::have_ipv6()) GTEST_SKIP() << "a machine whose loopback interface has ::1 runs this";
  UdpReceiver collector(AF_INET6);
  UdpSink sink(collector.options());
  EXPECT_EQ(sink.largest_message(), 1452u);
  sink.begin(two_templates());
  sink.send(numbered_message(5));
  sink.end();
  EXPECT_EQ(collector.receive(3).back().number, 5u);
  EXPECT_EQ(sink.report().problem, "");
}

TEST(UdpSink, ClosedPortIsCountedAndNoReasonToStop) {
  CollectorOptions options;
  options.records_per_second = 0;
  {
    const Port port(SOCK_DGRAM);
    options.address = port.options().address;
  }
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& text) { warnings.push_back(text); };
  UdpSink sink(options);
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < 98; ++i) sink.send(numbered_message(i));
  sink.end();
  const ExportReport report = sink.report();
  EXPECT_EQ(report.counters.messages, 100u);
  EXPECT_GT(report.counters.refused_messages, 0u);
  EXPECT_NE(report.problem.find("messages were refused"), std::string::npos) << report.problem;
  EXPECT_TRUE(warnings.empty()) << warnings[0];  // the report tells it
}

TEST(UdpSink, WhoSendsForLongIsWarnedOnce) {
  CollectorOptions options;
  options.records_per_second = 100;
  {
    const Port port(SOCK_DGRAM);
    options.address = port.options().address;
  }
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& text) { warnings.push_back(text); };
  UdpSink sink(options);
  sink.begin(two_templates());
  for (std::uint32_t i = 0; i < 140; ++i) sink.send(numbered_message(i));
  sink.end();
  EXPECT_EQ(warnings, std::vector{options.address.name() + ": nobody listens; going on"});
}

TEST(UdpSink, OneLateRefusalIsNoticedAtTheEnd) {
  CollectorOptions options;
  {
    const Port port(SOCK_DGRAM);
    options.address = port.options().address;
  }
  UdpSink sink(options);
  sink.begin({});
  sink.send(numbered_message(1));
  sink.end();
  EXPECT_EQ(sink.report().problem, options.address.name() + ": nobody listens: all 1 messages were refused");
}

TEST(UdpSink, CollectorThatGoesAwayIsNoticed) {
  auto collector = std::make_unique<UdpReceiver>();
  UdpSink sink(collector->options());
  sink.begin(two_templates());
  EXPECT_EQ(collector->receive(2).size(), 2u);
  collector.reset();
  sink.send(numbered_message(1));
  sink.end();
  EXPECT_TRUE(sink.report().problem.ends_with(": nobody listened at times: at least 1 of 3 messages were refused"))
      << sink.report().problem;
}

TEST(UdpSink, MessageThatCannotLeaveIsLost) {
  UdpReceiver collector;
  UdpSink sink(collector.options());
  sink.begin(two_templates());
  sink.send({std::vector<std::uint8_t>(65'535), 8});  // no datagram is as large
  sink.send(numbered_message(1, 2));
  sink.end();
  const ExportReport report = sink.report();
  EXPECT_EQ(report.counters.lost_records, 8u);
  EXPECT_EQ(report.counters.records, 10u);
  EXPECT_TRUE(report.problem.ends_with("1 of 4 messages could not be sent")) << report.problem;
  EXPECT_EQ(collector.receive(3).back().number, 1u);
}

TEST(UdpSink, WhatAnInterruptedUserDoesNotWaitForIsLost) {
  UdpReceiver collector;
  CollectorOptions options = collector.options();
  options.records_per_second = 1;
  options.interrupted = [] { return true; };
  UdpSink sink(options);
  sink.begin({});
  for (std::uint32_t i = 0; i < 4; ++i) sink.send(numbered_message(i, 600));
  sink.end();
  const ExportReport report = sink.report();
  EXPECT_EQ(collector.receive(1).back().number, 0u);
  EXPECT_TRUE(collector.silent());
  EXPECT_EQ(report.counters.records, 2400u);
  EXPECT_EQ(report.counters.lost_records, 1800u);
  EXPECT_EQ(report.counters.messages, 1u);
  EXPECT_EQ(report.problem, options.address.name() + ": is not waited for any longer: 1800 of 2400 records were lost");
}

TEST(UdpSink, MovesOnFromAnAddressThatRefusesTheTemplates) {
  UdpReceiver collector;
  std::vector<SocketAddress> addresses(2);
  {
    const Port closed(SOCK_DGRAM);
    addresses[0] = closed.address();
  }
  addresses[1] = collector.address();
  UdpSink sink(collector.options(), addresses);
  sink.begin(two_templates());
  sink.send(numbered_message(1));
  sink.end();
  const auto received = collector.receive(3);
  EXPECT_TRUE(sequence_is_right(received));
  EXPECT_EQ(sink.report().problem, "");
  EXPECT_EQ(sink.report().counters.messages, 3u);
  EXPECT_EQ(sink.report().counters.template_messages, 2u);
}

TEST(UdpSink, StaysWithAnAddressThatAnswers) {
  UdpReceiver collector, other;
  UdpSink sink(collector.options(), {collector.address(), other.address()});
  sink.begin(two_templates());
  sink.end();
  EXPECT_EQ(collector.receive(2).size(), 2u);
  EXPECT_TRUE(other.silent());
}

TEST(UdpSink, UnknownHostIsAnError) {
  CollectorOptions options;
  options.address = {TransportProtocol::udp, "no.such.host.invalid", 4739};
  EXPECT_TRUE(thrown_text([&] {
                UdpSink sink(options);
              }).starts_with("collector udp://no.such.host.invalid:4739: host not found: "));
}

}  // namespace
}  // namespace warpmeter
