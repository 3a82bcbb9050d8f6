// Packets written field by field, 10.0.0.1 to 10.0.0.2 (or 2001:db8::1 to ::2) unless said otherwise.
#pragma once

#include <initializer_list>
#include <optional>

#include "support/byte_writer.h"

namespace warpmeter::test {

struct Ip4Fields {
  std::uint8_t protocol = 6;
  std::uint16_t id = 0x1234;
  std::uint16_t fragment = 0;                // flags and offset
  std::optional<std::uint16_t> length = {};  // else what it is
  Bytes options = {};                        // a multiple of 4
  std::uint8_t ttl = 64;
};

inline Bytes ip4(const Ip4Fields& f, const Bytes& payload) {
  const std::size_t header = 20 + f.options.size();
  ByteWriter w;
  w.u8(0x40 | header / 4).u8(0).u16(f.length.value_or(static_cast<std::uint16_t>(header + payload.size())));
  w.u16(f.id).u16(f.fragment).u8(f.ttl).u8(f.protocol).u16(0);
  w.bytes({10, 0, 0, 1, 10, 0, 0, 2}).bytes(f.options).bytes(payload);
  return w.data();
}

struct Ip6Fields {
  std::uint8_t next = 6;
  std::optional<std::uint16_t> payload_length = {};
};

inline Bytes ip6(const Ip6Fields& f, const Bytes& payload) {
  ByteWriter w;
  w.u32(0x60000000).u16(f.payload_length.value_or(static_cast<std::uint16_t>(payload.size()))).u8(f.next).u8(64);
  w.u32(0x20010db8).zeros(11).u8(1).u32(0x20010db8).zeros(11).u8(2).bytes(payload);
  return w.data();
}

struct TcpFields {
  std::uint16_t source_port = 40000;
  std::uint16_t destination_port = 443;
  std::uint32_t sequence = 1000;
  std::uint32_t acknowledgement = 0;
  std::uint8_t header_words = 5;
  std::uint8_t flags = 0x10;
  std::uint16_t window = 512;
  std::uint16_t checksum = 0xbeef;
};

// `rest` is what follows the first 20 bytes: options, payload.
inline Bytes tcp(const TcpFields& f, const Bytes& rest = {}) {
  ByteWriter w;
  w.u16(f.source_port).u16(f.destination_port).u32(f.sequence).u32(f.acknowledgement);
  w.u8(f.header_words << 4).u8(f.flags).u16(f.window).u16(f.checksum).u16(0).bytes(rest);
  return w.data();
}

// A checksum of 0 is none.
inline Bytes udp(std::uint16_t source, std::uint16_t destination, const Bytes& payload = {},
                 std::uint16_t checksum = 0) {
  return ByteWriter().u16(source).u16(destination).u16(8 + payload.size()).u16(checksum).bytes(payload).data();
}

inline Bytes ethernet(std::uint16_t type, const Bytes& payload) {
  return ByteWriter().zeros(12).u16(type).bytes(payload).data();
}

inline Bytes vlan_tag(std::uint16_t control, std::uint16_t next_type) {
  return ByteWriter().u16(control).u16(next_type).data();
}

inline Bytes mpls_label(bool bottom) { return ByteWriter().u16(1).u8(bottom ? 1 : 0).u8(64).data(); }

}  // namespace warpmeter::test
