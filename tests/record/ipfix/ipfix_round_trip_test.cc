// What goes into an IPFIX file comes out of it: the CSV of the Flow Records that were read is that of those written.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "record/ipfix/ipfix_format.h"
#include "support/export_records.h"
#include "support/extra_columns.h"
#include "support/fewer.h"
#include "support/ipfix_reading.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::IpfixContent;

class ByteList : public ByteSink {
 public:
  void write(const void* bytes, std::size_t count) override {
    const auto* from = static_cast<const std::uint8_t*>(bytes);
    all.insert(all.end(), from, from + count);
  }
  Bytes all;
};

Bytes ipfix_file(const std::vector<Biflow>& flows, const RecordLayout& layout, IpfixProfile profile) {
  ByteList file;
  IpfixFileSink sink(file);
  const auto format = make_ipfix_format(layout, {profile});
  test::write_all(*format->new_writer(sink), flows);
  return file.all;
}

std::string text_of(Format format, const std::vector<Biflow>& flows, const RecordLayout& layout) {
  return test::written_text(format, flows, layout);
}

class RandomFlows {
 public:
  RandomFlows(unsigned seed, const RecordLayout& layout) : random_(seed), layout_(layout) {}

  std::vector<Biflow> some(std::size_t count) {
    std::vector<Biflow> flows(count);
    for (Biflow& flow : flows) {
      flow.forward.key = key();
      fill(flow.forward);
      flow.has_reverse = layout_.biflow && number(4) != 0;
      if (!flow.has_reverse) continue;
      flow.reverse.key = reversed(flow.forward.key);
      fill(flow.reverse);
    }
    return flows;
  }

 private:
  std::uint64_t number(std::uint64_t limit) { return random_() % limit; }
  std::uint64_t count() { return random_() >> (number(8) == 0 ? 2 : 33 + number(31)); }

  FlowKey key() {
    FlowKey key;
    key.version = number(2) ? 4 : 6;
    for (std::size_t i = 0; i < (key.version == 4 ? 4 : 16); ++i) {
      key.source[i] = static_cast<std::uint8_t>(random_());
      key.destination[i] = static_cast<std::uint8_t>(random_());
    }
    constexpr std::uint8_t kProtocols[] = {kProtocolTcp,  kProtocolTcp,    kProtocolUdp,
                                           kProtocolIcmp, kProtocolIcmpV6, 47};
    key.protocol = kProtocols[number(std::size(kProtocols))];
    if (key.protocol == kProtocolTcp || key.protocol == kProtocolUdp) {
      for (std::uint8_t* octet : {&key.source_port[0], &key.source_port[1], &key.destination_port[0]}) {
        *octet = static_cast<std::uint8_t>(random_());
      }
    }
    if (layout_.vlan) key.vlan[1] = static_cast<std::uint8_t>(random_());
    return key;
  }

  static FlowKey reversed(FlowKey key) {
    std::swap(key.source, key.destination);
    std::swap(key.source_port, key.destination_port);
    return key;
  }

  // TCP's columns stay at 0 in other records, as the meter leaves them.
  void fill(FlowRecord& record) {
    record.start_ns = static_cast<std::int64_t>(number(4'200'000'000'000'000'000));
    record.end_ns = record.start_ns + static_cast<std::int64_t>(number(2'000'000'000'000));
    const bool tcp = record.key.protocol == kProtocolTcp;
    for (const Column& column : kColumns) {
      if (column.tcp_only && !tcp) continue;
      if (column.name.starts_with("connection") && !has_connection(record)) continue;
      if (column.unit == Unit::flags) {
        column.set(record, static_cast<std::int64_t>(number(256)));
      } else if (column.unit == Unit::end_reason) {
        column.set(record, static_cast<std::int64_t>(1 + number(5)));
      } else {
        column.set(record, static_cast<std::int64_t>(count()));
      }
    }
  }

  // Both values or none.
  bool has_connection(const FlowRecord& record) const { return record.data_segments % 2 == 0; }

  std::mt19937_64 random_;
  const RecordLayout layout_;
};

const RecordLayout kLayouts[] = {{},
                                 {.vlan = true},
                                 {.absent = not_counted_by(Method::five_tuple)},
                                 {.biflow = true},
                                 {.vlan = true, .biflow = true, .absent = not_counted_by(Method::five_tuple)}};

TEST(IpfixRoundTrip, CsvAndJsonOfRandomFlowsAreTheSame) {
  unsigned seed = 1;
  for (const RecordLayout& layout : kLayouts) {
    const std::vector<Biflow> flows = RandomFlows(seed++, layout).some(test::fewer(2'000));
    const IpfixContent content = test::ipfix_content(ipfix_file(flows, layout, IpfixProfile::everything));
    ASSERT_EQ(content.damage_text(), "");
    ASSERT_EQ(content.flows.size(), flows.size());
    EXPECT_EQ(content.no_flows, 0u);
    EXPECT_EQ(content.layout.vlan, layout.vlan);
    EXPECT_EQ(content.layout.biflow, layout.biflow);
    EXPECT_EQ(content.layout.absent, layout.absent);
    for (const Format format : {Format::csv, Format::json}) {
      ASSERT_EQ(text_of(format, content.flows, content.layout), text_of(format, flows, layout));
    }
  }
}

// In elements of our own; what is not known is 0 there, and a handshake that there was none of has no element.
TEST(IpfixRoundTrip, KeepsFirstPackets) {
  const RecordLayout layout{.biflow = true,
                            .extra = {test::extra_column("first_packet"), test::extra_column("reverse_first_packet"),
                                      test::extra_column("handshake_ns")}};
  std::vector<Biflow> flows = RandomFlows(4, layout).some(2'000);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].forward.arrival = i % 4;
    flows[i].reverse.arrival = i << 33;
    if (flows[i].forward.key.protocol == kProtocolTcp) flows[i].forward.syn_count = flows[i].reverse.syn_count = i % 2;
  }
  for (const IpfixProfile profile : {IpfixProfile::everything, IpfixProfile::plain}) {
    const IpfixContent content = test::ipfix_content(ipfix_file(flows, layout, profile));
    ASSERT_EQ(content.damage_text(), "");
    ASSERT_EQ(content.flows.size(), flows.size());
    const bool has_numbers = profile == IpfixProfile::everything;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      ASSERT_EQ(content.flows[i].forward.arrival, has_numbers ? flows[i].forward.arrival : 0) << i;
      ASSERT_EQ(content.flows[i].forward.packets, flows[i].forward.packets) << i;
      if (!flows[i].has_reverse) continue;
      ASSERT_EQ(content.flows[i].reverse.arrival, has_numbers ? flows[i].reverse.arrival : 0) << i;
    }
  }
}

// Without the columns that have no element of IANA, or of ntop.
TEST(IpfixRoundTrip, OtherProfilesKeepWhatTheyHave) {
  for (const IpfixProfile profile : {IpfixProfile::plain, IpfixProfile::ntop}) {
    std::vector<Biflow> flows = RandomFlows(9, {.biflow = true}).some(500);
    for (Biflow& flow : flows) {  // ntop's have 4 octets
      flow.forward.retransmitted_segments %= 1u << 31;
      flow.reverse.retransmitted_segments %= 1u << 31;
    }
    const IpfixContent content = test::ipfix_content(ipfix_file(flows, {.biflow = true}, profile));
    ASSERT_EQ(content.damage_text(), "");
    ASSERT_EQ(content.flows.size(), flows.size());
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const FlowRecord &read = content.flows[i].forward, &written = flows[i].forward;
      EXPECT_EQ(read.packets, written.packets);
      EXPECT_EQ(read.start_ns, written.start_ns);
      EXPECT_EQ(content.flows[i].has_reverse, flows[i].has_reverse);
      EXPECT_EQ(content.flows[i].reverse.bytes, flows[i].has_reverse ? flows[i].reverse.bytes : 0);
      EXPECT_TRUE(read.absent >> column_number("duplicate_packets") & 1);
      if (written.key.protocol != kProtocolTcp) continue;
      EXPECT_EQ(read.syn_count, written.syn_count);
      EXPECT_EQ(read.flags & kHasConnection, 0);
      const std::size_t column = column_number("retransmitted_segments");
      EXPECT_EQ(column_value(column, read, read.absent).has_value(), profile == IpfixProfile::ntop);
      if (profile != IpfixProfile::ntop) continue;
      EXPECT_EQ(read.retransmitted_segments, written.retransmitted_segments);
    }
    EXPECT_TRUE(content.layout.absent >> column_number("payload_bytes") & 1);
  }
}

// Other exporters' columns that were not there, written again.
TEST(IpfixRoundTrip, RecordsKeepTheirAbsentColumns) {
  std::vector<Biflow> flows = RandomFlows(5, {}).some(300);
  for (std::size_t i = 0; i < flows.size(); ++i)
    flows[i].forward.absent = static_cast<std::uint32_t>(i % 7) << (i % 11);
  const IpfixContent content = test::ipfix_content(ipfix_file(flows, {}, IpfixProfile::everything));
  ASSERT_EQ(content.damage_text(), "");
  EXPECT_EQ(text_of(Format::csv, content.flows, content.layout), text_of(Format::csv, flows, {}));
}

// Templates tell it before any flow of TCP does.
TEST(IpfixRoundTrip, WhatAMethodDoesNotCountIsAbsentWhateverFlowsThereAre) {
  const RecordLayout layout{.absent = not_counted_by(Method::five_tuple)};
  for (const std::size_t count : {0, 1, 50}) {
    std::vector<Biflow> flows = RandomFlows(3, layout).some(count);
    for (Biflow& flow : flows) flow.forward.key.protocol = kProtocolUdp;
    EXPECT_EQ(test::ipfix_content(ipfix_file(flows, layout, {})).layout.absent, layout.absent) << count;
    EXPECT_EQ(test::ipfix_content(ipfix_file(flows, {}, {})).layout.absent, 0u) << count;
  }
}

TEST(IpfixRoundTrip, AFileOfOurOwnWithoutFlows) {
  const IpfixContent content = test::ipfix_content(ipfix_file({}, {.vlan = true, .biflow = true}, {}));
  EXPECT_TRUE(content.flows.empty());
  EXPECT_FALSE(content.damage);
  EXPECT_TRUE(content.layout.vlan);
  EXPECT_TRUE(content.layout.biflow);
}

}  // namespace
}  // namespace warpmeter
