#include "ipfix/ipfix_writer.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "ipfix/info_model.h"
#include "ipfix/ipfix_time.h"
#include "ipfix/message_builder.h"
#include "ipfix/record_encoder.h"
#include "ipfix/record_shape.h"
#include "ipfix/template_messages.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

struct KnownTemplate {
  std::uint16_t id;
  RecordEncoder encoder;
};

// Small numbers for the usual shapes.
constexpr std::size_t kUsualShapes = 64;

std::size_t number_of(const RecordShape& s) {
  return std::size_t{s.ipv6} | std::size_t{s.tcp} << 1 | std::size_t{s.connection} << 2 | std::size_t{s.wide} << 3 |
         static_cast<std::size_t>(s.reverse) << 4;
}

class IpfixWriter : public RecordWriter {
 public:
  IpfixWriter(MessageSink& sink, const RecordLayout& layout, const IpfixOptions& options)
      : sink_(sink), options_(options), rules_(layout, options.profile), builder_(sink, options.observation_domain) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    const RecordShape shape = rules_.shape_of(record, reverse);
    const KnownTemplate& known = template_of(shape, record);
    std::uint8_t* to = builder_.room(known.id, known.encoder.length(), record.end_ns);
    known.encoder.encode(record, reverse, to);
  }

  void end() override {
    if (!begun_) send_usual_templates(0);
    builder_.flush();
    sink_.end();
  }

 private:
  const KnownTemplate& template_of(const RecordShape& shape, const FlowRecord& record) {
    if (!begun_) send_usual_templates(record.end_ns);
    if ((shape.absent | shape.reverse_absent) == 0) return *usual_[number_of(shape)];
    const auto known = templates_.find(shape);
    return known != templates_.end() ? known->second : send_template(shape);
  }

  const KnownTemplate& add(const RecordShape& shape, std::vector<TemplateDefinition>& definitions) {
    constexpr std::size_t kTemplates = 65535 - kTypeTemplate;
    if (templates_.size() == kTemplates) throw Error("more kinds of Flow Records than IPFIX has Template IDs");
    const auto id = static_cast<std::uint16_t>(kTypeTemplate + 1 + templates_.size());
    definitions.push_back({id, rules_.fields_of(shape)});
    return templates_.emplace(shape, KnownTemplate{id, RecordEncoder(definitions.back().fields)}).first->second;
  }

  // Their Export Time is that of the first record, so that files tell nothing of when they were written.
  void send_usual_templates(std::int64_t first_ns) {
    std::vector<TemplateDefinition> definitions;
    for (const RecordShape& shape : rules_.usual_shapes()) usual_[number_of(shape)] = &add(shape, definitions);
    const MessageFrame frame = frame_at(export_second(first_ns));
    std::vector<IpfixMessage> messages = type_messages(model_, definitions, frame);
    for (IpfixMessage& message : template_messages(model_, definitions, frame)) messages.push_back(std::move(message));
    sink_.begin(std::move(messages));
    begun_ = true;
  }

  // Of records that lack columns that others have, such as those of somebody else's file: no new elements, so no type
  // information.
  const KnownTemplate& send_template(const RecordShape& shape) {
    std::vector<TemplateDefinition> definitions;
    const KnownTemplate& known = add(shape, definitions);
    for (IpfixMessage& message : template_messages(model_, definitions, frame_at(builder_.export_time()))) {
      sink_.add_templates(std::move(message));
    }
    return known;
  }

  MessageFrame frame_at(std::uint32_t export_time) const {
    return {options_.observation_domain, export_time, sink_.largest_message()};
  }

  MessageSink& sink_;
  const IpfixOptions options_;
  const ShapeRules rules_;
  const InfoModel model_;
  MessageBuilder builder_;
  std::map<RecordShape, KnownTemplate> templates_;
  std::array<const KnownTemplate*, kUsualShapes> usual_{};  // in templates_; null for what cannot be
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<RecordWriter> make_ipfix_writer(MessageSink& sink, const RecordLayout& layout,
                                                const IpfixOptions& options) {
  return std::make_unique<IpfixWriter>(sink, layout, options);
}

}  // namespace warpmeter
