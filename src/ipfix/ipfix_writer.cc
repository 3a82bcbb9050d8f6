#include "ipfix/ipfix_writer.h"

#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "ipfix/encoded_section.h"
#include "ipfix/info_model.h"
#include "ipfix/ipfix_time.h"
#include "ipfix/message_builder.h"
#include "ipfix/record_shape.h"
#include "ipfix/template_messages.h"
#include "ipfix/usual_templates.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr std::uint16_t kFirstTemplate = kTypeTemplate + 1;

class IpfixWriter : public RecordWriter {
 public:
  IpfixWriter(MessageSink& sink, const RecordLayout& layout, const IpfixOptions& options)
      : sink_(sink),
        options_(options),
        rules_(layout, options.profile),
        usual_(rules_, kFirstTemplate),
        builder_(sink, options.observation_domain) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    begin_at(record.end_ns);
    const KnownTemplate& known = template_of(rules_.shape_of(record, reverse));
    known.encoder.encode(record, reverse, room_for(known, record.end_ns));
  }

  void end() override {
    begin_at(0);
    builder_.flush();
    sink_.end();
  }

  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<EncodedSection>(usual_); }

  void append(RecordSection& section) override {
    static_cast<EncodedSection&>(section).take(
        [this](const KnownTemplate& known, const std::uint8_t* octets, std::int64_t end_ns) {
          begin_at(end_ns);
          std::memcpy(room_for(known, end_ns), octets, known.encoder.length());
        },
        [this](const FlowRecord& record, const FlowRecord* reverse) { write(record, reverse); });
  }

 private:
  std::uint8_t* room_for(const KnownTemplate& known, std::int64_t end_ns) {
    return builder_.room(known.id, known.encoder.length(), end_ns);
  }

  const KnownTemplate& template_of(const RecordShape& shape) {
    if (const KnownTemplate* known = usual_.find(shape)) return *known;
    const auto known = others_.find(shape);
    return known != others_.end() ? known->second : send_template(shape);
  }

  // The Export Time of the usual Templates is that of the first record, so that files tell nothing of when they were
  // written.
  void begin_at(std::int64_t first_ns) {
    if (std::exchange(begun_, true)) return;
    const MessageFrame frame = frame_at(export_second(first_ns));
    std::vector<IpfixMessage> messages = type_messages(model_, usual_.definitions(), frame);
    for (IpfixMessage& message : template_messages(model_, usual_.definitions(), frame)) {
      messages.push_back(std::move(message));
    }
    sink_.begin(std::move(messages));
  }

  // Of records that lack columns that others have, such as those of somebody else's file: no new elements, so no type
  // information.
  const KnownTemplate& send_template(const RecordShape& shape) {
    const std::size_t id = kFirstTemplate + usual_.definitions().size() + others_.size();
    if (id > 65535) throw Error("more kinds of Flow Records than IPFIX has Template IDs");
    const std::vector<TemplateDefinition> definitions = {{static_cast<std::uint16_t>(id), rules_.fields_of(shape)}};
    for (IpfixMessage& message : template_messages(model_, definitions, frame_at(builder_.export_time()))) {
      sink_.add_templates(std::move(message));
    }
    return others_.emplace(shape, KnownTemplate{definitions[0].id, RecordEncoder(definitions[0].fields)}).first->second;
  }

  MessageFrame frame_at(std::uint32_t export_time) const {
    return {options_.observation_domain, export_time, sink_.largest_message()};
  }

  MessageSink& sink_;
  const IpfixOptions options_;
  const ShapeRules rules_;
  const UsualTemplates usual_;
  const InfoModel model_;
  MessageBuilder builder_;
  std::map<RecordShape, KnownTemplate> others_;  // that were sent since
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<RecordWriter> make_ipfix_writer(MessageSink& sink, const RecordLayout& layout,
                                                const IpfixOptions& options) {
  return std::make_unique<IpfixWriter>(sink, layout, options);
}

}  // namespace warpmeter
