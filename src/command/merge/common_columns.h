// The columns that files have in common: of files with others the rows do not fit into one output, and those of biflows
// are in another order. Columns of annotations are those that any file has: what others do not have is not noted there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/record_layout.h"
#include "record/read/flow_files.h"
#include "warpmeter/columns.h"

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

}  // namespace warpmeter::inline command
