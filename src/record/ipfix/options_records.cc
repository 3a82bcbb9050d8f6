#include "record/ipfix/options_records.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "core/byte_order.h"
#include "core/ipfix_header.h"

namespace warpmeter::inline record {
namespace {

enum : std::uint16_t {
  kMeteringTemplate = kFirstStatisticsTemplate,
  kIgnoredTemplate,
  kNotSentTemplate,
  kPointTemplate,
};
constexpr std::size_t kLongestName = 254;  // for which one octet tells the length

void put(std::uint8_t*& at, std::uint32_t value) {
  store_be32(at, value);
  at += 4;
}
void put(std::uint8_t*& at, std::uint64_t value) {
  store_be32(at, static_cast<std::uint32_t>(value >> 32));
  store_be32(at + 4, static_cast<std::uint32_t>(value));
  at += 8;
}

void write_counts(MessageBuilder& builder, std::uint16_t id, std::uint32_t scope,
                  std::initializer_list<std::uint64_t> counts) {
  std::uint8_t* at = builder.room_of_options(id, 4 + 8 * counts.size());
  put(at, scope);
  for (const std::uint64_t count : counts) put(at, count);
}

void write_point(MessageBuilder& builder, const ProcessStatistics::Point& point) {
  const std::size_t name = std::min(point.interface.size(), kLongestName);
  std::uint8_t* at = builder.room_of_options(kPointTemplate, 8 + 1 + name + 8 + 8);
  put(at, point.id);
  *at++ = static_cast<std::uint8_t>(name);
  std::memcpy(at, point.interface.data(), name);
  at += name;
  put(at, point.packets);
  put(at, point.dropped);
}

enum : std::uint16_t { kRateTemplate = kFirstStatisticsTemplate + 100, kSelectionTemplate };

constexpr std::uint16_t kUniformProbabilistic = 4;  // IANA: flowSelectorAlgorithm

class MessageOctets {
 public:
  MessageOctets& number(std::uint64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<std::uint8_t>(value >> shift));
    }
    return *this;
  }

  std::vector<std::uint8_t> bytes;
};

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

const std::vector<OptionsDefinition>& sampling_templates() {
  static const std::vector<OptionsDefinition> kTemplates = {
      {kRateTemplate, 1, {{"observationDomainId", 4}, {"samplingInterval", 4}}},
      {kSelectionTemplate, 1, {{"observationDomainId", 4}, {"flowSelectorAlgorithm", 2}, {"samplingProbability", 8}}}};
  return kTemplates;
}

IpfixMessage sampling_message(std::uint32_t one_in, const MessageFrame& frame) {
  constexpr std::size_t kRate = kSetHeader + 4 + 4, kSelection = kSetHeader + 4 + 2 + 8;
  MessageOctets octets;
  octets.number(kIpfixVersion, 2).number(kMessageHeader + kRate + kSelection, 2).number(frame.export_time, 4);
  octets.number(0, 4).number(frame.domain, 4);
  octets.number(kRateTemplate, 2).number(kRate, 2);
  octets.number(frame.domain, 4).number(one_in, 4);
  octets.number(kSelectionTemplate, 2).number(kSelection, 2);
  octets.number(frame.domain, 4).number(kUniformProbabilistic, 2);
  octets.number(std::bit_cast<std::uint64_t>(1.0 / one_in), 8);
  return {.bytes = std::move(octets.bytes), .records = 2, .options_records = 2, .replaces = kRateTemplate};
}

}  // namespace warpmeter::inline record
