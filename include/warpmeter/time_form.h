// How the times of Flow Records are written: as nanoseconds, or in a form that databases and scripts can compute with.
//
// A moment that is cut to microseconds is cut toward the past. Lengths of time are numbers in every form, and the
// difference of the moments that are written.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace warpmeter {

enum class TimeForm : std::uint8_t {
  ns,   // since 1970 UTC; 19 digits
  us,   // the same in microseconds, which doubles hold and every database knows
  iso,  // "2026-01-31T12:00:00.123456789Z" (RFC 3339); lengths of time stay nanoseconds
};

// What the columns are called; a name tells the unit of what stands below it.
struct TimeNames {
  std::string_view start, end, duration, connection, handshake;
};

constexpr TimeNames time_names(TimeForm form) {
  switch (form) {
    case TimeForm::us: return {"start_us", "end_us", "duration_us", "connection_us", "handshake_us"};
    case TimeForm::iso: return {"start_time", "end_time", "duration_ns", "connection_ns", "handshake_ns"};
    case TimeForm::ns: break;
  }
  return {"start_ns", "end_ns", "duration_ns", "connection_ns", "handshake_ns"};
}

inline constexpr std::int64_t kNsPerUs = 1000;

constexpr std::int64_t whole_us(std::int64_t ns) { return ns / kNsPerUs - (ns % kNsPerUs < 0); }

// The number that stands for so many nanoseconds.
constexpr std::int64_t in_unit_of(TimeForm form, std::int64_t ns) { return form == TimeForm::us ? whole_us(ns) : ns; }

// From one moment to another; the end of the range where it is beyond: a file may hold any times.
constexpr std::int64_t span_between(std::int64_t start, std::int64_t end) {
  std::int64_t span = 0;
  if (!__builtin_sub_overflow(end, start, &span)) return span;
  return start < end ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

// The same, in the form's unit.
constexpr std::int64_t duration_in(TimeForm form, std::int64_t start_ns, std::int64_t end_ns) {
  return span_between(in_unit_of(form, start_ns), in_unit_of(form, end_ns));
}

// Calls `use` with the form as a constant, use.operator()<kForm>(), for code that is made for one.
template <class Use>
constexpr auto with_time_form(TimeForm form, const Use& use) {
  switch (form) {
    case TimeForm::us: return use.template operator()<TimeForm::us>();
    case TimeForm::iso: return use.template operator()<TimeForm::iso>();
    case TimeForm::ns: break;
  }
  return use.template operator()<TimeForm::ns>();
}

}  // namespace warpmeter
