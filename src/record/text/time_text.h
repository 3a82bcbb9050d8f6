// Moments as text, in the form that the user chose.
#pragma once

#include "record/text/number_text.h"
#include "warpmeter/time_form.h"

namespace warpmeter::inline record {

inline constexpr int kUtcText = 30;  // characters of "2026-01-31T12:00:00.123456789Z", always

// Of ns since 1970. Returns the end.
char* write_utc(char* to, std::int64_t ns);

template <TimeForm kForm>
char* write_moment(char* to, std::int64_t ns) {
  if constexpr (kForm == TimeForm::iso) return write_utc(to, ns);
  return write_number(to, in_unit_of(kForm, ns));
}

}  // namespace warpmeter::inline record
