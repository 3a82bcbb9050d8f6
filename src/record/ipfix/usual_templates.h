// The Templates of all usual shapes, known before the first record: what several threads may encode with at once.
//
// Immutable after construction.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "record/ipfix/record_encoder.h"
#include "record/ipfix/record_shape.h"
#include "record/ipfix/template_messages.h"

namespace warpmeter::inline record {

struct KnownTemplate {
  std::uint16_t id;
  RecordEncoder encoder;
};

class UsualTemplates {
 public:
  // Their Template IDs are `first_id` and those that follow. `rules` must outlive them.
  UsualTemplates(const ShapeRules& rules, std::uint16_t first_id);
  UsualTemplates(const UsualTemplates&) = delete;
  UsualTemplates& operator=(const UsualTemplates&) = delete;

  RecordShape shape_of(const FlowRecord& record, const FlowRecord* reverse) const {
    return rules_.shape_of(record, reverse);
  }
  // Null for shapes of records that lack columns of their own.
  const KnownTemplate* find(const RecordShape& shape) const {
    return (shape.absent | shape.reverse_absent) == 0 ? by_number_[number_of(shape)] : nullptr;
  }
  const std::vector<TemplateDefinition>& definitions() const { return definitions_; }

 private:
  static constexpr std::size_t kShapes = 128;
  static std::size_t number_of(const RecordShape& s) {
    return std::size_t{s.ipv6} | std::size_t{s.tcp} << 1 | std::size_t{s.connection} << 2 | std::size_t{s.wide} << 3 |
           static_cast<std::size_t>(s.reverse) << 4 | std::size_t{s.egress} << 6;
  }

  const ShapeRules& rules_;
  std::vector<TemplateDefinition> definitions_;
  std::vector<KnownTemplate> templates_;
  std::array<const KnownTemplate*, kShapes> by_number_{};  // in templates_; null for what cannot be
};

}  // namespace warpmeter::inline record
