// JA4, the fingerprint of a TLS client: how it connects, what it offers in its ClientHello, and checksums of the lists.
//
// Source: "JA4: TLS Client Fingerprinting", FoxIO (github.com/FoxIO-LLC/ja4, technical_details/JA4.md); RFC 8701.
//
// Threads: any. Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace warpmeter::inline policy {

// Such as t13d1516h2_8daaf6152771_e5627efa2ab1, once all of the hello is there; empty before. `hello`: bytes of the
// handshake from its first on. REQUIRES: a build with libnettle.
std::string ja4_fingerprint(std::span<const std::uint8_t> hello, bool is_quic);

}  // namespace warpmeter::inline policy
