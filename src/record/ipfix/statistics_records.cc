#include "record/ipfix/statistics_records.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "core/byte_order.h"

namespace warpmeter::inline record {
namespace {

enum : std::uint16_t {
  kMeteringTemplate = kFirstStatisticsTemplate,
  kIgnoredTemplate,
  kNotSentTemplate,
  kPointTemplate,
};
constexpr std::size_t kLongestName = 254;  // for which one octet tells the length

void store(std::uint8_t*& at, std::uint32_t value) {
  store_be32(at, value);
  at += 4;
}
void store(std::uint8_t*& at, std::uint64_t value) {
  store_be32(at, static_cast<std::uint32_t>(value >> 32));
  store_be32(at + 4, static_cast<std::uint32_t>(value));
  at += 8;
}

void write_counts(MessageBuilder& builder, std::uint16_t id, std::uint32_t scope,
                  std::initializer_list<std::uint64_t> counts) {
  std::uint8_t* at = builder.room_of_options(id, 4 + 8 * counts.size());
  store(at, scope);
  for (const std::uint64_t count : counts) store(at, count);
}

void write_point(MessageBuilder& builder, const ProcessStatistics::Point& point) {
  const std::size_t name = std::min(point.interface.size(), kLongestName);
  std::uint8_t* at = builder.room_of_options(kPointTemplate, 8 + 1 + name + 8 + 8);
  store(at, point.id);
  *at++ = static_cast<std::uint8_t>(name);
  std::memcpy(at, point.interface.data(), name);
  at += name;
  store(at, point.packets);
  store(at, point.dropped);
}

}  // namespace

const std::vector<OptionsDefinition>& statistics_templates() {
  static const std::vector<OptionsDefinition> kTemplates = {
      {kMeteringTemplate,
       1,
       {{"observationDomainId", 4},
        {"exportedMessageTotalCount", 8},
        {"exportedFlowRecordTotalCount", 8},
        {"exportedOctetTotalCount", 8},
        {"observedFlowTotalCount", 8}}},
      {kIgnoredTemplate,
       1,
       {{"observationDomainId", 4}, {"ignoredPacketTotalCount", 8}, {"ignoredOctetTotalCount", 8}}},
      {kNotSentTemplate, 1, {{"exportingProcessId", 4}, {"notSentFlowTotalCount", 8}}},
      {kPointTemplate,
       1,
       {{"observationPointId", 8},
        {"interfaceName", kVariableOctets},
        {"packetTotalCount", 8},
        {"droppedPacketTotalCount", 8}}}};
  return kTemplates;
}

std::uint32_t write_statistics(const ProcessStatistics& s, std::uint32_t domain, MessageBuilder& builder) {
  write_counts(builder, kMeteringTemplate, domain,
               {s.exported_messages, s.exported_records, s.exported_bytes, s.observed_flows});
  write_counts(builder, kIgnoredTemplate, domain, {s.ignored_packets, s.ignored_bytes});
  write_counts(builder, kNotSentTemplate, s.process_id, {s.not_sent_flows});
  for (const ProcessStatistics::Point& point : s.points) write_point(builder, point);
  return 3 + static_cast<std::uint32_t>(s.points.size());
}

}  // namespace warpmeter::inline record
