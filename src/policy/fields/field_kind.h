// Values that a rule may take from payload: which there are, and how each is taken.
//
// Source: docs/policies.md, "Fields".
//
// Threads: any. Errors: none; payload that is none of its kind, or not yet whole, gives no value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpmeter::inline policy {

enum class FieldKind : std::uint8_t { tls_sni, tls_alpn, tls_ja4, http_host, dns_name, quic_sni, ssh_banner };

inline constexpr std::size_t kFieldHead = 16 << 10;  // bytes of a direction that values are taken from
inline constexpr std::size_t kFieldLength = 255;     // bytes of payload that a value has at most

// By its word in a policy file, such as "tls.sni". A build without libnettle has neither tls.ja4 nor quic.sni.
std::optional<FieldKind> field_kind(std::string_view word);
std::string_view word_of(FieldKind kind);

// The value as the bytes that the payload has, empty: it is not there (yet). `head`: the first bytes of a direction
// from offset 0 on, or a datagram.
std::string field_value(FieldKind kind, std::span<const std::uint8_t> head);

// A value of this kind comes with the end of a line: as long as the head grows without one, it stays as it is.
bool waits_for_line(FieldKind kind);

// As an output shows it: of the first kFieldLength bytes all but printable ASCII, and comma, quote and backslash, as
// \xNN.
std::string printable_field(std::string_view value);

}  // namespace warpmeter::inline policy
