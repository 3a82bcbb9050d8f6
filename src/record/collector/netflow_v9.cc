#include "record/collector/netflow_v9.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "core/byte_order.h"
#include "core/observed_points.h"

namespace warpmeter::inline record {
namespace {

enum Field : std::uint16_t {
  IN_BYTES = 1,
  IN_PKTS = 2,
  PROTOCOL = 4,
  TCP_FLAGS = 6,
  L4_SRC_PORT = 7,
  IPV4_SRC_ADDR = 8,
  INPUT_SNMP = 10,
  L4_DST_PORT = 11,
  IPV4_DST_ADDR = 12,
  OUTPUT_SNMP = 14,
  LAST_SWITCHED = 21,
  FIRST_SWITCHED = 22,
  IPV6_SRC_ADDR = 27,
  IPV6_DST_ADDR = 28,
  ICMP_TYPE = 32,
  SRC_VLAN = 58,
  IP_PROTOCOL_VERSION = 60,
  DIRECTION = 61
};

constexpr std::uint16_t kFirstTemplate = 256;  // + 1 of IPv6, + 2 of ICMP, + 4 where this host sends
constexpr std::int64_t kLatestMs = std::int64_t{UINT32_MAX} * 1000;

std::uint16_t template_of(const FlowKey& key, bool egress) {
  const bool icmp = key.protocol == kProtocolIcmp || key.protocol == kProtocolIcmpV6;
  return static_cast<std::uint16_t>(kFirstTemplate + (key.version == 6 ? 1 : 0) + (icmp ? 2 : 0) + (egress ? 4 : 0));
}

bool is_v6(std::uint16_t id) { return (id - kFirstTemplate) & 1; }
bool is_icmp(std::uint16_t id) { return (id - kFirstTemplate) & 2; }
bool is_egress(std::uint16_t id) { return (id - kFirstTemplate) & 4; }

using TemplateFields = std::vector<std::pair<std::uint16_t, std::uint16_t>>;  // type, size

TemplateFields fields_of(std::uint16_t id, const RecordLayout& layout) {
  const bool v6 = is_v6(id);
  const std::uint16_t address = v6 ? 16 : 4;
  TemplateFields fields = {{FIRST_SWITCHED, 4},
                           {LAST_SWITCHED, 4},
                           {v6 ? IPV6_SRC_ADDR : IPV4_SRC_ADDR, address},
                           {v6 ? IPV6_DST_ADDR : IPV4_DST_ADDR, address},
                           {L4_SRC_PORT, 2},
                           {L4_DST_PORT, 2},
                           {PROTOCOL, 1},
                           {IP_PROTOCOL_VERSION, 1},
                           {IN_BYTES, 8},
                           {IN_PKTS, 8},
                           {TCP_FLAGS, 1}};
  if (is_icmp(id)) fields.emplace_back(ICMP_TYPE, 2);
  if (layout.vlan) fields.emplace_back(SRC_VLAN, 2);
  if (layout.observed) fields.insert(fields.end(), {{is_egress(id) ? OUTPUT_SNMP : INPUT_SNMP, 4}, {DIRECTION, 1}});
  return fields;
}

// Rounded down, where unix_secs can tell it.
std::int64_t milliseconds_of(std::int64_t ns) {
  return std::clamp<std::int64_t>(ns < 0 ? 0 : ns / 1'000'000, 0, kLatestMs);
}

constexpr std::uint16_t kVersion = 9, kTemplateFlowSet = 0, kOptionsTemplateFlowSet = 1;
constexpr std::size_t kHeader = 20, kFlowSetHeader = 4;
constexpr std::size_t kFirstAt = 0, kLastAt = 4;  // times come first in a record
constexpr std::int64_t kMsPerSecond = 1000;

void begin_packet(std::vector<std::uint8_t>& packet) { Octets(packet).number(kVersion, 2).zeros(kHeader - 2); }

void fill_header(std::vector<std::uint8_t>& packet, std::uint16_t count, std::uint32_t uptime_ms,
                 std::uint32_t unix_seconds, std::uint32_t sequence) {
  store_be16(&packet[2], count);
  store_be32(&packet[4], uptime_ms);
  store_be32(&packet[8], unix_seconds);
  store_be32(&packet[12], sequence);
}

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

// An Options Template (RFC 3954, section 6.1) and its Data Record, of the whole exporter. No SAMPLING_ALGORITHM: nfcapd
// 1.7.1 passes over what has it. Returns how many that are.
std::uint16_t append_sampling(std::vector<std::uint8_t>& packet, std::uint32_t one_in) {
  constexpr std::uint16_t kTemplate = 512, kSystem = 1, kSamplingInterval = 34;
  constexpr std::size_t kScopes = 4, kOptions = 4;  // octets that name them
  Octets octets(packet);
  octets.number(kOptionsTemplateFlowSet, 2).number(padded(kFlowSetHeader + 6 + kScopes + kOptions), 2);
  octets.number(kTemplate, 2).number(kScopes, 2).number(kOptions, 2);
  octets.number(kSystem, 2).number(4, 2).number(kSamplingInterval, 2).number(4, 2);
  octets.zeros(padded(packet.size()) - packet.size());
  octets.number(kTemplate, 2).number(kFlowSetHeader + 4 + 4, 2);
  octets.number(0, 4).number(one_in, 4);
  return 2;
}

}  // namespace

void append_netflow_v9_templates(std::vector<std::uint8_t>& to, const RecordLayout& layout) {
  Octets octets(to);
  for (int i = 0; i < netflow_v9_templates_of(layout); ++i) {
    const auto id = static_cast<std::uint16_t>(kFirstTemplate + i);
    const TemplateFields fields = fields_of(id, layout);
    octets.number(id, 2).number(fields.size(), 2);
    for (const auto& [type, size] : fields) octets.number(type, 2).number(size, 2);
  }
}

NetflowV9Record append_netflow_v9_record(std::vector<std::uint8_t>& to, const FlowRecord& r,
                                         const RecordLayout& layout) {
  ObservedPoints::Place place{};
  if (layout.observed) place = layout.observed->of(r.arrival);
  const std::uint16_t id = template_of(r.key, place.egress);
  const std::size_t address = is_v6(id) ? 16 : 4, before = to.size();
  Octets octets(to);
  octets.zeros(4 + 4).copy(r.key.source, address).copy(r.key.destination, address);
  octets.copy(r.key.source_port, 2).copy(r.key.destination_port, 2).number(r.key.protocol, 1).number(r.key.version, 1);
  octets.number(r.bytes, 8).number(r.packets, 8).number(r.tcp_flags, 1);
  if (is_icmp(id)) octets.copy(r.key.destination_port, 2);  // type * 256 + code
  if (layout.vlan) octets.copy(r.key.vlan, 2);
  if (layout.observed) octets.number(place.point ? place.point->interface : 0, 4).number(place.egress, 1);
  const std::int64_t last = milliseconds_of(r.end_ns);
  const std::int64_t first = std::clamp(milliseconds_of(r.start_ns), last - kNetflowV9LongestMs, last);
  return {id, static_cast<std::uint16_t>(to.size() - before), first, last};
}

std::vector<std::uint8_t> netflow_v9_templates(const RecordLayout& layout, std::uint32_t sequence,
                                               std::uint32_t unix_seconds) {
  std::vector<std::uint8_t> packet;
  begin_packet(packet);
  Octets(packet).number(kTemplateFlowSet, 2).number(0, 2);
  append_netflow_v9_templates(packet, layout);
  store_be16(&packet[kHeader + 2], static_cast<std::uint16_t>(packet.size() - kHeader));
  auto count = static_cast<std::uint16_t>(netflow_v9_templates_of(layout));
  if (layout.sample_one_in > 1 || layout.sample_changes)
    count = static_cast<std::uint16_t>(count + append_sampling(packet, layout.sample_one_in));
  fill_header(packet, count, 0, unix_seconds, sequence);
  return packet;
}

bool NetflowV9Packet::add(const NetflowV9Record& record, const std::uint8_t* octets) {
  const std::uint16_t id = record.template_id;
  if (empty()) {
    bytes_.clear();
    begin_packet(bytes_);
    set_at_ = 0;
    earliest_ms_ = record.first_ms;
    latest_ms_ = record.last_ms;
  } else {
    const std::int64_t earliest = std::min(earliest_ms_, record.first_ms);
    const std::int64_t latest = std::max(latest_ms_, record.last_ms);
    if (latest - earliest > kNetflowV9LongestMs) return false;
    const std::size_t from = id == template_ ? bytes_.size() : padded(bytes_.size()) + kFlowSetHeader;
    if (padded(from + record.octets) > largest_) return false;
    earliest_ms_ = earliest;
    latest_ms_ = latest;
  }
  if (set_at_ == 0 || id != template_) begin_set(id);
  times_.push_back({record.first_ms, record.last_ms, bytes_.size()});
  Octets(bytes_).copy(octets, record.octets);
  ++count_;
  return true;
}

void NetflowV9Packet::begin_set(std::uint16_t id) {
  end_set();
  set_at_ = bytes_.size();
  template_ = id;
  Octets(bytes_).number(id, 2).number(0, 2);
}

void NetflowV9Packet::end_set() {
  if (set_at_ == 0) return;
  bytes_.resize(padded(bytes_.size()));
  store_be16(&bytes_[set_at_ + 2], static_cast<std::uint16_t>(bytes_.size() - set_at_));
}

std::vector<std::uint8_t> NetflowV9Packet::finish(std::uint32_t sequence) {
  const std::int64_t boot = earliest_ms_ - kNetflowV9BootBefore;
  const std::int64_t now = (latest_ms_ + kMsPerSecond - 1) / kMsPerSecond;
  for (const Times& times : times_) {
    store_be32(&bytes_[times.record_at + kFirstAt], static_cast<std::uint32_t>(times.first_ms - boot));
    store_be32(&bytes_[times.record_at + kLastAt], static_cast<std::uint32_t>(times.last_ms - boot));
  }
  end_set();
  fill_header(bytes_, count_, static_cast<std::uint32_t>(now * kMsPerSecond - boot), static_cast<std::uint32_t>(now),
              sequence);
  times_.clear();
  count_ = 0;
  return std::exchange(bytes_, {});
}

NetflowV9Writer::NetflowV9Writer(const CollectorOptions& options, const RecordLayout& layout)
    : layout_(layout),
      format_(layout),
      sender_(options, resolve(options.address)),
      refresh_(options.template_refresh, options.template_refresh_messages),
      packet_(sender_.largest()) {}

void NetflowV9Writer::begin() {
  send_templates();
  while (sender_.moved_on()) {
    sequence_ = 0;
    template_messages_ = 0;
    send_templates();
  }
}

void NetflowV9Writer::append(RecordSection& section) {
  static_cast<NetflowV9Section&>(section).take(
      [this](const NetflowV9Record& record, const std::uint8_t* octets) { add(record, octets); });
}

void NetflowV9Writer::add(const NetflowV9Record& record, const std::uint8_t* octets) {
  ++records_;
  if (packet_.add(record, octets)) return;
  send_packet();
  packet_.add(record, octets);
}

void NetflowV9Writer::flush() {
  if (!packet_.empty()) send_packet();
}

void NetflowV9Writer::tell_sample(std::uint32_t one_in) {
  flush();
  layout_.sample_one_in = one_in;
  send_templates();
}

void NetflowV9Writer::end() {
  flush();
  sender_.settle();
}

void NetflowV9Writer::send_packet() {
  if (refresh_.due()) send_templates();
  const std::uint16_t records = packet_.records();
  if (!sender_.send(packet_.finish(sequence_++), records, records)) lost_records_ += records;
  refresh_.message_sent();
  known_.set({counters(), 0, true});
}

void NetflowV9Writer::send_templates() {
  const auto now = static_cast<std::uint32_t>(std::time(nullptr));
  if (sender_.send(netflow_v9_templates(layout_, sequence_++, now), 0, 0)) ++template_messages_;
  refresh_.templates_sent();
}

ExportCounters NetflowV9Writer::counters() const {
  ExportCounters counters = sender_.counters();
  counters.records = records_;
  counters.lost_records = lost_records_;
  counters.template_messages = template_messages_;
  return counters;
}

ExportReport NetflowV9Writer::report() const { return {counters(), sender_.problem()}; }

}  // namespace warpmeter::inline record
