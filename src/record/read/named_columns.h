// What the columns of a table of Flow Records are, by their names, in any order.
//
// Columns of other names are passed over, columns that are missing are absent in every record; without Flow Key and
// times there is no Flow Record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/record_layout.h"
#include "record/read/flow_row.h"

namespace warpmeter::inline record {

class NamedColumns {
 public:
  NamedColumns();

  // The next column. In one line why this makes no Flow Records of the table, or "".
  std::string add(std::string_view name);
  // After all of them: the first that is needed and not there, or "".
  std::string_view missing() const;

  const std::vector<std::optional<Place>>& places() const { return places_; }  // nothing: is passed over
  const RecordLayout& layout() const { return layout_; }

 private:
  std::vector<std::optional<Place>> places_;
  std::vector<Place> known_;  // of these
  RecordLayout layout_;
};

}  // namespace warpmeter::inline record
