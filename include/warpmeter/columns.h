// The columns of a Flow Record behind its Flow Key and times: their names and order in every format, and how to read
// and set their values.
//
// Values are nothing where they do not apply (what TCP alone has, connection_bytes without a valid connection) or where
// the record's `absent` says that its source did not know them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "warpmeter/flow_counters.h"
#include "warpmeter/flow_record.h"
#include "warpmeter/method.h"
#include "warpmeter/time_form.h"

namespace warpmeter {

// What a column counts, for those who write numbers for people.
enum class Unit : std::uint8_t { packets, bytes, times, nanoseconds, flags, end_reason };

struct Column {
  std::string_view name;
  Unit unit;
  bool tcp_only;  // nothing for other protocols
  // The value where it applies, whatever `absent` says.
  std::optional<std::int64_t> (*value)(const FlowRecord&);
  void (*set)(FlowRecord&, std::int64_t);
};

namespace columns_detail {

template <auto kMember>
[[gnu::always_inline]] inline std::optional<std::int64_t> any(const FlowRecord& r) {
  return static_cast<std::int64_t>(r.*kMember);
}

template <auto kMember>
[[gnu::always_inline]] inline std::optional<std::int64_t> of_tcp(const FlowRecord& r) {
  if (r.key.protocol != kProtocolTcp) return std::nullopt;
  return static_cast<std::int64_t>(r.*kMember);
}

template <auto kMember>
[[gnu::always_inline]] inline std::optional<std::int64_t> of_connection(const FlowRecord& r) {
  if (r.key.protocol != kProtocolTcp || !(r.flags & kHasConnection)) return std::nullopt;
  return r.*kMember;
}

template <class T>
T member_type(T FlowRecord::*);

template <auto kMember>
void set(FlowRecord& r, std::int64_t value) {
  r.*kMember = static_cast<decltype(member_type(kMember))>(value);
}

template <auto kMember>
void set_connection(FlowRecord& r, std::int64_t value) {
  r.*kMember = value;
  r.flags |= kHasConnection;
}

template <auto kMember>
constexpr Column every(std::string_view name, Unit unit) {
  return {name, unit, false, any<kMember>, set<kMember>};
}

template <auto kMember>
constexpr Column tcp(std::string_view name, Unit unit) {
  return {name, unit, true, of_tcp<kMember>, set<kMember>};
}

template <auto kMember>
constexpr Column connection(std::string_view name, Unit unit) {
  return {name, unit, true, of_connection<kMember>, set_connection<kMember>};
}

}  // namespace columns_detail

#define WARPMETER_COLUMN(name, protocols, unit, ...) columns_detail::protocols<&FlowRecord::name>(#name, Unit::unit),
inline constexpr std::array kColumns = {
    WARPMETER_FIRST_COUNTERS(WARPMETER_COLUMN)  //
    columns_detail::tcp<&FlowRecord::tcp_flags>("tcp_flags", Unit::flags),
    columns_detail::connection<&FlowRecord::connection_bytes>("connection_bytes", Unit::bytes),
    columns_detail::connection<&FlowRecord::connection_ns>("connection_ns", Unit::nanoseconds),
    columns_detail::every<&FlowRecord::end_reason>("end_reason", Unit::end_reason),
    WARPMETER_LATER_COUNTERS(WARPMETER_COLUMN)  //
};
#undef WARPMETER_COLUMN
static_assert(kColumns.size() <= 32);  // FlowRecord::absent has a bit for each

namespace columns_detail {

template <std::size_t kColumn, class F>
[[gnu::always_inline]] inline void for_one(const FlowRecord& record, std::uint32_t absent, F& f) {
  constexpr auto value = kColumns[kColumn].value;
  f(std::integral_constant<std::size_t, kColumn>(), absent >> kColumn & 1 ? std::nullopt : value(record));
}

template <class F, std::size_t... kEach>
[[gnu::always_inline]] inline void for_each(const FlowRecord& record, std::uint32_t absent, F& f,
                                            std::index_sequence<kEach...>) {
  (for_one<kEach>(record, absent, f), ...);
}

}  // namespace columns_detail

// Calls f(column number as a constant, value) for each column: faster than column_value(), whose column may be any.
// Inlined, so that what `f` keeps by reference may stay in registers; `f` should say so too. Without, a Flow Record as
// CSV takes 4 % more instructions.
template <class F>
[[gnu::always_inline]] inline void for_each_column(const FlowRecord& record, std::uint32_t absent, F f) {
  columns_detail::for_each(record, absent, f, std::make_index_sequence<kColumns.size()>());
}

// Number of the column of that name; kColumns.size() if there is none.
constexpr std::size_t column_number(std::string_view name) {
  std::size_t i = 0;
  while (i < kColumns.size() && kColumns[i].name != name) ++i;
  return i;
}

inline std::optional<std::int64_t> column_value(std::size_t column, const FlowRecord& record, std::uint32_t absent) {
  if (absent >> column & 1) return std::nullopt;
  return kColumns[column].value(record);
}

inline constexpr std::size_t kConnectionTime = column_number("connection_ns");

// The column's name and the number in it where times have that form.
constexpr std::string_view column_name(std::size_t column, TimeForm form) {
  return column == kConnectionTime ? time_names(form).connection : kColumns[column].name;
}
constexpr std::int64_t value_in(TimeForm form, std::size_t column, std::int64_t value) {
  return column == kConnectionTime ? in_unit_of(form, value) : value;
}

// Counters lie in two ranges: before kFirstCounters, and behind the key and the times.
constexpr bool is_counter(std::size_t column) {
  constexpr std::size_t kNoCounters = kColumns.size() - kFlowCounters;
  return column < kFirstCounters || (column >= kFirstCounters + kNoCounters && column < kColumns.size());
}

// A set of columns, as in FlowRecord::absent: those that a method does not count.
constexpr std::uint32_t not_counted_by(Method method) {
  constexpr bool both = false, exact = true;
#define WARPMETER_ONLY_EXACT(name, protocols, unit, methods, ...) std::uint32_t{methods} << column_number(#name) |
  constexpr std::uint32_t only_exact = WARPMETER_FLOW_COUNTERS(WARPMETER_ONLY_EXACT) 0;
#undef WARPMETER_ONLY_EXACT
  return method == Method::exact ? 0 : only_exact;
}

inline constexpr std::string_view kKeyColumns[] = {"src_addr", "dst_addr", "src_port", "dst_port",
                                                   "protocol", "start_ns", "end_ns"};
inline constexpr std::size_t kKeyParts = 5;  // of the Flow Key; the names of times depend on their form (time_form.h)
inline constexpr std::string_view kVlanColumn = "vlan_id";
// Number of the first packet in the trace, from 1: an option adds it, and readers take it for FlowRecord::arrival.
inline constexpr std::string_view kFirstPacketColumn = "first_packet";

// Before the names of the other direction's columns of a biflow, from start_ns on; they stand at the end.
// Behind them stand duration_ns (JSON, Parquet; of both directions) and the columns that options add.
inline constexpr std::string_view kReversePrefix = "reverse_";

}  // namespace warpmeter
