// The columns of a Parquet file of Flow Records: those of the CSV, by name and order, typed.
//
//   src_addr, dst_addr              string, as inet_ntop prints them; dictionary
//   src_port, dst_port, vlan_id     uint16
//   protocol, tcp_flags, end_reason uint8
//   start_ns, end_ns                timestamp[ns, UTC]; start_us, end_us: timestamp[us, UTC] (time_form.h)
//   counters                        uint64
//   connection_bytes, connection_ns int64 (few readers know a type for durations)
//   duration_ns                     int64; modulo 2^64, of what is read from files of others
//   community_id                    string
//   reverse_...                     as the column of the same name, of the other direction of a biflow (RFC 5103)
//
// The key and the times are never null. All other columns may be: what does not apply is null, and of what was read
// from a file of another meter any of them may be unknown.
#pragma once

#include <parquet/api/schema.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpmeter/columns.h"
#include "warpmeter/record_layout.h"

namespace warpmeter {

// Rows of a row group: what Parquet's readers hand out to their threads, and skip by its statistics.
inline constexpr std::int64_t kRowsInGroup = 1 << 19;

struct FileColumn {
  enum class Type : std::uint8_t { address, uint8, uint16, uint64, int64, time, time_us, community_id };

  std::string name;
  Type type = Type::uint64;
  bool reverse = false;                                 // of the other direction; nullable
  std::size_t counter = kNoCounter;                     // its number in kColumns; nullable
  std::int64_t (*of_key)(const FlowRecord&) = nullptr;  // where it is neither counter nor text
  TimeForm form = TimeForm::ns;                         // of a counter that is a time

  static constexpr std::size_t kNoCounter = kColumns.size();
  bool nullable() const { return reverse || counter != kNoCounter; }
  bool narrow() const { return type == Type::uint8 || type == Type::uint16; }  // Parquet's INT32, else INT64
  bool text() const { return type == Type::address || type == Type::community_id; }
  bool moment() const { return type == Type::time || type == Type::time_us; }
  // Of a record of its direction. REQUIRES: no text.
  std::optional<std::int64_t> value(const FlowRecord& record, std::uint32_t absent) const {
    if (counter == kNoCounter) return of_key(record);
    const std::optional<std::int64_t> value = column_value(counter, record, absent);
    return value ? value_in(form, counter, *value) : value;
  }
};

// REQUIRES: times in ns or us.
std::vector<FileColumn> file_columns(const RecordLayout& layout);

std::shared_ptr<::parquet::schema::GroupNode> file_schema(const std::vector<FileColumn>& columns);

}  // namespace warpmeter
