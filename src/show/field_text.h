// Values of fields as text: short and with units for people, exact for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "query/field.h"
#include "warpmeter/time_form.h"

namespace warpmeter {

enum class Audience : std::uint8_t { person, program };

// "" where there is no value. For people, a counter of 0 is a dot, so that what happened stands out. Times have a form
// for programs alone.
std::string whole_text(FieldType type, std::optional<std::int64_t> value, Audience audience,
                       TimeForm form = TimeForm::ns);
std::string share_text(std::optional<double> share, Audience audience);
std::string address_text(std::uint8_t version, const std::uint8_t (&address)[16]);

std::string field_text(Field field, const Biflow& flow, Audience audience, TimeForm form = TimeForm::ns);

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

}  // namespace warpmeter
