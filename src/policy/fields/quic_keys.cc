#include "policy/fields/quic_keys.h"

#if WARPMETER_HAVE_NETTLE
#include <nettle/aes.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>

#include <algorithm>
#include <string_view>
#endif

namespace warpmeter::inline policy {

#if WARPMETER_HAVE_NETTLE
namespace {

using Bytes = std::span<const std::uint8_t>;
using Secret = std::array<std::uint8_t, SHA256_DIGEST_SIZE>;
using Nonce = std::array<std::uint8_t, GCM_IV_SIZE>;

constexpr std::size_t kMostNumberBytes = 4;  // of a packet number
constexpr std::size_t kTag = GCM_DIGEST_SIZE;

struct VersionWords {
  std::array<std::uint8_t, 20> salt;
  std::string_view key, iv, header;
};

constexpr VersionWords kVersionOne = {{0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17,
                                       0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a},
                                      "quic key",
                                      "quic iv",
                                      "quic hp"};
constexpr VersionWords kVersionTwo = {{0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93,
                                       0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb, 0xf9, 0xbd, 0x2e, 0xd9},
                                      "quicv2 key",
                                      "quicv2 iv",
                                      "quicv2 hp"};

// HKDF-Extract of RFC 5869 is this; HKDF-Expand as well, up to 32 bytes, of a text that ends with 1.
Secret hmac(Bytes key, Bytes text) {
  hmac_sha256_ctx state;
  hmac_sha256_set_key(&state, key.size(), key.data());
  hmac_sha256_update(&state, text.size(), text.data());
  Secret digest;
  hmac_sha256_digest(&state, digest.size(), digest.data());
  return digest;
}

// HKDF-Expand-Label of RFC 8446, section 7.1, with an empty context; the first `size` bytes are it.
Secret expanded(const Secret& secret, std::string_view label, std::size_t size) {
  constexpr std::string_view kPrefix = "tls13 ";
  std::vector<std::uint8_t> text = {0, static_cast<std::uint8_t>(size),
                                    static_cast<std::uint8_t>(kPrefix.size() + label.size())};
  text.insert(text.end(), kPrefix.begin(), kPrefix.end());
  text.insert(text.end(), label.begin(), label.end());
  text.insert(text.end(), {0, 1});
  return hmac(secret, text);
}

}  // namespace

struct QuicKeys::Ciphers {
  gcm_aes128_ctx packet;
  aes128_ctx header;
  Nonce iv;
};

QuicKeys::QuicKeys(QuicVersion version, Bytes destination_id) : ciphers_(std::make_unique<Ciphers>()) {
  const VersionWords& words = version == QuicVersion::one ? kVersionOne : kVersionTwo;
  const Secret client = expanded(hmac(words.salt, destination_id), "client in", SHA256_DIGEST_SIZE);
  gcm_aes128_set_key(&ciphers_->packet, expanded(client, words.key, AES128_KEY_SIZE).data());
  aes128_set_encrypt_key(&ciphers_->header, expanded(client, words.header, AES128_KEY_SIZE).data());
  std::ranges::copy_n(expanded(client, words.iv, GCM_IV_SIZE).begin(), GCM_IV_SIZE, ciphers_->iv.begin());
}

std::optional<std::vector<std::uint8_t>> QuicKeys::open(Bytes packet, std::size_t header) {
  if (packet.size() < header + kMostNumberBytes + AES_BLOCK_SIZE) return std::nullopt;
  std::array<std::uint8_t, AES_BLOCK_SIZE> mask;
  aes128_encrypt(&ciphers_->header, mask.size(), mask.data(), packet.data() + header + kMostNumberBytes);

  std::vector<std::uint8_t> clear(packet.begin(), packet.begin() + header + kMostNumberBytes);  // the header
  clear[0] ^= static_cast<std::uint8_t>(mask[0] & 0x0f);
  const std::size_t number_bytes = (clear[0] & 3u) + 1;
  clear.resize(header + number_bytes);
  Nonce nonce = ciphers_->iv;
  for (std::size_t i = 0; i < number_bytes; ++i) {
    clear[header + i] ^= mask[1 + i];
    nonce[nonce.size() - number_bytes + i] ^= clear[header + i];
  }

  const Bytes sealed = packet.subspan(clear.size());
  if (sealed.size() < kTag) return std::nullopt;
  std::vector<std::uint8_t> frames(sealed.size() - kTag);
  std::array<std::uint8_t, kTag> tag;
  gcm_aes128_set_iv(&ciphers_->packet, nonce.size(), nonce.data());
  gcm_aes128_update(&ciphers_->packet, clear.size(), clear.data());
  gcm_aes128_decrypt(&ciphers_->packet, frames.size(), frames.data(), sealed.data());
  gcm_aes128_digest(&ciphers_->packet, tag.size(), tag.data());
  if (!std::ranges::equal(tag, sealed.last(kTag))) return std::nullopt;
  return frames;
}
#else
struct QuicKeys::Ciphers {};

QuicKeys::QuicKeys(QuicVersion, std::span<const std::uint8_t>) {}

std::optional<std::vector<std::uint8_t>> QuicKeys::open(std::span<const std::uint8_t>, std::size_t) {
  return std::nullopt;
}
#endif

QuicKeys::~QuicKeys() = default;

}  // namespace warpmeter::inline policy
