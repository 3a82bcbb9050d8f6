// A section of an IPFIX output: Data Records in their octets, for Messages that are still to be made. Records of
// unusual shapes, whose Templates are not known yet, stay as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "ipfix/usual_templates.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

class EncodedSection : public RecordSection {
 public:
  // `templates` must outlive it.
  explicit EncodedSection(const UsualTemplates& templates) : templates_(templates) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override;
  std::size_t bytes() const override;

  // Calls encoded(template, octets, end_ns) or whole(record, reverse) for each, in their order, and is empty then.
  template <class Encoded, class Whole>
  void take(Encoded encoded, Whole whole);

 private:
  struct Entry {
    const KnownTemplate* known;  // null: whole
    std::int64_t end_ns;
    bool paired;  // if whole: its reverse follows
  };
  void clear();

  const UsualTemplates& templates_;
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> octets_;  // of the encoded ones, one after the other
  std::vector<FlowRecord> whole_;
};

template <class Encoded, class Whole>
void EncodedSection::take(Encoded encoded, Whole whole) {
  const std::uint8_t* octets = octets_.data();
  const FlowRecord* record = whole_.data();
  for (const Entry& entry : entries_) {
    if (entry.known) {
      encoded(*entry.known, octets, entry.end_ns);
      octets += entry.known->encoder.length();
    } else {
      whole(record[0], entry.paired ? &record[1] : nullptr);
      record += entry.paired ? 2 : 1;
    }
  }
  clear();
}

}  // namespace warpmeter
