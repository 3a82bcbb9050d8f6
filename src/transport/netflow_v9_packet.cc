#include "transport/netflow_v9_packet.h"

#include <algorithm>
#include <utility>

#include "warpmeter/byte_order.h"

namespace warpmeter {
namespace {

enum Field : std::uint16_t {
  IN_BYTES = 1,
  IN_PKTS = 2,
  PROTOCOL = 4,
  TCP_FLAGS = 6,
  L4_SRC_PORT = 7,
  IPV4_SRC_ADDR = 8,
  L4_DST_PORT = 11,
  IPV4_DST_ADDR = 12,
  LAST_SWITCHED = 21,
  FIRST_SWITCHED = 22,
  IPV6_SRC_ADDR = 27,
  IPV6_DST_ADDR = 28,
  ICMP_TYPE = 32,
  SRC_VLAN = 58,
  IP_PROTOCOL_VERSION = 60
};

constexpr std::uint16_t kVersion = 9, kTemplateFlowSet = 0;
constexpr std::uint16_t kTemplates = 256, kTemplateCount = 4;  // + 1 of IPv6, + 2 of ICMP
constexpr std::size_t kHeader = 20, kFlowSetHeader = 4;
constexpr std::size_t kFirstAt = 0, kLastAt = 4;  // times come first in a record
constexpr std::int64_t kMsPerSecond = 1000, kLatestMs = std::int64_t{UINT32_MAX} * kMsPerSecond;
constexpr std::int64_t kBootBefore = kMsPerSecond;                            // a FIRST_SWITCHED of 0 could mean none
constexpr std::int64_t kLongestMs = UINT32_MAX - kBootBefore - kMsPerSecond;  // sysUptime is rounded up to a second

class Bytes {
 public:
  explicit Bytes(std::vector<std::uint8_t>& to) : to_(to) {}
  Bytes& number(std::uint64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) to_.push_back(static_cast<std::uint8_t>(value >> shift));
    return *this;
  }
  Bytes& zeros(std::size_t count) {
    to_.resize(to_.size() + count);
    return *this;
  }
  Bytes& copy(const std::uint8_t* from, std::size_t count) {
    to_.insert(to_.end(), from, from + count);
    return *this;
  }

 private:
  std::vector<std::uint8_t>& to_;
};

void begin_packet(Bytes to) { to.number(kVersion, 2).zeros(kHeader - 2); }

void fill_header(std::vector<std::uint8_t>& packet, std::uint16_t count, std::uint32_t uptime_ms,
                 std::uint32_t unix_seconds, std::uint32_t sequence) {
  store_be16(&packet[2], count);
  store_be32(&packet[4], uptime_ms);
  store_be32(&packet[8], unix_seconds);
  store_be32(&packet[12], sequence);
}

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

std::uint16_t template_of(const FlowKey& key) {
  const bool icmp = key.protocol == kProtocolIcmp || key.protocol == kProtocolIcmpV6;
  return static_cast<std::uint16_t>(kTemplates + (key.version == 6 ? 1 : 0) + (icmp ? 2 : 0));
}

bool is_v6(std::uint16_t id) { return (id - kTemplates) & 1; }
bool is_icmp(std::uint16_t id) { return (id - kTemplates) & 2; }

using TemplateFields = std::vector<std::pair<std::uint16_t, std::uint16_t>>;  // type, size

TemplateFields fields_of(std::uint16_t id, bool vlan) {
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
  if (vlan) fields.emplace_back(SRC_VLAN, 2);
  return fields;
}

std::size_t record_size(std::uint16_t id, bool vlan) {
  return 4 + 4 + (is_v6(id) ? 32 : 8) + 2 + 2 + 1 + 1 + 8 + 8 + 1 + (is_icmp(id) ? 2 : 0) + (vlan ? 2 : 0);
}

void write_template(Bytes to, std::uint16_t id, bool vlan) {
  const TemplateFields fields = fields_of(id, vlan);
  to.number(id, 2).number(fields.size(), 2);
  for (const auto& [type, size] : fields) to.number(type, 2).number(size, 2);
}

void write_record(Bytes to, const FlowRecord& r, std::uint16_t id, bool vlan) {
  const std::size_t address = is_v6(id) ? 16 : 4;
  to.number(0, 4).number(0, 4).copy(r.key.source, address).copy(r.key.destination, address);
  to.copy(r.key.source_port, 2).copy(r.key.destination_port, 2).number(r.key.protocol, 1).number(r.key.version, 1);
  to.number(r.bytes, 8).number(r.packets, 8).number(r.tcp_flags, 1);
  if (is_icmp(id)) to.copy(r.key.destination_port, 2);  // type * 256 + code
  if (vlan) to.copy(r.key.vlan, 2);
}

// Rounded down, where unix_secs can tell it.
std::int64_t milliseconds_of(std::int64_t ns) {
  return std::clamp<std::int64_t>(ns < 0 ? 0 : ns / 1'000'000, 0, kLatestMs);
}

}  // namespace

std::vector<std::uint8_t> netflow_v9_templates(bool vlan, std::uint32_t sequence, std::uint32_t unix_seconds) {
  std::vector<std::uint8_t> packet;
  Bytes to(packet);
  begin_packet(to);
  to.number(kTemplateFlowSet, 2).number(0, 2);
  for (int i = 0; i < kTemplateCount; ++i) write_template(to, static_cast<std::uint16_t>(kTemplates + i), vlan);
  store_be16(&packet[kHeader + 2], static_cast<std::uint16_t>(packet.size() - kHeader));
  fill_header(packet, kTemplateCount, 0, unix_seconds, sequence);
  return packet;
}

bool NetflowV9Packet::add(const FlowRecord& record) {
  const std::int64_t last = milliseconds_of(record.end_ns);
  const std::int64_t first = std::clamp(milliseconds_of(record.start_ns), last - kLongestMs, last);
  const std::uint16_t id = template_of(record.key);
  if (empty()) {
    bytes_.clear();
    begin_packet(Bytes(bytes_));
    set_at_ = 0;
    earliest_ms_ = first;
    latest_ms_ = last;
  } else {
    const std::int64_t earliest = std::min(earliest_ms_, first), latest = std::max(latest_ms_, last);
    if (latest - earliest > kLongestMs) return false;
    const std::size_t from = id == template_ ? bytes_.size() : padded(bytes_.size()) + kFlowSetHeader;
    if (padded(from + record_size(id, vlan_)) > largest_) return false;
    earliest_ms_ = earliest;
    latest_ms_ = latest;
  }
  if (set_at_ == 0 || id != template_) begin_set(id);
  times_.push_back({first, last, bytes_.size()});
  write_record(Bytes(bytes_), record, id, vlan_);
  ++count_;
  return true;
}

void NetflowV9Packet::begin_set(std::uint16_t id) {
  end_set();
  set_at_ = bytes_.size();
  template_ = id;
  Bytes(bytes_).number(id, 2).number(0, 2);
}

void NetflowV9Packet::end_set() {
  if (set_at_ == 0) return;
  bytes_.resize(padded(bytes_.size()));
  store_be16(&bytes_[set_at_ + 2], static_cast<std::uint16_t>(bytes_.size() - set_at_));
}

std::vector<std::uint8_t> NetflowV9Packet::finish(std::uint32_t sequence) {
  const std::int64_t boot = earliest_ms_ - kBootBefore;
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

}  // namespace warpmeter
