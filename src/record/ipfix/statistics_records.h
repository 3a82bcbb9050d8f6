// Options Templates and Data Records of the statistics of Metering and Exporting Process.
//
// Source: RFC 7011, sections 4.1 to 4.3; per ring, observationPointId with droppedPacketTotalCount (RFC 5477, RFC
// 7270). Times of the first and last packet that was ignored or lost are left out: they are not kept.
#pragma once

#include <cstdint>
#include <vector>

#include "core/process_statistics.h"
#include "record/ipfix/message_builder.h"
#include "record/ipfix/template_messages.h"

namespace warpmeter::inline record {

// From this Template ID on; those of Flow Records are lower.
inline constexpr std::uint16_t kFirstStatisticsTemplate = 65'000;

const std::vector<OptionsDefinition>& statistics_templates();

// `domain`: the Observation Domain that the messages are of. Returns the number of Data Records.
std::uint32_t write_statistics(const ProcessStatistics& statistics, std::uint32_t domain, MessageBuilder& builder);

}  // namespace warpmeter::inline record
