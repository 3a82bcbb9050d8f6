// The names of what Flow Records hold as numbers: protocols, end reasons, TCP flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline analysis {

// "" if it has none here.
std::string_view protocol_name(std::uint8_t protocol);
std::optional<std::uint8_t> protocol_number(std::string_view name);
std::vector<std::string_view> protocol_names();  // by number

// "ip", "ip4", "ipv4", "ip6", "ipv6". The last is IANA's name of a protocol too: where both can be meant, people mean
// the version.
std::optional<std::uint8_t> ip_version_number(std::string_view name);
std::vector<std::string_view> ip_version_names();

// "idle", "active", "end", "forced", "resources"; or the words that are shown, with hyphens: "idle-timeout".
std::optional<std::uint8_t> end_reason_number(std::string_view name);
std::vector<std::string_view> end_reason_names();  // the first of these, by number

// "SA", in the order of the bits, as letters of FSRPAUEC; "." for none.
std::string flag_letters(std::uint8_t flags);
// Upper and lower case, in any order.
std::optional<std::uint8_t> flags_of_letters(std::string_view letters);

}  // namespace warpmeter::inline analysis
