// The columns that files have in common: of files with others the rows do not fit into one output, and those of biflows
// are in another order. Columns of annotations are those that any file has: what others do not have is not noted there.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/noted_columns.h"
#include "core/record_layout.h"
#include "record/read/flow_files.h"
#include "warpmeter/columns.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

class CommonColumns {
 public:
  // Before its first flow is taken. Throws Error if the file has a column that one before it has not, or the other way
  // round. A file without flows fits to all; a value that the first flow does not have, as one of UDP none of what TCP
  // alone has, says nothing of the column.
  void add(const std::string& name, const FlowFile& file);
  // A flow that comes later and tells more, of a file that was added. Throws Error as above.
  void add(const std::string& name, const RecordLayout& layout, const FlowRecord& flow);

  // Of all files, so far; where none has flows, of what these tell without any.
  RecordLayout layout() const;

 private:
  static constexpr std::size_t kVlan = kColumns.size(), kOtherDirection = kVlan + 1, kAll = kOtherDirection + 1;
  static_assert(kAll <= 32);

  // Known of some files: a bit for each column, and one of the files.
  struct Known {
    std::uint32_t columns = 0;
    std::array<std::string, kAll> files;
  };
  void note(std::size_t column, bool is_there, const std::string& name);

  Known there_, missing_;
  RecordLayout of_empty_;
  ExtraColumns of_annotations_;
  bool has_flows_ = false;
};

inline void CommonColumns::add(const std::string& name, const FlowFile& file) {
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

inline void CommonColumns::add(const std::string& name, const RecordLayout& layout, const FlowRecord& flow) {
  // Text has every column, and no values in those that the method does not count.
  constexpr std::uint32_t kNotCounted = not_counted_by(Method::five_tuple);
  const std::uint32_t absent = layout.absent | ((flow.absent & kNotCounted) == kNotCounted ? kNotCounted : 0);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const bool is_missing = absent >> i & 1;
    if (is_missing || column_value(i, flow, flow.absent)) note(i, !is_missing, name);
  }
}

inline void CommonColumns::note(std::size_t column, bool is_there, const std::string& name) {
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

inline RecordLayout CommonColumns::layout() const {
  RecordLayout layout = of_empty_;
  layout.extra = of_annotations_;
  if (!has_flows_) return layout;
  layout.vlan = there_.columns >> kVlan & 1;
  layout.biflow = there_.columns >> kOtherDirection & 1;
  layout.absent = missing_.columns & ((std::uint32_t{1} << kColumns.size()) - 1);
  return layout;
}

}  // namespace warpmeter::inline command
