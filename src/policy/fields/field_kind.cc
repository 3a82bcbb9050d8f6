#include "policy/fields/field_kind.h"

#include <algorithm>
#include <array>
#include <vector>

#include "policy/fields/clear_text.h"
#include "policy/fields/client_hello.h"
#include "policy/fields/quic_initial.h"

namespace warpmeter::inline policy {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Of a stream of TLS records, or of a datagram of QUIC, which begins with another bit.
struct Handshake {
  bool is_quic;
  std::vector<std::uint8_t> bytes;
};
Handshake handshake_of(Bytes head) {
  const bool is_quic = !head.empty() && (head[0] & 0x80) != 0;
  return {is_quic, is_quic ? quic_handshake_bytes(head) : handshake_bytes(head)};
}

std::string tls_sni(Bytes head) { return server_name(handshake_bytes(head)); }

std::string tls_alpn(Bytes head) {
  const Handshake handshake = handshake_of(head);
  std::string joined;
  for (const std::string_view protocol : alpn_protocols(handshake.bytes)) {
    if (!joined.empty()) joined += ';';
    joined += protocol;
  }
  return joined;
}

#if WARPMETER_HAVE_NETTLE
std::string quic_sni(Bytes head) { return server_name(quic_handshake_bytes(head)); }

std::string tls_ja4(Bytes head) {
  const Handshake handshake = handshake_of(head);
  return ja4_fingerprint(handshake.bytes, handshake.is_quic);
}
#endif

struct KnownField {
  FieldKind kind;
  std::string_view word;
  std::string (*value)(Bytes head);
};

constexpr std::array kFields = {
    KnownField{FieldKind::tls_sni, "tls.sni", tls_sni},          KnownField{FieldKind::tls_alpn, "tls.alpn", tls_alpn},
    KnownField{FieldKind::http_host, "http.host", http_host},    KnownField{FieldKind::dns_name, "dns.name", dns_name},
    KnownField{FieldKind::ssh_banner, "ssh.banner", ssh_banner},
#if WARPMETER_HAVE_NETTLE
    KnownField{FieldKind::tls_ja4, "tls.ja4", tls_ja4},          KnownField{FieldKind::quic_sni, "quic.sni", quic_sni},
#endif
};

// nullptr: this build has none of the kind.
const KnownField* known(FieldKind kind) {
  const auto* found = std::ranges::find(kFields, kind, &KnownField::kind);
  return found == kFields.end() ? nullptr : found;
}

bool is_shown(char c) { return c > ' ' && c <= '~' && c != ',' && c != '"' && c != '\\'; }

}  // namespace

std::optional<FieldKind> field_kind(std::string_view word) {
  const auto* found = std::ranges::find(kFields, word, &KnownField::word);
  return found == kFields.end() ? std::nullopt : std::optional(found->kind);
}

std::string_view word_of(FieldKind kind) {
  const KnownField* field = known(kind);
  return field ? field->word : std::string_view();
}

std::string field_value(FieldKind kind, Bytes head) {
  const KnownField* field = known(kind);
  return field ? field->value(head.first(std::min(head.size(), kFieldHead))) : std::string();
}

bool waits_for_line(FieldKind kind) { return kind == FieldKind::http_host || kind == FieldKind::ssh_banner; }

std::string printable_field(std::string_view value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : value.substr(0, kFieldLength)) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (is_shown(c)) text += c;
    else text.append("\\x").append({kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return text;
}

}  // namespace warpmeter::inline policy
