// What conn.log has of a biflow: the state and the history follow from what each direction counts.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <variant>

#include "command/show/column_names.h"

namespace warpmeter {
namespace {

// "S3A2F1": packets by kind; S, F and R are flags, D data, A acknowledgements alone.
FlowRecord direction(std::string_view packets) {
  FlowRecord record;
  record.key.version = 4;
  record.key.protocol = kProtocolTcp;
  for (const char kind : packets) {
    ++record.packets;
    record.bytes += 40;
    record.syn_count += kind == 'S';
    record.fin_count += kind == 'F';
    record.rst_count += kind == 'R';
    record.data_segments += kind == 'D';
    record.payload_bytes += kind == 'D' ? 10 : 0;
    record.bytes += kind == 'D' ? 10 : 0;
  }
  return record;
}

Biflow biflow(std::string_view there, std::string_view back) {
  Biflow flow;
  flow.of_biflows = true;
  flow.forward = direction(there);
  flow.has_reverse = !back.empty();
  flow.reverse = direction(back);
  return flow;
}

RowValue value_of(std::string_view name, const Biflow& flow, TimeForm form = TimeForm::ns) {
  const OtherValue* const other = other_value(Naming::zeek, name);
  return other->of_flow(flow, kNoAnnotations, form);
}

std::string text_of(std::string_view name, const Biflow& flow) {
  const RowValue value = value_of(name, flow);
  const auto* const text = std::get_if<std::string>(&value);
  return text ? *text : std::holds_alternative<std::monostate>(value) ? "-" : "a number";
}

std::int64_t number_of(std::string_view name, const Biflow& flow) {
  const RowValue value = value_of(name, flow);
  const auto* const number = std::get_if<std::int64_t>(&value);
  return number ? *number : -1;
}

TEST(ConnLog, StateFollowsFromFlags) {
  const auto state = [](std::string_view there, std::string_view back) {
    return text_of("conn_state", biflow(there, back));
  };
  EXPECT_EQ(state("S", ""), "S0");
  EXPECT_EQ(state("SS", ""), "S0");
  EXPECT_EQ(state("SA", "S"), "S1");
  EXPECT_EQ(state("SADFA", "SDF"), "SF");
  EXPECT_EQ(state("SADF", "SDA"), "S2");
  EXPECT_EQ(state("SAD", "SDF"), "S3");
  EXPECT_EQ(state("S", "R"), "REJ");
  EXPECT_EQ(state("SADR", "SA"), "RSTO");
  EXPECT_EQ(state("SAD", "SR"), "RSTR");
  EXPECT_EQ(state("SR", ""), "RSTOS0");
  EXPECT_EQ(state("A", "SR"), "RSTRH");
  EXPECT_EQ(state("SF", ""), "SH");
  EXPECT_EQ(state("A", "SF"), "SHR");
  EXPECT_EQ(state("DA", "DA"), "OTH");
  EXPECT_EQ(state("DR", "DA"), "OTH");  // no SYN was seen
  EXPECT_EQ(state("DA", "R"), "OTH");
  EXPECT_EQ(state("S", "S"), "OTH");  // nobody answered the SYN+ACK
}

TEST(ConnLog, SynAcksAloneAreNoAttempt) {
  Biflow flow = biflow("SS", "");
  flow.forward.tcp_flags = 0x02;
  EXPECT_EQ(text_of("conn_state", flow) + text_of("history", flow), "S0S");
  flow.forward.tcp_flags = 0x12;
  EXPECT_EQ(text_of("conn_state", flow) + text_of("history", flow), "OTHH");
  flow = biflow("SSA", "");
  flow.forward.tcp_flags = 0x12;  // of the last
  EXPECT_EQ(text_of("conn_state", flow) + text_of("history", flow), "S0SA");
}

TEST(ConnLog, StateOfOthersThanTcp) {
  Biflow flow = biflow("DD", "D");
  flow.forward.key.protocol = kProtocolUdp;
  EXPECT_EQ(text_of("conn_state", flow), "SF");
  EXPECT_EQ(text_of("history", flow), "Dd");
  flow.has_reverse = false;
  EXPECT_EQ(text_of("conn_state", flow), "S0");
  EXPECT_EQ(text_of("history", flow), "D");
  flow.forward.key.protocol = kProtocolIcmp;
  EXPECT_EQ(text_of("conn_state", flow), "OTH");
  EXPECT_EQ(text_of("history", flow), "-");
}

TEST(ConnLog, WhatNobodyKnowsIsNotSaid) {
  Biflow flow = biflow("SA", "S");
  flow.of_biflows = flow.has_reverse = false;  // of a file of single directions
  for (const char* const name : {"conn_state", "history", "resp_pkts", "resp_ip_bytes", "resp_bytes"})
    EXPECT_EQ(text_of(name, flow), "-") << name;
  flow = biflow("SA", "S");
  flow.reverse.absent = 1u << column_number("fin_count");
  EXPECT_EQ(text_of("conn_state", flow), "-");
  EXPECT_EQ(text_of("history", flow), "-");
  flow = biflow("SA", "");
  EXPECT_EQ(number_of("resp_pkts", flow), 0);  // that is known
  EXPECT_EQ(number_of("resp_bytes", flow), 0);
}

TEST(ConnLog, HistoryHasLettersThatAreSure) {
  const auto letters = [](std::string_view there, std::string_view back) {
    return text_of("history", biflow(there, back));
  };
  EXPECT_EQ(letters("S", ""), "S");
  EXPECT_EQ(letters("SADAF", "SADF"), "ShAaDdFf");
  EXPECT_EQ(letters("SR", "S"), "ShR");
  Biflow flow = biflow("SADD", "SA");
  flow.forward.retransmitted_segments = 1;
  flow.reverse.missing_bytes = 5;
  flow.forward.zero_window_count = 1;
  EXPECT_EQ(text_of("history", flow), "ShAaDTgW");
  flow.forward.absent = not_counted_by(Method::five_tuple);  // keep-alives would be acknowledgements alone
  EXPECT_EQ(text_of("history", flow), "ShaDTgW");
  flow = biflow("SD", "S");
  flow.forward.duplicate_packets = 1;
  ++flow.forward.packets;  // which is that copy
  EXPECT_EQ(text_of("history", flow), "ShD");
}

TEST(ConnLog, BytesAreThoseOfSequenceNumbers) {
  Biflow flow = biflow("SADDF", "SD");
  flow.forward.retransmitted_bytes = 10;  // twice the same
  flow.reverse.missing_bytes = 7;
  EXPECT_EQ(number_of("orig_bytes", flow), 10);
  EXPECT_EQ(number_of("resp_bytes", flow), 17);
  EXPECT_EQ(number_of("missed_bytes", flow), 7);
  flow.forward.flags |= kHasConnection;
  flow.forward.connection_bytes = 12;
  EXPECT_EQ(number_of("orig_bytes", flow), 12);
  flow.forward.key.protocol = flow.reverse.key.protocol = kProtocolUdp;
  EXPECT_EQ(text_of("orig_bytes", flow), "-");
}

TEST(ConnLog, TimesAreOfBothDirections) {
  Biflow flow = biflow("S", "S");
  flow.forward.start_ns = 5'001, flow.forward.end_ns = 6'000;
  flow.reverse.start_ns = 4'999, flow.reverse.end_ns = 9'003;
  EXPECT_EQ(number_of("ts", flow), 4'999);
  EXPECT_EQ(number_of("duration", flow), 4'004);
  EXPECT_EQ(std::get<std::int64_t>(value_of("ts", flow, TimeForm::us)), 4);
  EXPECT_EQ(std::get<std::int64_t>(value_of("duration", flow, TimeForm::us)), 5);  // of what is written
}

TEST(ConnLog, IcmpHasTypeAndCodeInPlaceOfPorts) {
  Biflow flow = biflow("A", "");
  flow.forward.key.protocol = kProtocolIcmp;
  flow.forward.key.destination_port[0] = 3;
  flow.forward.key.destination_port[1] = 13;
  EXPECT_EQ(number_of("id.orig_p", flow), 3);
  EXPECT_EQ(number_of("id.resp_p", flow), 13);
  EXPECT_EQ(text_of("proto", flow), "icmp");
}

TEST(ConnLog, UidsTellConnectionsApart) {
  const Biflow flow = biflow("SA", "S");
  Biflow later = flow, other = flow;
  later.forward.start_ns = later.reverse.start_ns = 1;
  other.forward.key.source_port[1] = 1;
  const std::string uid = text_of("uid", flow);
  EXPECT_EQ(uid.size(), 17u);
  EXPECT_EQ(uid.front(), 'C');
  EXPECT_EQ(text_of("uid", flow), uid);
  EXPECT_NE(text_of("uid", later), uid);
  EXPECT_NE(text_of("uid", other), uid);
}

}  // namespace
}  // namespace warpmeter
