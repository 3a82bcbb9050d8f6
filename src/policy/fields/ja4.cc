#include "policy/fields/client_hello.h"

#if WARPMETER_HAVE_NETTLE
#include <fmt/format.h>
#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmeter::inline policy {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Numbers = std::vector<std::uint16_t>;

constexpr std::uint16_t kServerNameKind = 0x0000, kAlpnKind = 0x0010;
constexpr std::uint16_t kSignatureAlgorithms = 0x000d, kSupportedVersions = 0x002b;

// Numbers that clients offer at random, so that servers get used to unknown ones.
bool is_grease(std::uint16_t number) { return (number & 0x0f0f) == 0x0a0a && number >> 8 == (number & 0xff); }

Numbers without_grease(Numbers numbers) {
  std::erase_if(numbers, is_grease);
  return numbers;
}

Bytes content_of(const WholeHello& hello, std::uint16_t kind) {
  const auto found = std::ranges::find(hello.extensions, kind, &WholeHello::Extension::kind);
  return found == hello.extensions.end() ? Bytes() : found->content;
}

bool has(const WholeHello& hello, std::uint16_t kind) {
  return std::ranges::find(hello.extensions, kind, &WholeHello::Extension::kind) != hello.extensions.end();
}

std::string_view version_word(std::uint16_t version) {
  constexpr std::array<std::pair<std::uint16_t, std::string_view>, 6> kWords = {
      {{0x0304, "13"}, {0x0303, "12"}, {0x0302, "11"}, {0x0301, "10"}, {0x0300, "s3"}, {0x0002, "s2"}}};
  for (const auto& [number, word] : kWords) {
    if (number == version) return word;
  }
  return "00";
}

std::uint16_t highest_version(const WholeHello& hello) {
  const Numbers offered = without_grease(number_list(content_of(hello, kSupportedVersions), 1));
  return offered.empty() ? hello.version : std::ranges::max(offered);
}

// The first and the last character of a protocol's name or, where one of these is no letter or digit, of its hex
// digits.
std::string ends_of(std::string_view protocol) {
  if (protocol.empty()) return "00";
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  if (is_plain(protocol.front()) && is_plain(protocol.back())) return {protocol.front(), protocol.back()};
  const auto first = static_cast<std::uint8_t>(protocol.front()), last = static_cast<std::uint8_t>(protocol.back());
  return fmt::format("{:x}{:x}", first >> 4, last & 15);
}

// Without fmt, which takes long for so many short numbers.
void append_hex(std::string& to, unsigned number, int digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  while (digits-- > 0) to += kDigits[number >> 4 * digits & 15];
}

std::string hex_list(const Numbers& numbers) {
  std::string text;
  for (const std::uint16_t number : numbers) {
    if (!text.empty()) text += ',';
    append_hex(text, number, 4);
  }
  return text;
}

std::string checksum(const std::string& text) {
  constexpr std::size_t kBytesShown = 6;
  if (text.empty()) return std::string(2 * kBytesShown, '0');
  sha256_ctx state;
  sha256_init(&state);
  sha256_update(&state, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&state, digest.size(), digest.data());
  std::string shown;
  for (std::size_t i = 0; i < kBytesShown; ++i) append_hex(shown, digest[i], 2);
  return shown;
}

// What the second checksum is of: kinds of extensions in order, and signature algorithms as the client has them.
std::string extension_text(const WholeHello& hello, Numbers kinds) {
  std::erase_if(kinds, [](std::uint16_t kind) { return kind == kServerNameKind || kind == kAlpnKind; });
  std::ranges::sort(kinds);
  const Numbers algorithms = without_grease(number_list(content_of(hello, kSignatureAlgorithms), 2));
  std::string text = hex_list(kinds);
  if (!algorithms.empty()) text.append(1, '_').append(hex_list(algorithms));
  return text;
}

void append_number(std::string& to, std::size_t number) {
  to += static_cast<char>(number >> 8);
  to += static_cast<char>(number);
}

// All that a fingerprint follows from, as bytes: hardly more than the `size` of the hello.
std::string offer_of(const WholeHello& hello, std::size_t size, bool is_quic) {
  std::string offer;
  offer.reserve(size);
  offer += is_quic ? 'q' : 't';
  append_number(offer, hello.version);
  append_number(offer, hello.cipher_suites.size());
  for (const std::uint16_t suite : hello.cipher_suites) append_number(offer, suite);
  for (const auto& [kind, content] : hello.extensions) {
    append_number(offer, kind);
    if (kind != kAlpnKind && kind != kSignatureAlgorithms && kind != kSupportedVersions) continue;
    append_number(offer, content.size());
    offer.append(reinterpret_cast<const char*>(content.data()), content.size());
  }
  return offer;
}

// Clients are of few kinds, and their checksums are most of what a fingerprint takes: it is kept with the latest
// offers.
class LatestFingerprints {
 public:
  // `make`: the fingerprint of this offer.
  template <class Make>
  std::string of(std::string offer, const Make& make) {
    if (offer.size() > kLongestOffer) return make();
    auto& [known, fingerprint] = latest_[std::hash<std::string>()(offer) % latest_.size()];
    if (known != offer) {
      fingerprint = make();
      known = std::move(offer);
    }
    return fingerprint;
  }

 private:
  static constexpr std::size_t kLongestOffer = 1024;  // bytes

  std::array<std::pair<std::string, std::string>, 64> latest_;
};

std::string fingerprint_of(const WholeHello& hello, Bytes bytes, bool is_quic) {
  Numbers suites = without_grease(hello.cipher_suites), kinds;
  for (const auto& extension : hello.extensions) kinds.push_back(extension.kind);
  kinds = without_grease(std::move(kinds));
  std::ranges::sort(suites);
  const auto protocols = alpn_protocols(bytes);
  return fmt::format("{}{}{}{:02}{:02}{}_{}_{}", is_quic ? 'q' : 't', version_word(highest_version(hello)),
                     has(hello, kServerNameKind) ? 'd' : 'i', std::min<std::size_t>(suites.size(), 99),
                     std::min<std::size_t>(kinds.size(), 99), protocols.empty() ? "00" : ends_of(protocols.front()),
                     checksum(hex_list(suites)), checksum(extension_text(hello, kinds)));
}

}  // namespace

std::string ja4_fingerprint(Bytes bytes, bool is_quic) {
  const auto hello = whole_hello(bytes);
  if (!hello) return {};
  thread_local LatestFingerprints latest;
  return latest.of(offer_of(*hello, bytes.size(), is_quic), [&] { return fingerprint_of(*hello, bytes, is_quic); });
}

}  // namespace warpmeter::inline policy
#endif
