// Which fields a Flow Record gets, by layout, profile and what applies to it.
#include "record/ipfix/record_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "record/ipfix/info_model.h"
#include "support/extra_columns.h"
#include "support/ipfix_records.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

std::vector<std::string> names(const Fields& fields) {
  std::vector<std::string> found;
  for (const TemplateField& field : fields) found.push_back(field.element);
  return found;
}

std::size_t place(const Fields& fields, const std::string& element) {
  const std::vector<std::string> all = names(fields);
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), element) - all.begin());
}

bool has(const Fields& fields, const std::string& element) { return place(fields, element) < fields.size(); }

constexpr std::uint32_t bit(std::string_view column) { return std::uint32_t{1} << column_number(column); }

FlowRecord tcp_record(bool connection) {
  FlowRecord record;
  record.key.version = 4;
  record.key.protocol = kProtocolTcp;
  if (connection) record.flags = kHasConnection;
  return record;
}

TEST(RecordShape, OfUdpHasNothingOfTcp) {
  const ShapeRules rules({}, IpfixProfile::everything);
  FlowRecord record;
  record.key.version = 6;
  record.key.protocol = kProtocolUdp;
  EXPECT_EQ(
      names(rules.fields_of(rules.shape_of(record, nullptr))),
      (std::vector<std::string>{"sourceIPv6Address", "destinationIPv6Address", "sourceTransportPort",
                                "destinationTransportPort", "protocolIdentifier", "ipVersion", "flowStartMilliseconds",
                                "flowEndMilliseconds", "flowStartNanoseconds", "flowEndNanoseconds", "packetDeltaCount",
                                "octetDeltaCount", "duplicatePacketCount", "duplicateOctetCount", "flowEndReason"}));
}

TEST(RecordShape, HandshakesOnlyWhereThereWasOne) {
  const RecordLayout layout{.biflow = true, .times = TimeForm::us, .extra = {test::extra_column("handshake_ns")}};
  FlowRecord record = tcp_record(false), reverse = tcp_record(false);
  const auto has_it = [&](IpfixProfile profile) {
    const ShapeRules rules(layout, profile);
    const RecordShape shape = rules.shape_of(record, &reverse);
    const std::vector<RecordShape> usual = rules.usual_shapes();
    EXPECT_NE(std::find(usual.begin(), usual.end(), shape), usual.end());
    return has(rules.fields_of(shape), "tcpHandshakeNanoseconds");
  };
  EXPECT_FALSE(has_it(IpfixProfile::everything));
  record.syn_count = reverse.syn_count = 1;
  EXPECT_TRUE(has_it(IpfixProfile::everything));
  EXPECT_FALSE(has_it(IpfixProfile::plain));
}

TEST(RecordShape, ConnectionColumnsOnlyWhereTheyAreValid) {
  const ShapeRules rules({}, IpfixProfile::everything);
  EXPECT_FALSE(has(rules.fields_of(rules.shape_of(tcp_record(false), nullptr)), "tcpConnectionOctetCount"));
  EXPECT_TRUE(has(rules.fields_of(rules.shape_of(tcp_record(true), nullptr)), "tcpConnectionOctetCount"));
}

TEST(RecordShape, CountersTakeFourOctetsWhereAllFit) {
  const ShapeRules rules({}, IpfixProfile::everything);
  FlowRecord record = tcp_record(true);
  record.bytes = record.zero_window_count = UINT32_MAX;
  record.connection_ns = UINT32_MAX;
  const auto lengths = [&] {
    std::set<int> found;
    const Fields fields = rules.fields_of(rules.shape_of(record, nullptr));
    for (const char* element : {"packetDeltaCount", "octetDeltaCount", "tcpZeroWindowCount", "tcpSynTotalCount"}) {
      found.insert(length_of(fields[place(fields, element)].kind));
    }
    return found;
  };
  EXPECT_EQ(lengths(), (std::set<int>{4}));
  ++record.connection_ns;
  EXPECT_EQ(lengths(), (std::set<int>{8}));
  record.flags = 0;  // what does not apply does not matter
  EXPECT_EQ(lengths(), (std::set<int>{4}));
  ++record.zero_window_count;
  EXPECT_EQ(lengths(), (std::set<int>{8}));
}

TEST(RecordShape, TcpFlagsTakeOneOctetAndTheReverseOnesStandFirst) {
  const ShapeRules rules({.biflow = true}, IpfixProfile::plain);
  const FlowRecord record = tcp_record(false);
  const Fields fields = rules.fields_of(rules.shape_of(record, &record));
  ASSERT_TRUE(has(fields, "reverseTcpControlBits") && has(fields, "tcpControlBits"));
  EXPECT_LT(place(fields, "reverseTcpControlBits"), place(fields, "tcpControlBits"));
  EXPECT_EQ(length_of(fields[place(fields, "tcpControlBits")].kind), 1);
  EXPECT_EQ(length_of(fields[place(fields, "reverseTcpControlBits")].kind), 1);
  EXPECT_TRUE(has(fields, "biflowDirection"));
}

TEST(RecordShape, WithoutReverseThereIsNoBiflow) {
  const ShapeRules rules({.biflow = true}, IpfixProfile::everything);
  const Fields fields = rules.fields_of(rules.shape_of(tcp_record(true), nullptr));
  for (const std::string& name : names(fields)) EXPECT_NE(name.substr(0, 7), "reverse");
  EXPECT_FALSE(has(fields, "biflowDirection"));
}

TEST(RecordShape, UniflowLayoutTakesNoReverse) {
  const ShapeRules rules({}, IpfixProfile::everything);
  const FlowRecord record = tcp_record(true);
  EXPECT_EQ(rules.shape_of(record, &record), rules.shape_of(record, nullptr));
}

TEST(RecordShape, AReverseDirectionOfAnotherProtocolHasTheFieldsOfTheFlow) {
  const ShapeRules rules({.biflow = true}, IpfixProfile::everything);
  FlowRecord udp = tcp_record(false);
  udp.key.protocol = kProtocolUdp;
  const FlowRecord tcp = tcp_record(true);
  EXPECT_EQ(rules.shape_of(udp, &tcp), rules.shape_of(udp, &udp));
}

TEST(RecordShape, VlanIsThereIfItIsOfTheKey) {
  const FlowRecord record = tcp_record(true);
  const ShapeRules with({.vlan = true}, IpfixProfile::plain);
  const ShapeRules without({}, IpfixProfile::plain);
  EXPECT_TRUE(has(with.fields_of(with.shape_of(record, nullptr)), "vlanId"));
  EXPECT_FALSE(has(without.fields_of(without.shape_of(record, nullptr)), "vlanId"));
}

TEST(RecordShape, PlainIsOfIanaAlone) {
  const InfoModel model;
  const ShapeRules rules({.biflow = true}, IpfixProfile::plain);
  const std::vector<RecordShape> shapes = rules.usual_shapes();
  EXPECT_EQ(shapes.size(), 16u);  // IPv4 or IPv6, TCP or not, 4 or 8 octets, with or without reverse
  for (const RecordShape& shape : shapes) {
    for (const std::string& name : names(rules.fields_of(shape))) {
      const fbInfoElement_t* element = model.find(name.c_str());
      ASSERT_NE(element, nullptr) << name;
      EXPECT_TRUE(element->ent == 0 || element->ent == FB_IE_PEN_REVERSE) << name;
    }
  }
}

TEST(RecordShape, NtopHasItsOwnElementsOfTcpByDirection) {
  const ShapeRules rules({.biflow = true}, IpfixProfile::ntop);
  const FlowRecord record = tcp_record(true);
  const Fields fields = rules.fields_of(rules.shape_of(record, &record));
  for (const char* name : {"RETRANSMITTED_IN_PKTS", "RETRANSMITTED_IN_BYTES", "OOORDER_IN_PKTS"}) {
    ASSERT_TRUE(has(fields, name)) << name;
    EXPECT_FALSE(fields[place(fields, name)].of_reverse) << name;
  }
  for (const char* name : {"RETRANSMITTED_OUT_PKTS", "RETRANSMITTED_OUT_BYTES", "OOORDER_OUT_PKTS"}) {
    ASSERT_TRUE(has(fields, name)) << name;
    EXPECT_TRUE(fields[place(fields, name)].of_reverse) << name;
  }
  FlowRecord udp = record;
  udp.key.protocol = kProtocolUdp;
  EXPECT_FALSE(has(rules.fields_of(rules.shape_of(udp, &udp)), "RETRANSMITTED_IN_PKTS"));
}

TEST(RecordShape, LeavesOutWhatTheLayoutLacks) {
  const ShapeRules rules({.absent = not_counted_by(Method::five_tuple)}, IpfixProfile::everything);
  const Fields fields = rules.fields_of(rules.shape_of(tcp_record(true), nullptr));
  EXPECT_FALSE(has(fields, "tcpOutOfOrderSegmentCount"));
  EXPECT_FALSE(has(fields, "tcpKeepAliveSegmentCount"));
  EXPECT_FALSE(has(fields, "tcpMissingOctetCount"));
  EXPECT_TRUE(has(fields, "tcpRetransmittedSegmentCount"));
}

TEST(RecordShape, LeavesOutWhatARecordLacks) {
  const ShapeRules rules({.biflow = true}, IpfixProfile::everything);
  FlowRecord record = tcp_record(true);
  record.absent = bit("missing_bytes");
  FlowRecord reverse = tcp_record(false);
  reverse.absent = bit("packets");
  const Fields fields = rules.fields_of(rules.shape_of(record, &reverse));
  EXPECT_FALSE(has(fields, "tcpMissingOctetCount"));
  EXPECT_TRUE(has(fields, "reverseTcpMissingOctetCount"));
  EXPECT_TRUE(has(fields, "packetDeltaCount"));
  EXPECT_FALSE(has(fields, "reversePacketDeltaCount"));
}

TEST(RecordShape, WhatDoesNotApplyOrIsNotWrittenMakesNoOtherShape) {
  const ShapeRules plain({}, IpfixProfile::plain);
  FlowRecord record = tcp_record(false);
  const RecordShape usual = plain.shape_of(record, nullptr);
  record.absent = bit("missing_bytes") | bit("connection_ns");
  EXPECT_EQ(plain.shape_of(record, nullptr), usual);
  const ShapeRules everything({}, IpfixProfile::everything);
  record.absent = bit("connection_ns");
  EXPECT_EQ(everything.shape_of(record, nullptr), usual);
  record.key.protocol = kProtocolUdp;
  record.absent = bit("missing_bytes");
  EXPECT_EQ(everything.shape_of(record, nullptr).absent, 0u);
}

TEST(RecordShape, UsualShapesAreAllDifferentAndAllThatOccur) {
  const ShapeRules rules({.biflow = true}, IpfixProfile::everything);
  const std::vector<RecordShape> shapes = rules.usual_shapes();
  const std::set<RecordShape> usual(shapes.begin(), shapes.end());
  EXPECT_EQ(usual.size(), shapes.size());
  std::set<RecordShape> seen;
  for (const Biflow& flow : test::random_biflows(5000, 9)) {
    seen.insert(rules.shape_of(flow.forward, flow.has_reverse ? &flow.reverse : nullptr));
  }
  EXPECT_EQ(seen, usual);
}

}  // namespace
}  // namespace warpmeter
