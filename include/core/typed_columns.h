// All columns of a Flow Record, by name and order those of the CSV, with the types that they have where values have
// types: in Parquet and in Arrow.
//
//   src_addr, dst_addr              text, as inet_ntop prints them
//   src_port, dst_port, vlan_id     uint16
//   protocol, tcp_flags, end_reason uint8
//   start_ns, end_ns                times in UTC, ns; start_us, end_us: us (time_form.h)
//   counters                        int64: all readers know it, and a difference of two may be below 0
//   connection_bytes, connection_ns int64 (few readers know a type for durations)
//   duration_ns                     int64; clamped to that, of what is read from files of others
//   what options add                text, a list of texts, perhaps of none, or int64 (core/extra_column.h)
//   reverse_...                     as the column of the same name, of the other direction of a biflow (RFC 5103)
//
// The key and the times are never null. All other columns may be: what does not apply is null, and of what was read
// from a file of another meter any of them may be unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/record_layout.h"
#include "warpmeter/columns.h"

namespace warpmeter {

struct TypedColumn {
  enum class Type : std::uint8_t { address, text, texts, uint8, uint16, count, int64, time, time_us };

  std::string name;
  Type type = Type::count;                              // from 0 to the largest int64
  bool reverse = false;                                 // of the other direction; nullable
  std::size_t counter = kNoCounter;                     // its number in kColumns; nullable
  std::int64_t (*of_key)(const FlowRecord&) = nullptr;  // where it is neither counter nor text
  TimeForm form = TimeForm::ns;                         // of a counter that is a time
  std::shared_ptr<const ExtraColumn> extra = {};        // what an option adds

  static constexpr std::size_t kNoCounter = kColumns.size();
  bool nullable() const { return reverse || counter != kNoCounter || (extra && extra->nullable()); }
  bool text() const { return type == Type::address || type == Type::text || type == Type::texts; }
  bool moment() const { return type == Type::time || type == Type::time_us; }
  // Of a record of its direction. REQUIRES: no text, nothing that an option adds.
  std::optional<std::int64_t> value(const FlowRecord& record, std::uint32_t absent) const {
    if (counter == kNoCounter) return of_key(record);
    const std::optional<std::int64_t> value = column_value(counter, record, absent);
    return value ? value_in(form, counter, *value) : value;
  }
};

namespace typed_columns_detail {

using Type = TypedColumn::Type;
using Columns = std::vector<TypedColumn>;

constexpr Type type_of(const Column& column) {
  switch (column.unit) {
    case Unit::flags:
    case Unit::end_reason: return Type::uint8;
    case Unit::nanoseconds: return Type::int64;
    default: return column.name == "connection_bytes" ? Type::int64 : Type::count;
  }
}

inline Type type_of(const ExtraColumn& extra) {
  if (extra.is_list()) return Type::texts;
  if (!extra.is_number()) return Type::text;
  return extra.number_kind() == ExtraColumn::Number::count ? Type::count : Type::int64;
}

inline std::string prefix(bool reverse) { return std::string(reverse ? kReversePrefix : ""); }

inline void add_of_key(Columns& columns, std::string_view name, Type type, std::int64_t (*of_key)(const FlowRecord&),
                       bool reverse = false) {
  columns.push_back({prefix(reverse).append(name), type, reverse, TypedColumn::kNoCounter, of_key});
}

template <TimeForm kForm>
void add_moments(Columns& columns, bool reverse) {
  constexpr Type type = kForm == TimeForm::us ? Type::time_us : Type::time;
  constexpr TimeNames names = time_names(kForm);
  add_of_key(
      columns, names.start, type, [](const FlowRecord& r) { return in_unit_of(kForm, r.start_ns); }, reverse);
  add_of_key(
      columns, names.end, type, [](const FlowRecord& r) { return in_unit_of(kForm, r.end_ns); }, reverse);
}

template <TimeForm kForm>
void add_direction(Columns& columns, bool reverse) {
  add_moments<kForm>(columns, reverse);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    columns.push_back(
        {prefix(reverse).append(column_name(i, kForm)), type_of(kColumns[i]), reverse, i, nullptr, kForm});
  }
}

template <TimeForm kForm>
void add_duration(Columns& columns, bool reverse) {
  const auto duration = [](const FlowRecord& r) { return duration_in(kForm, r.start_ns, r.end_ns); };
  add_of_key(columns, time_names(kForm).duration, Type::int64, duration, reverse);
}

template <TimeForm kForm>
Columns columns_of(const RecordLayout& layout) {
  const auto source_port = [](const FlowRecord& r) -> std::int64_t { return port_number(r.key.source_port); };
  const auto destination_port = [](const FlowRecord& r) -> std::int64_t { return port_number(r.key.destination_port); };
  const auto protocol = [](const FlowRecord& r) -> std::int64_t { return r.key.protocol; };
  const auto vlan = [](const FlowRecord& r) -> std::int64_t { return port_number(r.key.vlan); };
  Columns columns;
  add_of_key(columns, kKeyColumns[0], Type::address, nullptr);
  add_of_key(columns, kKeyColumns[1], Type::address, nullptr);
  add_of_key(columns, kKeyColumns[2], Type::uint16, source_port);
  add_of_key(columns, kKeyColumns[3], Type::uint16, destination_port);
  add_of_key(columns, kKeyColumns[4], Type::uint8, protocol);
  add_direction<kForm>(columns, false);
  if (layout.vlan) add_of_key(columns, kVlanColumn, Type::uint16, vlan);
  if (layout.biflow) add_direction<kForm>(columns, true);
  add_duration<kForm>(columns, false);
  if (layout.biflow) add_duration<kForm>(columns, true);
  for (const auto& extra : layout.extra) {
    add_of_key(columns, extra->name(), type_of(*extra), nullptr);
    columns.back().extra = extra;
  }
  return columns;
}

}  // namespace typed_columns_detail

// Moments have types, so that no text of them is needed: times as text (iso) are in ns here.
inline std::vector<TypedColumn> typed_columns(const RecordLayout& layout) {
  return layout.times == TimeForm::us ? typed_columns_detail::columns_of<TimeForm::us>(layout)
                                      : typed_columns_detail::columns_of<TimeForm::ns>(layout);
}

}  // namespace warpmeter
