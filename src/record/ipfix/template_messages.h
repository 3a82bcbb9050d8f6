// Templates and type information (RFC 5610) as IPFIX Messages, made by libfixbuf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/message_format.h"
#include "record/ipfix/info_model.h"
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

}  // namespace warpmeter::inline record
