// Templates and type information (RFC 5610) as IPFIX Messages, made by libfixbuf; and records of Options Templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/message_format.h"
#include "record/ipfix/info_model.h"
#include "record/ipfix/message_builder.h"
#include "record/ipfix/record_shape.h"

namespace warpmeter::inline record {

struct TemplateDefinition {
  std::uint16_t id;
  Fields fields;
};

// The Options Template of type information; those of Flow Records follow.
inline constexpr std::uint16_t kTypeTemplate = 256;

inline constexpr std::uint16_t kVariableOctets = 65'535;  // each record tells how many

// An Options Template (RFC 7011, section 3.4.2.2). Its elements are IANA's.
struct OptionsDefinition {
  std::uint16_t id;
  std::uint16_t scope;  // elements at the front that the others are about
  struct Element {
    const char* name;
    std::uint16_t octets;
  };
  std::vector<Element> elements;
};

// What the headers of the messages say, and how long they may get.
struct MessageFrame {
  std::uint32_t domain;
  std::uint32_t export_time;
  std::size_t largest_message;
};

// The Templates, in as many messages as it takes; their Sequence Numbers are 0. Throws Error if a Template does not fit
// into a message.
std::vector<IpfixMessage> template_messages(const InfoModel& model, const std::vector<TemplateDefinition>& templates,
                                            const MessageFrame& frame);

// The same of Options Templates.
std::vector<IpfixMessage> options_template_messages(const InfoModel& model,
                                                    const std::vector<OptionsDefinition>& templates,
                                                    const MessageFrame& frame);

// The type information of all elements of private enterprises in these Templates; no message if there are none.
std::vector<IpfixMessage> type_messages(const InfoModel& model, const std::vector<TemplateDefinition>& templates,
                                        const MessageFrame& frame);

// Options Templates and Data Records: of the statistics of Metering and Exporting Process, and of which sample of the
// flows the Flow Records are (--sample-flows).
//
// Statistics: RFC 7011, sections 4.1 to 4.3; per ring, observationPointId with droppedPacketTotalCount (RFC 5477, RFC
// 7270). Times of the first and last packet that was ignored or lost are left out: they are not kept.
//
// A sample: flow selection as RFC 7014 has it, and the rate as the collectors read it that scale by it (nfcapd,
// nfacctd): samplingInterval alone, for nfcapd 1.7.1 passes over it where samplingAlgorithm is beside it.

// From this Template ID on; those of Flow Records are lower.
inline constexpr std::uint16_t kFirstStatisticsTemplate = 65'000;

const std::vector<OptionsDefinition>& statistics_templates();

// `domain`: the Observation Domain that the messages are of. Returns the number of Data Records.
std::uint32_t write_statistics(const ProcessStatistics& statistics, std::uint32_t domain, MessageBuilder& builder);

const std::vector<OptionsDefinition>& sampling_templates();

// One flow of so many is exported. It takes the place of such a message before.
IpfixMessage sampling_message(std::uint32_t one_in, const MessageFrame& frame);

}  // namespace warpmeter::inline record
