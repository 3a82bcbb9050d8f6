#include "record/ipfix/encoded_section.h"

namespace warpmeter::inline record {

UsualTemplates::UsualTemplates(const ShapeRules& rules, std::uint16_t first_id) : rules_(rules) {
  const std::vector<RecordShape> shapes = rules.usual_shapes();
  templates_.reserve(shapes.size());  // by_number_ points there
  for (const RecordShape& shape : shapes) {
    const auto id = static_cast<std::uint16_t>(first_id + templates_.size());
    definitions_.push_back({id, rules.fields_of(shape)});
    templates_.push_back({id, RecordEncoder(definitions_.back().fields, rules.observed())});
    by_number_[number_of(shape)] = &templates_.back();
  }
}

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
