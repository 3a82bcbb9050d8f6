// Values as people write them in filters and keys, and the names of what Flow Records hold as numbers: protocols, end
// reasons, TCP flags. Nothing where the text is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline analysis {

// Whole numbers, with the units of base/words/amount.h: "1500", "1.5M".
std::optional<std::int64_t> number_literal(std::string_view text);
// The same of bytes: K, M, G, T are powers of 1024.
std::optional<std::int64_t> bytes_literal(std::string_view text);

// Times; without a unit it is `plain_ns` nanoseconds each: "1.5s", "300ms" -> ns.
std::optional<std::int64_t> span_literal(std::string_view text, std::int64_t plain_ns);

// ns since 1970 as they are, or UTC as "2026-01-02", "2026-01-02T03:04", "...:05", "...:05.678", perhaps with a blank
// for the T, and with Z.
std::optional<std::int64_t> time_literal(std::string_view text);

// "0.015", "1.5%".
std::optional<double> share_literal(std::string_view text);

// Numbers that may have a fraction, with the units of counts: "0.5", "1.5M".
std::optional<double> decimal_literal(std::string_view text);

// An address, or a prefix of addresses.
struct Prefix {
  std::uint8_t version = 0;  // 4 or 6
  std::uint8_t address[16] = {};
  int bits = 0;

  bool covers(std::uint8_t other_version, const std::uint8_t (&other)[16]) const;
};
// "10.0.0.1", "10.0.0.0/8", "2001:db8::/32".
std::optional<Prefix> prefix_literal(std::string_view text);

// Bits beyond the first `bits` become 0.
void cut_to_prefix(std::uint8_t (&address)[16], int bits);

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

// A MAC address as columns have it, in small letters with colons: "02-00-5E-10-00-00".
std::optional<std::string> mac_literal(std::string_view text);

// "SA", in the order of the bits, as letters of FSRPAUEC; "." for none.
std::string flag_letters(std::uint8_t flags);
// Upper and lower case, in any order.
std::optional<std::uint8_t> flags_of_letters(std::string_view letters);

}  // namespace warpmeter::inline analysis
