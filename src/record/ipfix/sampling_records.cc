#include "record/ipfix/sampling_records.h"

#include <bit>
#include <utility>

#include "core/ipfix_header.h"
#include "record/ipfix/statistics_records.h"

namespace warpmeter::inline record {
namespace {

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
