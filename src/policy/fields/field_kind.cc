#include "policy/fields/field_kind.h"

#include <algorithm>
#include <array>
#include <vector>

#include "policy/fields/client_hello.h"
#include "policy/fields/quic_initial.h"

namespace warpmeter::inline policy {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Of a stream of TLS records, or of a datagram of QUIC, which begins with another bit.
struct Handshake {
  explicit Handshake(Bytes head) : is_quic(!head.empty() && (head[0] & 0x80) != 0) {
    if (is_quic) bytes = joined = quic_handshake_bytes(head);
    else bytes = handshake_bytes(head, joined);
  }
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

  const bool is_quic;
  std::vector<std::uint8_t> joined;  // what lies in no piece
  Bytes bytes;
};

std::string tls_sni(Bytes head) {
  std::vector<std::uint8_t> joined;
  return server_name(handshake_bytes(head, joined));
}

std::string tls_alpn(Bytes head) {
  const Handshake handshake(head);
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
  const Handshake handshake(head);
  return ja4_fingerprint(handshake.bytes, handshake.is_quic);
}
#endif

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeaderEnd = "\r\n\r\n";
constexpr std::string_view kWhiteSpace = " \t\n\r\v\f";

constexpr std::size_t kQuestion = 12;        // where it begins, behind the header of the message
constexpr std::size_t kShortestQuery = 17;   // bytes: the header, and the question of the root
constexpr std::size_t kLongestLabel = 63;    // of a DNS name; larger numbers are something else
constexpr std::size_t kLongestBanner = 255;  // bytes, its end counted

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) + 1 - first);
}

bool is_host(std::string_view name) {
  constexpr std::string_view kHost = "host";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::ranges::equal(name, kHost, {}, lower);
}

// Takes the first line off `lines`, with its end; without an end it is all of them.
std::string_view take_line(std::string_view& lines) {
  const std::string_view line = lines.substr(0, lines.find(kLineEnd));
  lines.remove_prefix(std::min(lines.size(), line.size() + kLineEnd.size()));
  return line;
}

// Of the first header field named Host, in whatever case, before the end of the header; without white space around it.
// A last line that is not whole yet is none.
std::string http_host(Bytes head) {
  const std::string_view text = text_of(head);
  std::size_t end = text.find(kHeaderEnd);
  if (end == std::string_view::npos) end = text.rfind(kLineEnd);  // the last line may not be whole
  if (end == std::string_view::npos) return {};
  std::string_view lines = text.substr(0, end);
  take_line(lines);  // the request
  while (!lines.empty()) {
    const std::string_view line = take_line(lines);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && is_host(trimmed(line.substr(0, colon)))) {
      return std::string(trimmed(line.substr(colon + 1)));
    }
  }
  return {};
}

// Of the first question of a DNS message over UDP: labels joined by dots. A compressed name is none.
std::string dns_name(Bytes head) {
  if (head.size() < kShortestQuery || (head[4] == 0 && head[5] == 0)) return {};
  std::string name;
  for (std::size_t at = kQuestion; at < head.size(); at += 1 + head[at]) {
    const std::size_t length = head[at];
    if (length == 0) return name;
    if (length > kLongestLabel || length >= head.size() - at) return {};
    if (at > kQuestion) name += '.';
    name += text_of(head.subspan(at + 1, length));
  }
  return {};
}

// The identification string of RFC 4253, section 4.2, without the end of its line; lines that a server sends before it
// are passed over.
std::string ssh_banner(Bytes head) {
  std::string_view lines = text_of(head);
  while (!lines.starts_with("SSH-")) {
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) return {};
    lines.remove_prefix(end + 1);
  }
  const std::size_t end = lines.find('\n');
  if (end >= kLongestBanner) return {};  // or there is none yet
  return std::string(lines.substr(0, end > 0 && lines[end - 1] == '\r' ? end - 1 : end));
}

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
  value = value.substr(0, kFieldLength);
  if (std::ranges::all_of(value, is_shown)) return std::string(value);
  std::string text;
  for (const char c : value) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (is_shown(c)) text += c;
    else text.append("\\x").append({kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return text;
}

}  // namespace warpmeter::inline policy
