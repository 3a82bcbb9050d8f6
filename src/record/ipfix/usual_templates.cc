#include "record/ipfix/usual_templates.h"

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

}  // namespace warpmeter::inline record
