// A section of an IPFIX output: Data Records in their octets, for Messages that are still to be made. Records of
// unusual shapes, whose Templates are not known yet, stay as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "core/record_format.h"
#include "record/ipfix/usual_templates.h"

namespace warpmeter::inline record {

class EncodedSection : public RecordSection {
 public:
  // `templates` must outlive it.
  explicit EncodedSection(const UsualTemplates& templates) : templates_(templates) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override;
  std::size_t bytes() const override;

  // Calls encoded(template, octets, end_ns) or whole(record, reverse) for one record after the other while more(), but
  // for one at least. They are gone then.
  template <class Encoded, class Whole, class More>
  void take(Encoded encoded, Whole whole, More more);

 private:
  struct Entry {
    const KnownTemplate* known;  // null: whole
    std::int64_t end_ns;
    bool paired;  // if whole: its reverse follows
  };
  // Up to where records were taken.
  struct Place {
    std::size_t entry = 0, octet = 0, whole = 0;
  };
  void clear();

  const UsualTemplates& templates_;
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> octets_;  // of the encoded ones, one after the other
  std::vector<FlowRecord> whole_;
  Place taken_;
};

template <class Encoded, class Whole, class More>
void EncodedSection::take(Encoded encoded, Whole whole, More more) {
  if (entries_.empty()) return;
  Place at = taken_;
  do {
    const Entry& entry = entries_[at.entry];
    if (entry.known) {
      encoded(*entry.known, &octets_[at.octet], entry.end_ns);
      at.octet += entry.known->encoder.length();
    } else {
      const FlowRecord* record = &whole_[at.whole];
      whole(record[0], entry.paired ? &record[1] : nullptr);
      at.whole += entry.paired ? 2 : 1;
    }
  } while (++at.entry < entries_.size() && more());
  taken_ = at;
  if (taken_.entry == entries_.size()) clear();
}

}  // namespace warpmeter::inline record
