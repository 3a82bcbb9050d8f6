// Names that columns have elsewhere: Information Elements of IPFIX, Zeek's conn.log, the Elastic Common Schema. One
// table has them all; beside it are the values that another schema has in another form than we do.
//
// Threads: any, at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/query/field.h"
#include "command/show/row_output.h"
#include "core/annotations.h"
#include "core/record_reader.h"
#include "record/write/output_options.h"

namespace warpmeter::inline command {

// Where a schema has several columns for one of ours, their names have blanks between; "": it has none.
struct ColumnNames {
  std::string_view column;  // with the unit of its times
  std::string_view ipfix, zeek, ecs;
};

// In the order of the columns.
std::span<const ColumnNames> column_names();

// Those that a column has in files. What the schema does not name has its own name behind a prefix that says so.
std::vector<std::string> names_in(Naming naming, const std::string& column);

// Our column of a name that the schema has; "" if it names none.
std::string column_of(Naming naming, const std::string& name);

// A value that the schema has in another form, or that we have no column for.
struct OtherValue {
  Naming naming;
  std::string_view name;
  FieldType type;
  // One of these two: of the flow, or of the value of our column. Times in the form's unit.
  RowValue (*of_flow)(const Biflow& flow, const Annotations& noted, TimeForm form) = nullptr;
  RowValue (*converted)(RowValue value) = nullptr;
  TimeText time_text = TimeText::usual;
  std::string_view zeek_type = {};  // if it does not follow from the type
  bool of_biflows = false;          // without an answer nobody knows it
};

// Null if the value is that of our column.
const OtherValue* other_value(Naming naming, std::string_view name);

// Whether its packets have ports; of ICMP, type and code stand in their place.
bool has_ports(std::uint8_t protocol);

// The first and the last moment of a flow, of both directions if it has them.
std::pair<std::int64_t, std::int64_t> times_of_both(const Biflow& flow);

// Those of Zeek's conn.log (conn_log.cc), in its order; the names of its columns, too.
std::span<const OtherValue> conn_log_values();
const std::vector<std::string>& conn_log_columns();

}  // namespace warpmeter::inline command
