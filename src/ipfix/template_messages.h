// Templates and type information (RFC 5610) as IPFIX Messages, made by libfixbuf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ipfix/field.h"
#include "ipfix/info_model.h"
#include "ipfix/message_sink.h"

namespace warpmeter {

struct TemplateDefinition {
  std::uint16_t id;
  Fields fields;
};

// The Options Template of type information; those of Flow Records follow.
inline constexpr std::uint16_t kTypeTemplate = 256;

// First the type information of all elements of private enterprises in these Templates (none if there are none), then
// the Templates, in as many messages of at most `largest_message` octets as it takes. Their Export Time is
// `export_time`, their Sequence Number 0. Throws Error if a Template does not fit into a message.
std::vector<IpfixMessage> template_messages(const InfoModel& model, const std::vector<TemplateDefinition>& templates,
                                            std::uint32_t domain, std::uint32_t export_time,
                                            std::size_t largest_message);

}  // namespace warpmeter
