#include "record/collector/netflow_v9_record.h"

#include <algorithm>
#include <utility>

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

}  // namespace warpmeter::inline record
