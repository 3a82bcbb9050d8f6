#include <algorithm>
#include <array>

#include "record/columns/column_option.h"

namespace warpmeter::inline record {

// A line for each column, in the order in which they stand: a file beside this one defines NAME_option().
#define WARPMETER_EXTRA_COLUMNS(column) \
  column(community_id) column(first_packet) column(reverse_first_packet) column(handshake_ns)

#define WARPMETER_DECLARE(name) ColumnOption name##_option();
WARPMETER_EXTRA_COLUMNS(WARPMETER_DECLARE)
#undef WARPMETER_DECLARE

std::span<const ColumnOption> column_options() {
#define WARPMETER_OPTION(name) name##_option(),
  static const std::array options{WARPMETER_EXTRA_COLUMNS(WARPMETER_OPTION)};
#undef WARPMETER_OPTION
  return options;
}

std::string option_of_column(std::string_view column) {
  std::string option = "--" + std::string(column);
  std::ranges::replace(option, '_', '-');
  return option;
}

std::string ColumnOption::option() const { return option_of_column(column); }

std::string ColumnOption::number_option() const { return option() + "-" + std::string(number.name); }

}  // namespace warpmeter::inline record
