// Values of fields as text: short and with units for people, exact for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/query/field.h"
#include "analysis/query/sum_key.h"
#include "command/show/row_output.h"
#include "warpmeter/time_form.h"

namespace warpmeter::inline command {

enum class Audience : std::uint8_t { person, program };

// Times are in the form's unit.
RowValue field_value(Field field, const Biflow& flow, const Annotations& noted, TimeForm form);
RowValue key_value(const SumKey& key, const SumKeyValue& value, TimeForm form);
RowValue number_value(FieldType type, std::optional<std::int64_t> value, TimeForm form);
RowValue share_value(std::optional<double> share);  // or another number with a fraction

// "" where there is no value. For people, a counter of 0 is a dot, so that what happened stands out, and times are in
// ns.
std::string value_text(FieldType type, const RowValue& value, Audience audience, TimeForm form);

// What programs find above a column of that name: duration_ns for duration, start_us for start_ns; also of the
// keys of sums (start_ns/60s).
std::string name_in(TimeForm form, const std::string& name);

// What stands above a column of a table: short.
std::string field_title(const std::string& name);

// Not a number for any reader.
bool is_text(FieldType type, Audience audience, TimeForm form = TimeForm::ns);

std::string utc_text(std::int64_t nanoseconds);  // "2026-01-02 03:04:05.678"

// Of a name: other values than none are what a reader looks for.
bool tells_of_trouble(const std::string& name);

}  // namespace warpmeter::inline command
