// What a QUIC client says first: its ClientHello, in Initial packets that are protected by keys which everyone can
// derive who has seen them.
//
// Source: RFC 9000, sections 12.4, 17.2 and 19; RFC 9001, section 5; RFC 9369, section 3.
//
// Threads: any. Errors: none; lengths are held to the end of the datagram, and what no client protected is left out.
// The work is linear in the datagram.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace warpmeter::inline policy {

// The handshake, from its first byte on, as far as the Initial packets of this datagram carry it without a gap. Empty:
// they do not, or they are none of a client, or of another version than 1 and 2. In a build without libnettle it is.
// Datagrams that a client sent one after the other are read as one where they stand so in `datagram`.
std::vector<std::uint8_t> quic_handshake_bytes(std::span<const std::uint8_t> datagram);

}  // namespace warpmeter::inline policy
