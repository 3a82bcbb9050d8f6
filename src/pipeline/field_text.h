// Values of fields as text: short and with units for people, exact for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "query/field.h"

namespace warpmeter {

enum class Audience : std::uint8_t { person, program };

// "" where there is no value. For people, a counter of 0 is a dot, so that what happened stands out.
std::string whole_text(FieldType type, std::optional<std::int64_t> value, Audience audience);
std::string share_text(std::optional<double> share, Audience audience);
std::string address_text(std::uint8_t version, const std::uint8_t (&address)[16]);

std::string field_text(Field field, const Biflow& flow, Audience audience);

// What stands above a column of a table: short.
std::string field_title(const std::string& name);

// Not a number for any reader.
bool is_text(FieldType type, Audience audience);

std::string utc_text(std::int64_t nanoseconds);  // "2026-01-02 03:04:05.678"

}  // namespace warpmeter
