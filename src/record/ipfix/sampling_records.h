// Options Templates and Data Records that tell which sample of the flows the Flow Records are (--sample-flows).
//
// Two of them: flow selection as RFC 7014 has it, and the rate as the collectors read it that scale by it (nfcapd,
// nfacctd): samplingInterval alone, for nfcapd 1.7.1 passes over it where samplingAlgorithm is beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "record/ipfix/template_messages.h"

namespace warpmeter::inline record {

const std::vector<OptionsDefinition>& sampling_templates();

// One flow of so many is exported. It takes the place of such a message before.
IpfixMessage sampling_message(std::uint32_t one_in, const MessageFrame& frame);

}  // namespace warpmeter::inline record
