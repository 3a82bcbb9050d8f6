#include "record/ipfix/encoded_section.h"

namespace warpmeter::inline record {

void EncodedSection::write(const FlowRecord& record, const FlowRecord* reverse) {
  const KnownTemplate* known = templates_.find(templates_.shape_of(record, reverse));
  entries_.push_back({known, record.end_ns, reverse != nullptr});
  if (known) {
    const std::size_t before = octets_.size();
    octets_.resize(before + known->encoder.length());
    known->encoder.encode(record, reverse, &octets_[before]);
  } else {
    whole_.push_back(record);
    if (reverse) whole_.push_back(*reverse);
  }
}

std::size_t EncodedSection::bytes() const {
  return (entries_.size() - taken_.entry) * sizeof(Entry) + (octets_.size() - taken_.octet) +
         (whole_.size() - taken_.whole) * sizeof(FlowRecord);
}

void EncodedSection::clear() {
  entries_.clear();
  octets_.clear();
  whole_.clear();
  taken_ = {};
}

}  // namespace warpmeter::inline record
