// Options Templates and Data Records: of the statistics of Metering and Exporting Process, and of which sample of the
// flows the Flow Records are (--sample-flows).
//
// Statistics: RFC 7011, sections 4.1 to 4.3; per ring, observationPointId with droppedPacketTotalCount (RFC 5477, RFC
// 7270). Times of the first and last packet that was ignored or lost are left out: they are not kept.
//
// A sample: flow selection as RFC 7014 has it, and the rate as the collectors read it that scale by it (nfcapd,
// nfacctd): samplingInterval alone, for nfcapd 1.7.1 passes over it where samplingAlgorithm is beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/message_format.h"
#include "record/ipfix/message_builder.h"
#include "record/ipfix/template_messages.h"

namespace warpmeter::inline record {

// From this Template ID on; those of Flow Records are lower.
inline constexpr std::uint16_t kFirstStatisticsTemplate = 65'000;

const std::vector<OptionsDefinition>& statistics_templates();

// `domain`: the Observation Domain that the messages are of. Returns the number of Data Records.
std::uint32_t write_statistics(const ProcessStatistics& statistics, std::uint32_t domain, MessageBuilder& builder);

const std::vector<OptionsDefinition>& sampling_templates();

// One flow of so many is exported. It takes the place of such a message before.
IpfixMessage sampling_message(std::uint32_t one_in, const MessageFrame& frame);

}  // namespace warpmeter::inline record
