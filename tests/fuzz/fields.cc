// Payload that fields are taken from. The first byte says of which kind, and whether the rest is the payload (0), the
// handshake of a TLS client (16), a datagram with an Initial packet of QUIC that has the rest as its frames (32), or
// one with two, of which the second has those from the middle on (48).
#include <algorithm>
#include <array>
#include <string>

#include "fuzz/must.h"
#include "policy/fields/field_kind.h"
#include "support/byte_writer.h"
#if WARPMETER_HAVE_NETTLE
#include "support/quic_initial_packet.h"
#endif

namespace warpmeter::fuzz {
namespace {

using test::Bytes;
using test::operator+;

constexpr std::array kKinds = {FieldKind::tls_sni,  FieldKind::tls_alpn, FieldKind::tls_ja4,   FieldKind::http_host,
                               FieldKind::dns_name, FieldKind::quic_sni, FieldKind::ssh_banner};

Bytes payload(unsigned how, const Bytes& rest) {
  if (how == 1) {
    test::ByteWriter record;
    record.u8(22).u16(0x0301).u16(rest.size()).bytes(rest);
    return record.data();
  }
#if WARPMETER_HAVE_NETTLE
  if (how == 2) return test::protect({.version = rest.size() % 2 == 0 ? 1u : 2u, .frames = rest});
  if (how == 3) {
    const auto middle = rest.begin() + static_cast<std::ptrdiff_t>(rest.size() / 2);
    return test::protect({.frames = Bytes(rest.begin(), middle)}) +
           test::protect({.frames = Bytes(middle, rest.end()), .number = 1});
  }
#endif
  return rest;
}

// What must hold of a value, whatever it was taken from.
void check(FieldKind kind, const std::string& value, const Bytes& head) {
  must(value.size() <= head.size() || kind == FieldKind::tls_ja4);
  if (kind == FieldKind::tls_ja4 && !value.empty()) {
    must(value.size() == 36 && value[10] == '_' && value[23] == '_' && (value[0] == 't' || value[0] == 'q'));
  }
  if (kind == FieldKind::ssh_banner && !value.empty()) must(value.starts_with("SSH-") && value.size() < 255);
  const std::string shown = printable_field(value);
  must(shown.size() >= std::min(value.size(), kFieldLength) && shown.size() <= 4 * kFieldLength);
  for (const char c : shown) must(c > ' ' && c <= '~' && c != ',' && c != '"');
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  if (size == 0) return 0;
  const FieldKind kind = fuzz::kKinds[(data[0] & 15) % fuzz::kKinds.size()];
  // To its last byte and no further: what reads behind it is seen.
  const fuzz::Bytes head = fuzz::payload(data[0] >> 4 & 3, fuzz::Bytes(data + 1, data + size));
  fuzz::check(kind, field_value(kind, head), head);
  return 0;
}
