// Flow Records from IPFIX files (RFC 5655): our own, exactly as they were written, and those of other exporters, as far
// as their Templates have fields that a Flow Record has.
//
// Columns that a Template does not have are `absent` in its records, unless they do not apply: of records that are not
// of TCP, what TCP alone has; of our own exporter's, a connection that is not valid. Records without addresses are no
// flows and left out. What cannot be made sense of inside a message is left out alone, and reading goes on behind it:
// damage() tells of the first such place, and of how many more there are.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/files/descriptor.h"
#include "core/ipfix_header.h"
#include "core/noted_columns.h"
#include "core/record_reader.h"
#include "core/seeded_hash.h"
#include "record/ipfix/flow_plan.h"
#include "record/ipfix/record_decoder.h"
#include "record/ipfix/template_set.h"

namespace warpmeter::inline record {

// The IPFIX Messages (RFC 7011, section 3.1) of a file (RFC 5655) or of standard input, one after the other.
//
// A file is a row of messages and nothing else. Each tells its length, so that one which cannot be made sense of inside
// hides nothing behind it; but where a header is wrong, nobody knows where the next one begins, and reading ends.
struct MessageView {
  std::uint64_t offset = 0;  // of its header, in the file
  std::uint32_t export_time = 0;
  std::uint32_t domain = 0;
  const std::uint8_t* bytes = nullptr;  // header included; valid until the next next()
  std::size_t size = 0;                 // at least kMessageHeader
};

class MessageReader {
 public:
  // "-" is standard input. Throws Error, naming the file, if it cannot be opened, is empty or does not begin with an
  // IPFIX Message.
  explicit MessageReader(const std::string& path);

  // False at the end, or at damage. Throws Error if the file cannot be read any more.
  bool next(MessageView& message);

  // After next() returned false.
  const std::optional<ReadDamage>& damage() const { return damage_; }

 private:
  std::size_t fill(std::size_t wanted);
  bool stop(std::string reason);

  std::string name_;
  Descriptor file_;  // none: standard input
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;  // of what has not been handed out, in buffer_
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of begin_, in the file
  std::optional<ReadDamage> damage_;
};

// "-" is standard input. Throws Error, naming the file, if it cannot be opened, is empty or is no IPFIX file.
std::unique_ptr<RecordReader> make_ipfix_reader(const std::string& path);

class IpfixReader : public RecordReader {
 public:
  explicit IpfixReader(const std::string& path);

  bool next(Biflow& flow) override;
  RecordLayout layout() const override;
  const std::optional<ReadDamage>& damage() const override { return damage_; }
  bool leaves_out_columns() const override { return noted_columns_.left_out(); }

  // Data Records that are no flows, those that Options Templates describe not counted.
  std::uint64_t no_flows() const { return no_flows_; }

 private:
  // What Templates with the same fields have in common, in whatever Observation Domain.
  struct Layout {
    std::size_t number;  // RecordDecoder's
    FlowPlan plan;
    bool tells_system_init;
    std::vector<FieldSpecifier> fields;
    FieldSet known = {};
    bool tells_names = false;  // of elements (RFC 5610)
    bool has_labels = false;
    std::size_t shortest = 0;  // octets in a record, those of variable length left out but for their lengths
    bool variable = false;
  };
  struct Template {
    Layout* layout;  // null: of no use, which has been said
    bool options;
    std::uint64_t number;  // among all that were learned, from 1 on
  };
  struct Whole {  // records of a Set
    std::size_t count, octets;
  };

  bool next_flows();
  bool next_set(std::uint16_t& id, const std::uint8_t*& body, std::size_t& size);
  void learn_templates(const std::uint8_t* body, std::size_t size, bool options);
  void learn_template(const TemplateRecord& record);
  void forget_templates(bool options);
  const Template* template_of(std::uint16_t id) const;
  Layout* layout_of(const std::vector<FieldSpecifier>& fields);
  bool begin_data_set(std::uint16_t id, const std::uint8_t* body, std::size_t size);
  bool begin_flows(const Layout& layout, const std::uint8_t* body, const Whole& whole);
  Whole whole_records(const Layout& layout, std::uint16_t id, const std::uint8_t* body, std::size_t size);
  void learn_system_init(const Layout& layout, const std::uint8_t* body, const Whole& whole);
  void learn_names(const Layout& layout, const std::uint8_t* body, const Whole& whole);
  void note_flow(const Biflow& flow);
  void know_annotations(const Layout& layout);
  void take_annotations(const DecodedRecord& record);
  void note_damage(std::uint64_t offset, std::string reason);
  void finish();

  MessageReader messages_;
  RecordDecoder decoder_;

  MessageView message_;
  std::size_t at_ = 0;              // the next Set, in message_
  const Layout* layout_ = nullptr;  // of the Set that the decoder has begun
  std::size_t left_ = 0;            // flows of it
  RecordContext context_;

  std::unordered_map<std::uint64_t, Template, SeededHash> templates_;  // by Observation Domain and number
  std::uint64_t learned_ = 0;                                          // Templates, so far
  // Up to which Template all were withdrawn, by Observation Domain and kind.
  std::unordered_map<std::uint64_t, std::uint64_t, SeededHash> forgotten_;
  std::unordered_map<std::string, std::unique_ptr<Layout>, SeededHash> layouts_;
  std::size_t layout_fields_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t, SeededHash> system_init_ms_;  // by Observation Domain

  NotedColumns noted_columns_;
  Annotations noted_;  // of the flow
  std::array<std::string, kMostOwnTexts> own_names_;

  RecordLayout seen_;
  std::uint32_t absent_tcp_ = ~0u, absent_other_ = ~0u;  // columns that none of these records had
  std::optional<std::uint32_t> absent_own_;              // that no Template of our own exporter has
  std::uint64_t no_flows_ = 0;
  std::uint64_t damages_ = 0;
  bool finished_ = false;
  std::optional<ReadDamage> damage_;
};

}  // namespace warpmeter::inline record
