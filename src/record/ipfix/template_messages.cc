#include "record/ipfix/template_messages.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <bit>
#include <cstring>
#include <initializer_list>
#include "core/byte_order.h"
#include "core/ipfix_header.h"
#include "record/ipfix/info_model.h"

namespace warpmeter::inline record {
namespace {

constexpr std::uint16_t kInternalTypeTemplate = 65535;  // libfixbuf's own view of type information; never sent

struct FreeTemplate {
  void operator()(fbTemplate_t* t) const { fbTemplateFreeUnused(t); }
};
using Template = std::unique_ptr<fbTemplate_t, FreeTemplate>;

struct FreeSession {
  void operator()(fbSession_t* session) const { fbSessionFree(session); }
};
using Session = std::unique_ptr<fbSession_t, FreeSession>;

struct FreeBuffer {
  void operator()(fBuf_t* buffer) const { fBufFree(buffer); }
};

// The session owns it from then on.
void add_template(fbSession_t* session, bool internal, std::uint16_t id, Template made) {
  FixbufError error;
  error.check(fbSessionAddTemplate(session, internal, id, made.get(), &error) != 0, "add a Template");
  made.release();
}

Template template_of(const InfoModel& model, const Fields& fields) {
  Template made(fbTemplateAlloc(model.get()));
  for (const TemplateField& field : fields) {
    FixbufError error;
    fbInfoElementSpec_t element{const_cast<char*>(field.element.c_str()), length_of(field.kind), 0};
    error.check(fbTemplateAppendSpec(made.get(), &element, 0, &error), "make a Template");
  }
  return made;
}

Template options_template_of(const InfoModel& model, const OptionsDefinition& definition) {
  Template made(fbTemplateAlloc(model.get()));
  for (const OptionsDefinition::Element& one : definition.elements) {
    FixbufError error;
    fbInfoElementSpec_t element{const_cast<char*>(one.name), one.octets, 0};
    error.check(fbTemplateAppendSpec(made.get(), &element, 0, &error), "make an Options Template");
  }
  fbTemplateSetOptionsScope(made.get(), definition.scope);
  return made;
}

Template type_template(const InfoModel& model) {
  FixbufError error;
  Template made(fbInfoElementAllocTypeTemplate(model.get(), &error));
  error.check(made != nullptr, "make the Template of type information");
  return made;
}

// Those that a collector cannot know: neither IANA's nor their reverse ones. By number, so that the order is the same
// every time.
std::vector<const fbInfoElement_t*> private_elements(const InfoModel& model,
                                                     const std::vector<TemplateDefinition>& templates) {
  std::map<std::pair<std::uint32_t, std::uint16_t>, const fbInfoElement_t*> elements;
  for (const TemplateDefinition& definition : templates) {
    for (const TemplateField& field : definition.fields) {
      const fbInfoElement_t* element = model.find(field.element.c_str());
      if (!element) throw Error("no Information Element " + field.element);
      if (element->ent != 0 && element->ent != FB_IE_PEN_REVERSE) elements[{element->ent, element->num}] = element;
    }
  }
  std::vector<const fbInfoElement_t*> found;
  for (const auto& [number, element] : elements) found.push_back(element);
  return found;
}

// libfixbuf's buffer for one message after the other.
class MessagesInMaking {
 public:
  MessagesInMaking(Session session, const MessageFrame& frame)
      : session_(session.get()),
        export_time_(frame.export_time),
        octets_(std::min(frame.largest_message, kLargestMessage)) {
    fbExporter_t* exporter = fbExporterAllocBuffer(octets_.data(), static_cast<std::uint16_t>(octets_.size()));
    buffer_.reset(fBufAllocForExport(session.release(), exporter));
    fBufSetAutomaticMode(buffer_.get(), FALSE);
  }

  void add_template(std::uint16_t id) {
    append([&](GError** error) { return fbSessionExportTemplate(session_, id, error); }, "write a Template");
  }

  void add_type(const fbInfoElement_t* element) {
    append(
        [&](GError** error) {
          return fbInfoElementWriteOptionsRecord(buffer_.get(), element, kInternalTypeTemplate, kTypeTemplate, error);
        },
        "write type information");
    ++records_;
  }

  std::vector<IpfixMessage> finish() {
    emit();
    return std::move(messages_);
  }

 private:
  // `what` fails once where the message is full, or has Data Records and a Template follows.
  template <class What>
  void append(What what, const char* doing) {
    {
      FixbufError full;
      if (what(&full)) return;
      if (!g_error_matches(full.get(), FB_ERROR_DOMAIN, FB_ERROR_EOM)) full.check(false, doing);
    }
    emit();
    FixbufError error;
    error.check(what(&error), doing);
  }

  void emit() {
    FixbufError error;
    error.check(fBufEmit(buffer_.get(), &error), "finish a message");
    const std::size_t length = fbExporterGetMsgLen(fBufGetExporter(buffer_.get()));
    const bool has_sets = length > kMessageHeader;
    if (has_sets) {
      IpfixMessage message{{octets_.begin(), octets_.begin() + static_cast<std::ptrdiff_t>(length)}, records_};
      set_export_time(message, export_time_);
      set_sequence_number(message, 0);
      messages_.push_back(std::move(message));
    }
    records_ = 0;
  }

  fbSession_t* session_;  // of buffer_
  const std::uint32_t export_time_;
  std::vector<std::uint8_t> octets_;
  std::unique_ptr<fBuf_t, FreeBuffer> buffer_;
  std::uint32_t records_ = 0;
  std::vector<IpfixMessage> messages_;
};

Session new_session(const InfoModel& model, const MessageFrame& frame) {
  Session session(fbSessionAlloc(model.get()));
  fbSessionSetDomain(session.get(), frame.domain);
  return session;
}

}  // namespace

std::vector<IpfixMessage> template_messages(const InfoModel& model, const std::vector<TemplateDefinition>& templates,
                                            const MessageFrame& frame) {
  Session session = new_session(model, frame);
  for (const TemplateDefinition& definition : templates) {
    add_template(session.get(), false, definition.id, template_of(model, definition.fields));
  }
  MessagesInMaking messages(std::move(session), frame);
  for (const TemplateDefinition& definition : templates) messages.add_template(definition.id);
  return messages.finish();
}

std::vector<IpfixMessage> options_template_messages(const InfoModel& model,
                                                    const std::vector<OptionsDefinition>& templates,
                                                    const MessageFrame& frame) {
  Session session = new_session(model, frame);
  for (const OptionsDefinition& definition : templates) {
    add_template(session.get(), false, definition.id, options_template_of(model, definition));
  }
  MessagesInMaking messages(std::move(session), frame);
  for (const OptionsDefinition& definition : templates) messages.add_template(definition.id);
  return messages.finish();
}

std::vector<IpfixMessage> type_messages(const InfoModel& model, const std::vector<TemplateDefinition>& templates,
                                        const MessageFrame& frame) {
  const std::vector<const fbInfoElement_t*> elements = private_elements(model, templates);
  if (elements.empty()) return {};
  Session session = new_session(model, frame);
  add_template(session.get(), true, kInternalTypeTemplate, type_template(model));
  add_template(session.get(), false, kTypeTemplate, type_template(model));
  MessagesInMaking messages(std::move(session), frame);
  messages.add_template(kTypeTemplate);
  for (const fbInfoElement_t* element : elements) messages.add_type(element);
  return messages.finish();
}

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
