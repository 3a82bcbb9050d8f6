// Which fields of a Data Record become which values of a Flow Record, whoever wrote them.
#include "record/ipfix/ipfix_reader.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "record/ipfix/info_model.h"
#include "support/ipfix_file.h"
#include "support/ipfix_reading.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::ByteWriter;
using test::flow_key_fields;
using test::ipfix_content;
using test::ipfix_message;
using test::ipfix_set;
using test::IpfixContent;
using test::IpfixField;
using test::join;
using test::kFlowFields;
using test::kVariable;
using test::options_template_set;
using test::template_set;

constexpr std::int64_t kSecond = 1'000'000'000;

// A file with one record.
IpfixContent one_record(const std::vector<IpfixField>& fields, const Bytes& record) {
  return ipfix_content(ipfix_message(join(template_set(300, fields), ipfix_set(300, record))));
}

// ... of a TCP flow and these fields behind its key.
IpfixContent tcp_flow_with(const std::vector<IpfixField>& fields, const Bytes& values) {
  return one_record(join(kFlowFields, fields), join(flow_key_fields(), values));
}

std::optional<std::int64_t> value(const FlowRecord& record, std::string_view column) {
  return column_value(column_number(column), record, record.absent);
}

std::string address(const FlowKey& key, const std::uint8_t (&bytes)[16]) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(key.version == 6 ? AF_INET6 : AF_INET, bytes, text, sizeof text);
}

std::string key_text(const FlowKey& key) {
  return address(key, key.source) + " " + std::to_string(port_number(key.source_port)) + " " +
         address(key, key.destination) + " " + std::to_string(port_number(key.destination_port)) + " " +
         std::to_string(key.protocol) + " " + std::to_string(port_number(key.vlan));
}

TEST(IpfixReader, ReadsKeysOfBothVersions) {
  const auto v4 = tcp_flow_with({}, {});
  ASSERT_EQ(v4.flows.size(), 1u);
  EXPECT_EQ(key_text(v4.flows[0].forward.key), "10.0.0.1 1000 10.0.0.2 80 6 0");
  EXPECT_FALSE(v4.flows[0].has_reverse);
  EXPECT_FALSE(v4.layout.vlan);
  EXPECT_FALSE(v4.damage);

  const Bytes v6_addresses = ByteWriter().u64(0x20010db800000000).u64(1).u64(0x20010db800000000).u64(2).data();
  const auto v6 = one_record({{27, 16}, {28, 16}, {180, 2}, {181, 2}, {4, 1}, {58, 2}},
                             join(v6_addresses, ByteWriter().u16(53).u16(5353).u8(17).u16(77).data()));
  ASSERT_EQ(v6.flows.size(), 1u);
  EXPECT_EQ(key_text(v6.flows[0].forward.key), "2001:db8::1 53 2001:db8::2 5353 17 77");
  EXPECT_TRUE(v6.layout.vlan);
}

TEST(IpfixReader, TakesTheVersionThatARecordOfBothHas) {
  const std::vector<IpfixField> both = {{8, 4}, {12, 4}, {27, 16}, {28, 16}};
  const auto v4 = one_record(both, ByteWriter().u32(0x0a000001).u32(0x0a000002).zeros(32).data());
  EXPECT_EQ(v4.flows.at(0).forward.key.version, 4);
  const auto v6 = one_record(both, ByteWriter().zeros(8).u64(1).u64(2).u64(3).u64(4).data());
  EXPECT_EQ(v6.flows.at(0).forward.key.version, 6);
  const auto told = one_record({{60, 1}, {27, 16}, {8, 4}}, ByteWriter().u8(6).zeros(16).u32(0x0a000001).data());
  EXPECT_EQ(told.flows.at(0).forward.key.version, 6);
}

TEST(IpfixReader, ReadsTypeAndCodeOfIcmpAsThePort) {
  const std::vector<IpfixField> addresses = {{8, 4}, {12, 4}, {4, 1}};
  const auto port = [&](const std::vector<IpfixField>& fields, const Bytes& values, int protocol) {
    const Bytes key = ByteWriter().u32(1).u32(2).u8(static_cast<std::uint64_t>(protocol)).data();
    const auto content = one_record(join(addresses, fields), join(key, values));
    return port_number(content.flows.at(0).forward.key.destination_port);
  };
  EXPECT_EQ(port({{32, 2}}, ByteWriter().u16(0x0301).data(), 1), 0x0301);
  EXPECT_EQ(port({{176, 1}, {177, 1}}, ByteWriter().u8(8).u8(4).data(), 1), 0x0804);
  EXPECT_EQ(port({{11, 2}, {32, 2}}, ByteWriter().u16(0).u16(0x0800).data(), 1), 0x0800);
  EXPECT_EQ(port({{32, 2}}, ByteWriter().u16(0x0301).data(), 6), 0);
  const auto v6 = one_record({{27, 16}, {4, 1}, {139, 2}}, ByteWriter().zeros(16).u8(58).u16(0x8700).data());
  EXPECT_EQ(port_number(v6.flows.at(0).forward.key.destination_port), 0x8700);
}

TEST(IpfixReader, ReadsCountsInEveryFormAndLength) {
  for (const std::vector<IpfixField>& fields : std::vector<std::vector<IpfixField>>{
           {{2, 8}, {1, 8}}, {{2, 4}, {1, 3}}, {{86, 4}, {85, 8}}, {{298, 2}, {231, 2}}, {{2, 2}, {85, 2}}}) {
    const auto number = [](ByteWriter& to, std::uint64_t value, int length) {
      for (int i = length - 1; i >= 0; --i) to.u8(value >> 8 * i);
    };
    ByteWriter values;
    number(values, 7, fields[0].length);
    number(values, 900, fields[1].length);
    const auto content = tcp_flow_with(fields, values.data());
    ASSERT_EQ(content.flows.size(), 1u);
    EXPECT_EQ(value(content.flows[0].forward, "packets"), 7) << fields[0].number;
    EXPECT_EQ(value(content.flows[0].forward, "bytes"), 900) << fields[1].number;
  }
  // Since the last report before totals.
  const auto both = tcp_flow_with({{86, 8}, {2, 8}}, ByteWriter().u64(100).u64(5).data());
  EXPECT_EQ(value(both.flows.at(0).forward, "packets"), 5);
}

TEST(IpfixReader, ReadsNumbersThatAreLongerThanTheirType) {
  const auto content = one_record({{8, 4}, {12, 4}, {7, 4}, {11, 3}, {4, 2}, {6, 4}},
                                  ByteWriter().u32(1).u32(2).u32(1000).u8(0).u16(80).u16(6).u32(0x1b).data());
  ASSERT_EQ(content.flows.size(), 1u);
  EXPECT_EQ(key_text(content.flows[0].forward.key), "0.0.0.1 1000 0.0.0.2 80 6 0");
  EXPECT_EQ(value(content.flows[0].forward, "tcp_flags"), 0x1b);
}

TEST(IpfixReader, ReadsFlagsOfOneOrTwoOctets) {
  EXPECT_EQ(value(tcp_flow_with({{6, 1}}, {0x1b}).flows.at(0).forward, "tcp_flags"), 0x1b);
  EXPECT_EQ(value(tcp_flow_with({{6, 2}}, {0x01, 0x1b}).flows.at(0).forward, "tcp_flags"), 0x1b);
  const auto yaf = tcp_flow_with({{14, 1, 6871}, {15, 1, 6871}}, {0x02, 0x18});
  EXPECT_EQ(value(yaf.flows.at(0).forward, "tcp_flags"), 0x1a);
}

TEST(IpfixReader, ColumnsOutsideTheTemplateAreAbsent) {
  const auto tcp = tcp_flow_with({{2, 8}, {218, 8}, {136, 1}}, ByteWriter().u64(3).u64(1).u8(2).data());
  const FlowRecord& record = tcp.flows.at(0).forward;
  EXPECT_EQ(value(record, "syn_count"), 1);
  EXPECT_EQ(value(record, "end_reason"), 2);
  for (const char* column : {"bytes", "retransmitted_segments", "duplicate_packets", "fin_count", "tcp_flags"}) {
    EXPECT_TRUE(record.absent >> column_number(column) & 1) << column;
    EXPECT_TRUE(tcp.layout.absent >> column_number(column) & 1) << column;
  }
  EXPECT_FALSE(tcp.layout.absent >> column_number("packets") & 1);

  // Of UDP, what TCP alone has does not apply.
  const auto udp = one_record(join(kFlowFields, {{2, 8}}), join(flow_key_fields(17), ByteWriter().u64(3).data()));
  const std::uint32_t absent = udp.flows.at(0).forward.absent;
  EXPECT_FALSE(absent >> column_number("syn_count") & 1);
  EXPECT_TRUE(absent >> column_number("duplicate_packets") & 1);
  EXPECT_EQ(udp.layout.absent, absent);
}

TEST(IpfixReader, AnEndReasonOfOthersIsAbsent) {
  for (const int reason : {0, 6, 0x1f}) {
    const auto content = tcp_flow_with({{136, 1}}, {static_cast<std::uint8_t>(reason)});
    EXPECT_EQ(value(content.flows.at(0).forward, "end_reason"), std::nullopt) << reason;
  }
}

TEST(IpfixReader, ReadsWhatNtopCountsOfRetransmissions) {
  const auto content =
      tcp_flow_with({{2, 4}, {2, 4, 29305}, {109, 4, 35632}, {110, 4, 35632}, {111, 4, 35632}, {127, 4, 35632}},
                    ByteWriter().u32(10).u32(20).u32(3).u32(4).u32(5).u32(600).data());
  const Biflow& flow = content.flows.at(0);
  EXPECT_EQ(value(flow.forward, "retransmitted_segments"), 3);
  EXPECT_EQ(value(flow.forward, "out_of_order_segments"), 5);
  EXPECT_EQ(value(flow.forward, "retransmitted_bytes"), 600);
  ASSERT_TRUE(flow.has_reverse);
  EXPECT_EQ(value(flow.reverse, "retransmitted_segments"), 4);
  EXPECT_EQ(value(flow.reverse, "out_of_order_segments"), std::nullopt);
}

TEST(IpfixReader, ReadsBiflowsOfRfc5103) {
  const auto content =
      tcp_flow_with({{2, 4},
                     {1, 4},
                     {152, 8},
                     {153, 8},
                     {2, 4, 29305},
                     {1, 4, 29305},
                     {152, 8, 29305},
                     {153, 8, 29305},
                     {6, 1, 29305}},
                    ByteWriter().u32(1).u32(2).u64(1000).u64(2000).u32(3).u32(4).u64(1500).u64(1800).u8(0x12).data());
  ASSERT_EQ(content.flows.size(), 1u);
  const Biflow& flow = content.flows[0];
  ASSERT_TRUE(flow.has_reverse);
  EXPECT_TRUE(content.layout.biflow);
  EXPECT_EQ(key_text(flow.reverse.key), "10.0.0.2 80 10.0.0.1 1000 6 0");
  EXPECT_EQ(value(flow.forward, "packets"), 1);
  EXPECT_EQ(value(flow.reverse, "packets"), 3);
  EXPECT_EQ(value(flow.reverse, "bytes"), 4);
  EXPECT_EQ(value(flow.reverse, "tcp_flags"), 0x12);
  EXPECT_EQ(flow.forward.start_ns, kSecond);
  EXPECT_EQ(flow.reverse.start_ns, 1'500'000'000);
  EXPECT_EQ(flow.reverse.end_ns, 1'800'000'000);
}

TEST(IpfixReader, ReadsInitiatorAndResponder) {
  const std::vector<IpfixField> fields = {{298, 8}, {299, 8}, {231, 8}, {232, 8}, {152, 8}, {153, 8}};
  const auto both = tcp_flow_with(fields, ByteWriter().u64(1).u64(2).u64(3).u64(4).u64(5000).u64(6000).data());
  ASSERT_TRUE(both.flows.at(0).has_reverse);
  EXPECT_EQ(value(both.flows[0].reverse, "packets"), 2);
  EXPECT_EQ(value(both.flows[0].reverse, "bytes"), 4);
  EXPECT_EQ(both.flows[0].reverse.start_ns, 5 * kSecond);
  EXPECT_EQ(both.flows[0].reverse.end_ns, 6 * kSecond);
  const auto one = tcp_flow_with(fields, ByteWriter().u64(1).u64(0).u64(3).u64(0).u64(5).u64(6).data());
  EXPECT_FALSE(one.flows.at(0).has_reverse);
}

struct FormOfTime {
  const char* name;
  std::vector<IpfixField> fields;
  Bytes values;
  std::int64_t start_ns, end_ns;
};

constexpr std::uint64_t kNtp1970 = 2'208'988'800;

std::vector<FormOfTime> time_forms() {
  const auto ntp = [](std::uint64_t seconds, std::uint64_t ns) {
    return (kNtp1970 + seconds) << 32 | ((ns << 32) + 999'999'999) / 1'000'000'000;
  };
  return {
      {"nanoseconds",
       {{156, 8}, {157, 8}},
       ByteWriter().u64(ntp(5, 1)).u64(ntp(6, 999'999'999)).data(),
       5 * kSecond + 1,
       6 * kSecond + 999'999'999},
      {"microseconds, rounded down by the exporter",
       {{154, 8}, {155, 8}},
       ByteWriter().u64((kNtp1970 + 5) << 32 | (123'457ull << 32) / 1'000'000).u64((kNtp1970 + 6) << 32).data(),
       5 * kSecond + 123'457'000,
       6 * kSecond},
      {"milliseconds", {{152, 8}, {153, 8}}, ByteWriter().u64(5001).u64(6002).data(), 5'001'000'000, 6'002'000'000},
      {"seconds", {{150, 4}, {151, 4}}, ByteWriter().u32(5).u32(6).data(), 5 * kSecond, 6 * kSecond},
      {"before the Export Time",
       {{158, 4}, {159, 4}},
       ByteWriter().u32(2'000'000).u32(1'000).data(),
       1'699'999'998 * kSecond,
       1'699'999'999'999'000'000},
      {"since the start of the system",
       {{160, 8}, {22, 4}, {21, 4}},
       ByteWriter().u64(1'000'000).u32(5).u32(7).data(),
       1'000'005'000'000,
       1'000'007'000'000},
      {"start and duration", {{152, 8}, {161, 4}}, ByteWriter().u64(5000).u32(250).data(), 5 * kSecond, 5'250'000'000},
      {"end and duration", {{162, 4}, {153, 8}}, ByteWriter().u32(500).u64(6000).data(), 5'999'500'000, 6 * kSecond},
      {"none but that of the export", {}, {}, 1'700'000'000 * kSecond, 1'700'000'000 * kSecond},
      {"nanoseconds that are none, and milliseconds",
       {{156, 8}, {152, 8}, {153, 8}},
       ByteWriter().u64(1'600'000'000'000'000'000).u64(5000).u64(6000).data(),
       5 * kSecond,
       6 * kSecond},
      {"nanoseconds in 2036, after the seconds wrapped",
       {{156, 8}, {157, 8}},
       ByteWriter().u64(10ull << 32).u64(11ull << 32).data(),
       static_cast<std::int64_t>((1ull << 32) - kNtp1970 + 10) * kSecond,
       static_cast<std::int64_t>((1ull << 32) - kNtp1970 + 11) * kSecond},
      {"nanoseconds before 1970, which milliseconds cannot say",
       {{156, 8}, {157, 8}, {152, 8}, {153, 8}},
       ByteWriter().u64((kNtp1970 - 10) << 32).u64((kNtp1970 - 9) << 32).u64(0).u64(0).data(),
       -10 * kSecond,
       -9 * kSecond},
  };
}

TEST(IpfixReader, ReadsTimesInEveryForm) {
  for (const FormOfTime& form : time_forms()) {
    const auto content = tcp_flow_with(form.fields, form.values);
    ASSERT_EQ(content.flows.size(), 1u) << form.name;
    EXPECT_EQ(content.flows[0].forward.start_ns, form.start_ns) << form.name;
    EXPECT_EQ(content.flows[0].forward.end_ns, form.end_ns) << form.name;
  }
}

TEST(IpfixReader, EveryNanosecondComesBack) {
  Bytes values;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t ns = 0; ns < 1'000'000'000; ns += 999'983) {
    expected.push_back(ns);
    const std::uint64_t ntp = (kNtp1970 + 7) << 32 | ((ns << 32) + 999'999'999) / 1'000'000'000;
    values = join(join(std::move(values), flow_key_fields()), ByteWriter().u64(ntp).data());
  }
  const auto content = one_record(join(kFlowFields, {{156, 8}}), values);
  ASSERT_EQ(content.flows.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(content.flows[i].forward.start_ns, 7 * kSecond + static_cast<std::int64_t>(expected[i]));
  }
}

TEST(IpfixReader, TakesTheStartOfTheSystemFromOptionsOfTheSameDomain) {
  const std::vector<IpfixField> flow = join(kFlowFields, {{22, 4}, {21, 4}});
  const Bytes record = join(flow_key_fields(), ByteWriter().u32(5).u32(7).data());
  const Bytes options = join(options_template_set(257, 1, {{143, 4}, {160, 8}}),
                             ipfix_set(257, ByteWriter().u32(9).u64(1'000'000).data()));
  const Bytes flows = join(template_set(300, flow), ipfix_set(300, record));
  const auto content =
      ipfix_content(join(join(ipfix_message(options, 1), ipfix_message(flows, 1)), ipfix_message(flows, 2)));
  ASSERT_EQ(content.flows.size(), 2u);
  EXPECT_EQ(content.flows[0].forward.start_ns, 1'000'005'000'000);
  EXPECT_EQ(content.flows[1].forward.start_ns, 5'000'000);
  EXPECT_EQ(content.no_flows, 0u);
  EXPECT_FALSE(content.damage);
}

// What a Template has besides: private elements, variable lengths, lists (RFC 6313), fields twice.
TEST(IpfixReader, SkipsWhatIsNoFieldOfAFlow) {
  const std::vector<IpfixField> fields = {{1, kVariable, 4242},
                                          {8, 4},
                                          {300, 2, 4242},
                                          {12, 4},
                                          {82, kVariable},
                                          {7, 2},
                                          {291, kVariable},
                                          {11, 2},
                                          {4, 1},
                                          {292, kVariable},
                                          {2, 8},
                                          {293, kVariable},
                                          {2, 8},
                                          {95, kVariable},
                                          {8, 4, 4242}};
  const Bytes long_text(300, 'x');
  const Bytes record = ByteWriter()
                           .u8(3)
                           .u8(1)
                           .u8(2)
                           .u8(3)
                           .u32(0x0a000001)
                           .u16(9)
                           .u32(0x0a000002)
                           .u8(255)
                           .u16(300)
                           .bytes(long_text)
                           .u16(1000)
                           .u8(9)
                           .u8(255)
                           .u16(7)
                           .u16(2)
                           .u16(80)
                           .u16(443)  // basicList of ports
                           .u16(80)
                           .u8(6)
                           .u8(7)
                           .u8(3)
                           .u16(256)
                           .u32(1)  // subTemplateList
                           .u64(12)
                           .u8(0)  // subTemplateMultiList without one
                           .u64(77)
                           .u8(0)
                           .u32(4)
                           .data();
  const auto content = one_record(fields, join(record, record));
  EXPECT_EQ(content.damage_text(), "");
  ASSERT_EQ(content.flows.size(), 2u);
  for (const Biflow& flow : content.flows) {
    EXPECT_EQ(key_text(flow.forward.key), "10.0.0.1 1000 10.0.0.2 80 6 0");
    EXPECT_EQ(value(flow.forward, "packets"), 12);
  }
}

TEST(IpfixReader, AKnownElementInALengthThatItCannotHaveIsSkipped) {
  const auto content = tcp_flow_with({{2, kVariable}, {152, 4}, {1, 8}, {136, 9}},
                                     ByteWriter().u8(1).u8(5).u32(6).u64(700).zeros(9).data());
  ASSERT_EQ(content.flows.size(), 1u);
  EXPECT_EQ(value(content.flows[0].forward, "packets"), std::nullopt);
  EXPECT_EQ(value(content.flows[0].forward, "bytes"), 700);
  EXPECT_EQ(content.flows[0].forward.start_ns, 1'700'000'000 * kSecond);
}

TEST(IpfixReader, RecordsWithoutAddressesAreNoFlows) {
  const auto content = one_record({{2, 8}, {1, 8}}, ByteWriter().zeros(48).data());
  EXPECT_TRUE(content.flows.empty());
  EXPECT_EQ(content.no_flows, 3u);
  EXPECT_FALSE(content.damage);
}

}  // namespace
}  // namespace warpmeter
