#include "command/merge/common_columns.h"

#include <fmt/format.h>

#include <string_view>

#include "core/noted_columns.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

void CommonColumns::add(const std::string& name, const FlowFile& file) {
  const RecordLayout& layout = file.layout();
  add_annotation_columns(of_annotations_, layout.extra);
  if (!file.first()) {
    of_empty_.vlan |= layout.vlan;
    of_empty_.biflow |= layout.biflow;
    of_empty_.absent |= layout.absent;
    return;
  }
  has_flows_ = true;
  note(kOtherDirection, layout.biflow, name);
  note(kVlan, layout.vlan, name);
  add(name, layout, file.first()->forward);
}

void CommonColumns::add(const std::string& name, const RecordLayout& layout, const FlowRecord& flow) {
  // Text has every column, and no values in those that the method does not count.
  constexpr std::uint32_t kNotCounted = not_counted_by(Method::five_tuple);
  const std::uint32_t absent = layout.absent | ((flow.absent & kNotCounted) == kNotCounted ? kNotCounted : 0);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const bool is_missing = absent >> i & 1;
    if (is_missing || column_value(i, flow, flow.absent)) note(i, !is_missing, name);
  }
}

void CommonColumns::note(std::size_t column, bool is_there, const std::string& name) {
  Known& known = is_there ? there_ : missing_;
  if (known.files[column].empty()) known.files[column] = name;
  known.columns |= std::uint32_t{1} << column;
  if (!(there_.columns & missing_.columns)) return;
  const std::string what = column == kOtherDirection
                               ? "biflows"
                               : fmt::format("a column {}", column == kVlan ? kVlanColumn : kColumns[column].name);
  throw Error(fmt::format("{} has {}, {} does not: files are merged if they have the same columns",
                          there_.files[column], what, missing_.files[column]));
}

RecordLayout CommonColumns::layout() const {
  RecordLayout layout = of_empty_;
  layout.extra = of_annotations_;
  if (!has_flows_) return layout;
  layout.vlan = there_.columns >> kVlan & 1;
  layout.biflow = there_.columns >> kOtherDirection & 1;
  layout.absent = missing_.columns & ((std::uint32_t{1} << kColumns.size()) - 1);
  return layout;
}

}  // namespace warpmeter::inline command
