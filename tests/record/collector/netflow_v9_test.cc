// NetFlow v9 as a collector decodes it: every field, times around any boot, and packets that keep to their limits.
#include "record/collector/netflow_v9.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "core/observed_points.h"
#include "record/collector/loopback.h"
#include "support/export_records.h"
#include "support/random_flows.h"
#include "support/writers.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::counted_record;
using test::key_of;
using test::UdpReceiver;

constexpr int kFirst = 22, kLast = 21;

using Fields = std::map<int, Bytes>;  // by field type

std::uint64_t number(const Bytes& bytes) {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

// Knows nothing but RFC 3954.
class Collector {
 public:
  std::vector<Fields> read(const Bytes& packet) {
    EXPECT_EQ(load_be16(&packet[0]), 9);
    uptime_ms = load_be32(&packet[4]);
    unix_seconds = load_be32(&packet[8]);
    sequence = load_be32(&packet[12]);
    std::vector<Fields> records;
    std::size_t templates = 0;
    for (std::size_t at = 20; at < packet.size();) {
      const std::uint16_t id = load_be16(&packet[at]), size = load_be16(&packet[at + 2]);
      EXPECT_EQ(size % 4, 0);
      const Bytes set(packet.begin() + at + 4, packet.begin() + at + size);
      if (id == 0) templates += read_templates(set);
      else if (id == 1) templates += read_options_template(set);
      else read_records(set, templates_.at(id), records);
      at += size;
    }
    EXPECT_EQ(load_be16(&packet[2]), templates + records.size());
    return records;
  }
  std::int64_t milliseconds(const Fields& record, int field) const {
    return std::int64_t{unix_seconds} * 1000 - uptime_ms + static_cast<std::int64_t>(number(record.at(field)));
  }
  std::uint32_t uptime_ms = 0, unix_seconds = 0, sequence = 0;

 private:
  std::size_t read_templates(const Bytes& set) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < set.size(); ++count) {
      auto& fields = templates_[load_be16(&set[at])];
      fields.clear();
      const int many = load_be16(&set[at + 2]);
      at += 4;
      for (int i = 0; i < many; ++i, at += 4) fields.push_back({load_be16(&set[at]), load_be16(&set[at + 2])});
    }
    return count;
  }
  // Of one, whose scope and options count their octets; a scope is shown as a field of a negative type.
  std::size_t read_options_template(const Bytes& set) {
    auto& fields = templates_[load_be16(&set[0])];
    fields.clear();
    const int scopes = load_be16(&set[2]), options = load_be16(&set[4]);
    for (int at = 0; at < scopes + options; at += 4) {
      const int type = load_be16(&set[6 + at]);
      fields.push_back({at < scopes ? -type : type, load_be16(&set[8 + at])});
    }
    return 1;
  }
  static void read_records(const Bytes& set, const std::vector<std::pair<int, int>>& fields, std::vector<Fields>& to) {
    int size = 0;
    for (const auto& field : fields) size += field.second;
    auto at = set.begin();
    for (; set.end() - at >= size;) {
      Fields record;
      for (const auto& [type, length] : fields) {
        record[type] = Bytes(at, at + length);
        at += length;
      }
      to.push_back(record);
    }
    EXPECT_LT(set.end() - at, 4);  // padding
    for (; at < set.end(); ++at) EXPECT_EQ(*at, 0);
  }

  std::map<int, std::vector<std::pair<int, int>>> templates_;
};

FlowRecord record_at(std::int64_t start_ns, std::int64_t end_ns) {
  FlowRecord record = counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  record.start_ns = start_ns;
  record.end_ns = end_ns;
  return record;
}

bool add(NetflowV9Packet& packet, const FlowRecord& record, const RecordLayout& layout = {}) {
  Bytes octets;
  const NetflowV9Record encoded = append_netflow_v9_record(octets, record, layout);
  return packet.add(encoded, octets.data());
}

Collector with_templates(const RecordLayout& layout = {}) {
  Collector collector;
  EXPECT_TRUE(collector.read(netflow_v9_templates(layout, 7, 1'700'000'000)).empty());
  EXPECT_EQ(collector.sequence, 7u);
  EXPECT_EQ(collector.unix_seconds, 1'700'000'000u);
  return collector;
}

TEST(NetflowV9Packet, TellsTheRateOfASampleWithTheTemplates) {
  Collector collector;
  const auto records = collector.read(netflow_v9_templates({.sample_one_in = 100'000}, 7, 1'700'000'000));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(number(records[0].at(-1)), 0u);  // System
  EXPECT_EQ(number(records[0].at(34)), 100'000u);
  EXPECT_FALSE(records[0].contains(35));  // nfcapd passes over a record with it
}

TEST(NetflowV9Packet, TellsARateThatMayChangeFromTheBeginning) {
  const auto records = Collector().read(netflow_v9_templates({.sample_changes = true}, 7, 1'700'000'000));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(number(records[0].at(34)), 1u);
}

TEST(NetflowV9Packet, CarriesEveryFieldOfIpv4) {
  Collector collector = with_templates({.vlan = true});
  FlowRecord record = counted_record(key_of("10.1.2.3", "192.168.0.1", 40000, 443, 6));
  record.key.vlan[1] = 42;
  record.packets = 0x1'0000'0001;
  record.bytes = 0x1234'5678'9abc;
  NetflowV9Packet packet(1472);
  ASSERT_TRUE(add(packet, record, {.vlan = true}));
  const auto records = collector.read(packet.finish(8));
  ASSERT_EQ(records.size(), 1u);
  const Fields& got = records[0];
  EXPECT_EQ(got.at(8), (Bytes{10, 1, 2, 3}));
  EXPECT_EQ(got.at(12), (Bytes{192, 168, 0, 1}));
  EXPECT_EQ(number(got.at(7)), 40000u);
  EXPECT_EQ(number(got.at(11)), 443u);
  EXPECT_EQ(number(got.at(4)), 6u);
  EXPECT_EQ(number(got.at(60)), 4u);
  EXPECT_EQ(number(got.at(1)), record.bytes);
  EXPECT_EQ(number(got.at(2)), record.packets);
  EXPECT_EQ(number(got.at(6)), 0x1bu);
  EXPECT_EQ(number(got.at(58)), 42u);
  EXPECT_EQ(collector.milliseconds(got, kFirst), 1'700'000'000'123);
  EXPECT_EQ(collector.milliseconds(got, kLast), 1'700'000'001'623);
  EXPECT_EQ(collector.sequence, 8u);
}

TEST(NetflowV9Packet, SaysWhereAFlowWasObserved) {
  ObservedPoints points;
  const RecordLayout layout{.observed = &points};
  const std::uint32_t point = points.add("eth0", 70'000);
  Collector collector = with_templates(layout);
  NetflowV9Packet packet(1472);
  FlowRecord record = counted_record(key_of("10.1.2.3", "192.168.0.1", 40000, 443, 6));
  for (const bool egress : {false, true}) {
    record.arrival = observed_number(9, place_of(point, egress));
    ASSERT_TRUE(add(packet, record, layout));
  }
  const auto records = collector.read(packet.finish(8));
  ASSERT_EQ(records.size(), 2u);
  constexpr int kInput = 10, kOutput = 14, kDirection = 61;
  EXPECT_EQ(number(records[0].at(kInput)), 70'000u);
  EXPECT_FALSE(records[0].contains(kOutput));
  EXPECT_EQ(number(records[0].at(kDirection)), 0u);
  EXPECT_EQ(number(records[1].at(kOutput)), 70'000u);
  EXPECT_FALSE(records[1].contains(kInput));
  EXPECT_EQ(number(records[1].at(kDirection)), 1u);
}

TEST(NetflowV9Packet, CarriesIpv6) {
  Collector collector = with_templates();
  const FlowRecord record = counted_record(key_of("2001:db8::1", "fe80::2", 53, 54, 17));
  NetflowV9Packet packet(1452);
  ASSERT_TRUE(add(packet, record));
  const auto records = collector.read(packet.finish(0));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].at(27), Bytes(record.key.source, record.key.source + 16));
  EXPECT_EQ(records[0].at(28), Bytes(record.key.destination, record.key.destination + 16));
  EXPECT_EQ(number(records[0].at(60)), 6u);
  EXPECT_EQ(records[0].count(58), 0u);
}

TEST(NetflowV9Packet, HeaderTimeIsNotBeforeAnyFlow) {
  Collector collector = with_templates();
  NetflowV9Packet packet(1472);
  for (const std::int64_t start : {1'600'000'000'999'999'999, 1'600'000'700'500'000'001, 1'600'000'000'000'000'000}) {
    ASSERT_TRUE(add(packet, record_at(start, start + 3'000'000)));
  }
  const auto records = collector.read(packet.finish(0));
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(collector.milliseconds(records[0], kFirst), 1'600'000'000'999);
  EXPECT_EQ(collector.milliseconds(records[1], kLast), 1'600'000'700'503);
  EXPECT_EQ(collector.milliseconds(records[2], kFirst), 1'600'000'000'000);
  for (const Fields& record : records) EXPECT_LE(number(record.at(kLast)), collector.uptime_ms);
  EXPECT_EQ(collector.unix_seconds, 1'600'000'701u);
}

TEST(NetflowV9Packet, TakesNoFlowThatIsTooFarAway) {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  NetflowV9Packet packet(1472);
  EXPECT_TRUE(add(packet, record_at(100 * kDay, 100 * kDay)));
  EXPECT_TRUE(add(packet, record_at(149 * kDay, 149 * kDay)));
  EXPECT_FALSE(add(packet, record_at(150 * kDay, 150 * kDay)));
  EXPECT_FALSE(add(packet, record_at(99 * kDay, 99 * kDay)));
  EXPECT_EQ(packet.records(), 2);
  Collector collector = with_templates();
  const auto records = collector.read(packet.finish(0));
  EXPECT_EQ(collector.milliseconds(records[0], kFirst), 100 * kDay / 1'000'000);
  EXPECT_EQ(collector.milliseconds(records[1], kFirst), 149 * kDay / 1'000'000);
  EXPECT_TRUE(add(packet, record_at(150 * kDay, 150 * kDay)));
}

TEST(NetflowV9Packet, FlowThatIsTooLongKeepsItsEnd) {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  Collector collector = with_templates();
  NetflowV9Packet packet(1472);
  ASSERT_TRUE(add(packet, record_at(100 * kDay, 200 * kDay)));
  const auto records = collector.read(packet.finish(0));
  EXPECT_EQ(collector.milliseconds(records[0], kLast), 200 * kDay / 1'000'000);
  EXPECT_GT(collector.milliseconds(records[0], kFirst), 150 * kDay / 1'000'000);
}

TEST(NetflowV9Packet, TimesThatCannotBeToldBecomeTheNearest) {
  Collector collector = with_templates();
  NetflowV9Packet packet(1472);
  ASSERT_TRUE(add(packet, record_at(INT64_MIN, -1)));
  auto records = collector.read(packet.finish(0));
  EXPECT_EQ(collector.milliseconds(records[0], kFirst), 0);
  EXPECT_EQ(collector.milliseconds(records[0], kLast), 0);
  ASSERT_TRUE(add(packet, record_at(INT64_MAX, INT64_MAX)));
  records = collector.read(packet.finish(0));
  EXPECT_EQ(collector.milliseconds(records[0], kLast), std::int64_t{UINT32_MAX} * 1000);
}

TEST(NetflowV9Packet, KeepsToItsSize) {
  for (const bool vlan : {false, true}) {
    Collector collector = with_templates({.vlan = vlan});
    for (std::size_t largest = 484; largest < 550; ++largest) {
      NetflowV9Packet packet(largest);
      std::size_t added = 0;
      while (add(packet, record_at(0, 0), {.vlan = vlan})) ++added;
      const Bytes bytes = packet.finish(0);
      EXPECT_LE(bytes.size(), largest);
      EXPECT_GT(bytes.size() + 50, largest);
      EXPECT_EQ(collector.read(bytes).size(), added);
    }
  }
}

TEST(NetflowV9Packet, MixesTemplatesAndKeepsToItsSize) {
  const FlowRecord records[] = {counted_record(key_of("10.0.0.1", "10.0.0.2", 1, 2, 6)),
                                counted_record(key_of("10.0.0.1", "10.0.0.3", 0, 0x0803, 1)),
                                counted_record(key_of("::1", "::2", 1, 3, 17)),
                                counted_record(key_of("::1", "::3", 0, 0x8000, 58))};
  for (const bool vlan : {false, true}) {
    Collector collector = with_templates({.vlan = vlan});
    for (std::size_t largest = 484; largest < 620; ++largest) {
      NetflowV9Packet packet(largest);
      std::size_t added = 0;
      while (add(packet, records[added % 7 % 4], {.vlan = vlan})) ++added;
      const Bytes bytes = packet.finish(0);
      EXPECT_LE(bytes.size(), largest);
      const auto got = collector.read(bytes);
      ASSERT_EQ(got.size(), added);
      for (std::size_t i = 0; i < added; ++i) {
        const FlowRecord& wanted = records[i % 7 % 4];
        const bool icmp = wanted.key.protocol == 1 || wanted.key.protocol == 58;
        EXPECT_EQ(number(got[i].at(4)), wanted.key.protocol);
        EXPECT_EQ(number(got[i].at(11)), load_be16(wanted.key.destination_port));
        EXPECT_EQ(got[i].count(32), icmp ? 1u : 0u);
        if (icmp) {
          EXPECT_EQ(number(got[i].at(32)), load_be16(wanted.key.destination_port));
        }
        EXPECT_EQ(collector.milliseconds(got[i], kFirst), 1'700'000'000'123);
      }
    }
  }
}

TEST(NetflowV9Writer, CountsPacketsAndRepeatsTemplates) {
  UdpReceiver receiver;
  CollectorOptions options = receiver.options();
  options.template_refresh_messages = 2;
  NetflowV9Writer writer(options, {});
  std::vector<Biflow> flows(121);
  for (std::uint64_t i = 0; i < 120; ++i) {
    flows[i].forward = record_at(0, 1'000'000);
    flows[i].forward.packets = i;
  }
  const FlowRecord v6 = counted_record(key_of("2001:db8::1", "fe80::2", 53, 54, 17));
  flows[120] = {v6, v6, true};
  test::write_all(writer, flows);
  const ExportReport report = writer.report();
  Collector collector;
  std::vector<Fields> records;
  for (std::uint32_t i = 0; i < report.counters.messages; ++i) {
    for (const Fields& record : collector.read(receiver.receive_bytes())) records.push_back(record);
    EXPECT_EQ(collector.sequence, i);
  }
  EXPECT_TRUE(receiver.silent());
  ASSERT_EQ(records.size(), 122u);
  for (std::uint64_t i = 0; i < 120; ++i) EXPECT_EQ(number(records[i].at(2)), i);
  EXPECT_EQ(number(records[121].at(60)), 6u);
  EXPECT_EQ(report.counters.records, 122u);
  EXPECT_GE(report.counters.template_messages, 2u);
  EXPECT_EQ(report.problem, "");
}

// What came after the Templates: it tells nothing of when it was sent.
std::vector<Bytes> data_packets(UdpReceiver& receiver, const NetflowV9Writer& writer) {
  std::vector<Bytes> packets;
  for (std::uint64_t i = 0; i < writer.report().counters.messages; ++i) packets.push_back(receiver.receive_bytes());
  EXPECT_EQ(writer.report().counters.template_messages, 1u);
  packets.erase(packets.begin());
  return packets;
}

TEST(NetflowV9Writer, SectionsOfManyThreadsMakeTheSamePackets) {
  const test::RandomFlowOptions shape{.vlan = true, .biflow = true};
  test::RandomFlows random(3, shape);
  std::vector<Biflow> flows(600);
  for (Biflow& flow : flows) flow = random.next();
  UdpReceiver receiver;
  NetflowV9Writer one_by_one(receiver.options(), {.vlan = true, .biflow = true});
  one_by_one.begin();
  RecordStream stream(one_by_one);
  for (const Biflow& flow : flows) {
    test::write_flow(stream, flow);
    stream.flush();
  }
  one_by_one.end();
  const std::vector<Bytes> wanted = data_packets(receiver, one_by_one);
  ASSERT_GT(wanted.size(), 20u);

  NetflowV9Writer writer(receiver.options(), {.vlan = true, .biflow = true});
  constexpr std::size_t kThreads = 4, kEach = 7;
  writer.begin();
  for (std::size_t from = 0; from < flows.size(); from += kThreads * kEach) {
    std::vector<std::unique_ptr<RecordSection>> sections(kThreads);
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          sections[t] = writer.format().new_section();
          for (std::size_t i = from + t * kEach; i < std::min(from + (t + 1) * kEach, flows.size()); ++i) {
            sections[t]->write(flows[i].forward, flows[i].has_reverse ? &flows[i].reverse : nullptr);
          }
        });
      }
    }
    for (const auto& section : sections) {
      writer.append(*section);
      EXPECT_EQ(section->bytes(), 0u);
    }
  }
  writer.end();
  EXPECT_EQ(data_packets(receiver, writer), wanted);
}

TEST(NetflowV9Writer, WithoutFlowsSendsTemplates) {
  UdpReceiver receiver;
  NetflowV9Writer writer(receiver.options(), {});
  writer.begin();
  writer.end();
  Collector collector;
  EXPECT_TRUE(collector.read(receiver.receive_bytes()).empty());
  EXPECT_EQ(writer.report().counters.records, 0u);
}

TEST(NetflowV9Writer, ClosedPortIsReported) {
  CollectorOptions options;
  {
    const test::Port port(SOCK_DGRAM);
    options.address = port.options().address;
  }
  NetflowV9Writer writer(options, {});
  writer.begin();
  writer.end();
  EXPECT_EQ(writer.report().problem, options.address.name() + ": nobody listens: all 1 messages were refused");
}

}  // namespace
}  // namespace warpmeter
