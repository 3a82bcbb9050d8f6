// Columns behind those that every Flow Record has, as options make them, and some that only tests have.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "core/annotations.h"
#include "record/columns/column_option.h"

namespace warpmeter::test {

// REQUIRES: an option adds it.
inline std::shared_ptr<const ExtraColumn> extra_column(std::string_view name, std::uint64_t number = 0) {
  return std::ranges::find(column_options(), name, &ColumnOption::column)->make(number);
}

// As many "x" as packets, or as many as are left of some hundreds; without any there is no value.
class PacketMarks : public ExtraColumn {
 public:
  static constexpr std::size_t kMost = 100;

  PacketMarks() : ExtraColumn({.name = "packet_marks", .most = kMost, .nullable = true}) {}
  char* write(char* to, const FlowRecord& record) const override {
    return std::fill_n(to, record.packets % (kMost + 1), 'x');
  }
};

// What is noted of flows: a list of texts, and one text.
inline constexpr std::uint32_t kTags = 0, kTitle = 1;
inline ExtraColumns annotation_columns() {
  return {std::make_shared<AnnotationColumn>("tags", kTags, true),
          std::make_shared<AnnotationColumn>("title", kTitle, false)};
}

inline Annotations annotations_of(std::initializer_list<Annotation> all) {
  Annotations annotations;
  for (const Annotation& annotation : all) annotations.add(annotation);
  return annotations;
}

}  // namespace warpmeter::test
