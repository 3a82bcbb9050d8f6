// What a TLS client says in its ClientHello, of which a part may be all there is; and JA4, its fingerprint: how it
// connects, what it offers, and checksums of the lists (ja4.cc).
//
// `hello`: bytes of the handshake from its first on. A field is empty where it is not there (yet).
//
// Source: RFC 8446, section 4.1.2; RFC 6066, section 3; RFC 7301, section 3.1; "JA4: TLS Client Fingerprinting", FoxIO
// (github.com/FoxIO-LLC/ja4, technical_details/JA4.md); RFC 8701.
//
// Threads: any. Errors: none; lengths in it are held to its end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline policy {

// The handshake that the TLS records at the beginning of `head` carry, as far as it is there: bytes of `head` or, where
// they lie in several records, of `joined`.
std::span<const std::uint8_t> handshake_bytes(std::span<const std::uint8_t> head, std::vector<std::uint8_t>& joined);

// The first name in the extension server_name.
std::string server_name(std::span<const std::uint8_t> hello);

// Of the extension application_layer_protocol_negotiation, once all of it is there: the protocols in the client's
// order.
std::vector<std::string_view> alpn_protocols(std::span<const std::uint8_t> hello);

// A ClientHello of which every byte is there. It points into these.
struct WholeHello {
  struct Extension {
    std::uint16_t kind;
    std::span<const std::uint8_t> content;
  };
  std::uint16_t version = 0;  // as the message has it; what the extension supported_versions says goes before
  std::vector<std::uint16_t> cipher_suites;
  std::vector<Extension> extensions;
};
std::optional<WholeHello> whole_hello(std::span<const std::uint8_t> hello);

// A list of numbers of two bytes behind its length, which has `length_bytes`; empty where they disagree.
std::vector<std::uint16_t> number_list(std::span<const std::uint8_t> content, std::size_t length_bytes);

// Such as t13d1516h2_8daaf6152771_e5627efa2ab1, once all of the hello is there; empty before. REQUIRES: a build with
// libnettle.
std::string ja4_fingerprint(std::span<const std::uint8_t> hello, bool is_quic);

}  // namespace warpmeter::inline policy
