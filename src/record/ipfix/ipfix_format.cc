#include "record/ipfix/ipfix_format.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "core/ipfix_header.h"
#include "record/ipfix/info_model.h"
#include "record/ipfix/message_builder.h"
#include "record/ipfix/record_encoder.h"
#include "record/ipfix/record_shape.h"
#include "record/ipfix/template_messages.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::uint16_t kFirstTemplate = kTypeTemplate + 1;

class IpfixFormat : public MessageFormat {
 public:
  IpfixFormat(const RecordLayout& layout, const IpfixOptions& with)
      : options(with),
        sample_one_in(layout.sample_one_in),
        tells_sample(layout.sample_one_in > 1 || layout.sample_changes),
        rules(layout, with.profile),
        usual(rules, kFirstTemplate, with.cut_records),
        model(layout.extra, with.profile) {}

  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<EncodedSection>(usual); }
  std::unique_ptr<MessageWriter> new_writer(MessageSink& sink) const override;

  const IpfixOptions options;
  const std::uint32_t sample_one_in;
  const bool tells_sample;
  const ShapeRules rules;
  const UsualTemplates usual;
  const InfoModel model;  // for the one thread that writes
};

class IpfixWriter : public MessageWriter {
 public:
  IpfixWriter(const IpfixFormat& format, MessageSink& sink)
      : format_(format), sink_(sink), builder_(sink, format.options.observation_domain) {}

  const RecordFormat& format() const override { return format_; }

  void append(RecordSection& section) override {
    take(section, [] { return true; });
  }
  void fill(RecordSection& section) override {
    take(section, [this] { return !sink_.full(); });
  }
  void flush() override { builder_.flush(); }
  std::uint32_t write_statistics(const ProcessStatistics& statistics) override {
    if (!format_.options.statistics) return 0;
    begin_at(statistics.now_ns);
    return warpmeter::write_statistics(statistics, format_.options.observation_domain, builder_);
  }
  void tell_sample(std::uint32_t one_in) override {
    if (!format_.tells_sample) return;
    begin_at(0);
    builder_.flush();
    sink_.add_templates(sampling_message(one_in, frame_at(builder_.export_time())));
  }
  void end() override {
    begin_at(0);
    builder_.flush();
    sink_.end();
  }

 private:
  template <class More>
  void take(RecordSection& section, More more) {
    static_cast<EncodedSection&>(section).take(
        [this](const KnownTemplate& known, const std::uint8_t* octets, std::size_t size, std::int64_t end_ns) {
          begin_at(end_ns);
          std::memcpy(builder_.room(known.id, size, end_ns), octets, size);
        },
        [this](const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) {
          write_unusual(record, reverse, annotations);
        },
        more);
  }

  void write_unusual(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) {
    begin_at(record.end_ns);
    const KnownTemplate& known = template_of(format_.rules.shape_of(record, reverse));
    noted_.clear();
    format_.usual.encode_noted(known.encoder, annotations, noted_);
    std::uint8_t* const to = builder_.room(known.id, known.encoder.length() + noted_.size(), record.end_ns);
    known.encoder.encode(record, reverse, to);
    std::copy(noted_.begin(), noted_.end(), to + known.encoder.length());
  }

  const KnownTemplate& template_of(const RecordShape& shape) {
    const auto known = unusual_.find(shape);
    return known != unusual_.end() ? known->second : send_template(shape);
  }

  // The Export Time of the usual Templates is that of the first record, so that files tell nothing of when they were
  // written.
  void begin_at(std::int64_t first_ns) {
    if (std::exchange(begun_, true)) return;
    const MessageFrame frame = frame_at(export_second(first_ns));
    const std::vector<TemplateDefinition>& usual = format_.usual.definitions();
    std::vector<IpfixMessage> messages = type_messages(format_.model, usual, frame);
    for (IpfixMessage& message : template_messages(format_.model, usual, frame)) {
      messages.push_back(std::move(message));
    }
    const auto add_options = [&](const std::vector<OptionsDefinition>& templates) {
      for (IpfixMessage& message : options_template_messages(format_.model, templates, frame)) {
        messages.push_back(std::move(message));
      }
    };
    if (format_.options.statistics) add_options(statistics_templates());
    if (format_.tells_sample) {
      add_options(sampling_templates());
      messages.push_back(sampling_message(format_.sample_one_in, frame));
    }
    sink_.begin(std::move(messages));
  }

  // Of records that lack columns that others have, such as those of somebody else's file: no new elements, so no type
  // information.
  const KnownTemplate& send_template(const RecordShape& shape) {
    const std::size_t id = kFirstTemplate + format_.usual.definitions().size() + unusual_.size();
    if (id >= kFirstStatisticsTemplate) throw Error("more kinds of Flow Records than IPFIX has Template IDs");
    const std::vector<TemplateDefinition> definitions = {
        {static_cast<std::uint16_t>(id), format_.rules.fields_of(shape)}};
    for (IpfixMessage& message : template_messages(format_.model, definitions, frame_at(builder_.export_time()))) {
      sink_.add_templates(std::move(message));
    }
    return unusual_
        .emplace(shape, KnownTemplate{definitions[0].id, RecordEncoder(definitions[0].fields, format_.rules.observed(),
                                                                       format_.rules.extra())})
        .first->second;
  }

  MessageFrame frame_at(std::uint32_t export_time) const {
    return {format_.options.observation_domain, export_time, sink_.largest_message()};
  }

  const IpfixFormat& format_;
  MessageSink& sink_;
  MessageBuilder builder_;
  std::map<RecordShape, KnownTemplate> unusual_;  // that were sent since
  std::vector<std::uint8_t> noted_;               // of a record; kept for its memory
  bool begun_ = false;
};

std::unique_ptr<MessageWriter> IpfixFormat::new_writer(MessageSink& sink) const {
  return std::make_unique<IpfixWriter>(*this, sink);
}

}  // namespace

std::unique_ptr<MessageFormat> make_ipfix_format(const RecordLayout& layout, const IpfixOptions& options) {
  return std::make_unique<IpfixFormat>(layout, options);
}

std::size_t IpfixFileSink::largest_message() const { return kLargestMessage; }

void IpfixFileSink::begin(std::vector<IpfixMessage> templates) {
  for (IpfixMessage& message : templates) send(std::move(message));
}

void IpfixFileSink::add_templates(IpfixMessage message) { send(std::move(message)); }

void IpfixFileSink::send(IpfixMessage message) {
  set_sequence_number(message, records_);
  records_ += message.records;
  bytes_ += message.bytes.size();
  file_.write(message.bytes.data(), message.bytes.size());
}

}  // namespace warpmeter::inline record
