// Values of rules as a policy file writes them: numbers and ranges, prefixes, protocols, flags, labels.
//
// Threads: any. Errors: PolicyError, which says what is wrong with the value, not where it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/memory/policy_memory.h"

namespace warpmeter::inline policy {

ValueRange parse_range(std::string_view text);  // "80", "80-90", "1000-"

// "10.0.0.0/8", "2001:db8::/32"; an address alone is all its bits. No bit behind the prefix may be set.
AddressPrefix parse_prefix(std::string_view text);

std::uint8_t protocol_of(std::string_view name);     // "tcp"
std::uint8_t parse_flags(std::string_view letters);  // "SA", as in a TCP header

// What a label, or the name of a column of fields, may be made of.
void check_label(std::string_view label);
void check_column(std::string_view column);

// The bytes of a pattern, of which a file has the characters U+0000 to U+00FF; nothing where there are others.
std::optional<std::string> latin1(std::string_view utf8);

// What users wrote, short and harmless, in quotes.
std::string in_quotes(std::string_view text);

}  // namespace warpmeter::inline policy
