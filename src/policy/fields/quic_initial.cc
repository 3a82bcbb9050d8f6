#include "policy/fields/quic_initial.h"

#if WARPMETER_HAVE_NETTLE
#include <nettle/aes.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#endif

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace warpmeter::inline policy {
namespace {

using Bytes = std::span<const std::uint8_t>;

enum class QuicVersion : std::uint8_t { one, two };

#if WARPMETER_HAVE_NETTLE
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

// Keys of the Initial packets of a QUIC client, which follow from the connection id that it chose for the server: they
// keep off what garbles packets, and hide nothing.
class QuicKeys {
 public:
  QuicKeys(QuicVersion version, Bytes destination_id);

  // The frames of the packet; nullopt: it was not protected by these keys, or has changed. `header`: bytes before its
  // packet number. REQUIRES: the packet has as many.
  std::optional<std::vector<std::uint8_t>> open(Bytes packet, std::size_t header);

 private:
  gcm_aes128_ctx packet_;
  aes128_ctx header_;
  Nonce iv_;
};

QuicKeys::QuicKeys(QuicVersion version, Bytes destination_id) {
  const VersionWords& words = version == QuicVersion::one ? kVersionOne : kVersionTwo;
  const Secret client = expanded(hmac(words.salt, destination_id), "client in", SHA256_DIGEST_SIZE);
  gcm_aes128_set_key(&packet_, expanded(client, words.key, AES128_KEY_SIZE).data());
  aes128_set_encrypt_key(&header_, expanded(client, words.header, AES128_KEY_SIZE).data());
  std::ranges::copy_n(expanded(client, words.iv, GCM_IV_SIZE).begin(), GCM_IV_SIZE, iv_.begin());
}

std::optional<std::vector<std::uint8_t>> QuicKeys::open(Bytes packet, std::size_t header) {
  if (packet.size() < header + kMostNumberBytes + AES_BLOCK_SIZE) return std::nullopt;
  std::array<std::uint8_t, AES_BLOCK_SIZE> mask;
  aes128_encrypt(&header_, mask.size(), mask.data(), packet.data() + header + kMostNumberBytes);

  std::vector<std::uint8_t> clear(packet.begin(), packet.begin() + header + kMostNumberBytes);  // the header
  clear[0] ^= static_cast<std::uint8_t>(mask[0] & 0x0f);
  const std::size_t number_bytes = (clear[0] & 3u) + 1;
  clear.resize(header + number_bytes);
  Nonce nonce = iv_;
  for (std::size_t i = 0; i < number_bytes; ++i) {
    clear[header + i] ^= mask[1 + i];
    nonce[nonce.size() - number_bytes + i] ^= clear[header + i];
  }

  const Bytes sealed = packet.subspan(clear.size());
  if (sealed.size() < kTag) return std::nullopt;
  std::vector<std::uint8_t> frames(sealed.size() - kTag);
  std::array<std::uint8_t, kTag> tag;
  gcm_aes128_set_iv(&packet_, nonce.size(), nonce.data());
  gcm_aes128_update(&packet_, clear.size(), clear.data());
  gcm_aes128_decrypt(&packet_, frames.size(), frames.data(), sealed.data());
  gcm_aes128_digest(&packet_, tag.size(), tag.data());
  if (!std::ranges::equal(tag, sealed.last(kTag))) return std::nullopt;
  return frames;
}
#else
// None can be made.
class QuicKeys {
 public:
  QuicKeys(QuicVersion, Bytes) {}
  std::optional<std::vector<std::uint8_t>> open(Bytes, std::size_t) { return std::nullopt; }
};
#endif

constexpr std::size_t kLongestId = 20;  // bytes of a connection id

// Takes numbers and bytes one after the other; behind the end everything is 0 or empty, and has failed.
class PacketReader {
 public:
  explicit PacketReader(Bytes bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  bool is_at_end() const { return at_ == bytes_.size(); }
  std::size_t at() const { return at_; }

  Bytes take(std::uint64_t size) {
    failed_ = failed_ || size > bytes_.size() - at_;
    if (failed_) return {};
    at_ += size;
    return bytes_.subspan(at_ - size, size);
  }
  std::uint8_t take_byte() {
    const Bytes taken = take(1);
    return taken.empty() ? 0 : taken[0];
  }
  // A number of 1, 2, 4 or 8 bytes, which its first two bits tell.
  std::uint64_t take_number() {
    const std::uint8_t first = take_byte();
    std::uint64_t number = first & 0x3f;
    for (const std::uint8_t byte : take((1u << (first >> 6)) - 1)) number = number << 8 | byte;
    return number;
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

// A packet with a long header; of other packets than Initial ones only where it ends.
struct LongPacket {
  bool is_initial = false;
  QuicVersion version = QuicVersion::one;
  Bytes destination_id;
  std::size_t header = 0;  // bytes before the packet number
  Bytes bytes;             // from its first to its last
};

std::optional<QuicVersion> version_of(Bytes number) {
  constexpr std::uint8_t kOne[] = {0, 0, 0, 1}, kTwo[] = {0x6b, 0x33, 0x43, 0xcf};
  if (std::ranges::equal(number, kOne)) return QuicVersion::one;
  if (std::ranges::equal(number, kTwo)) return QuicVersion::two;
  return std::nullopt;
}

// The packet at the beginning of `bytes`; nullopt: it is none of those, or not all there.
std::optional<LongPacket> first_packet(Bytes bytes) {
  enum Kind : unsigned { initial, zero_rtt, handshake, retry };
  PacketReader reader(bytes);
  const std::uint8_t first = reader.take_byte();
  const auto version = version_of(reader.take(4));
  if ((first & 0xc0) != 0xc0 || !version) return std::nullopt;
  // Version 2 has the kinds in another order.
  const unsigned kind = ((first >> 4 & 3) + (*version == QuicVersion::two ? 3u : 0u)) % 4;
  LongPacket packet;
  packet.is_initial = kind == initial;
  packet.version = *version;
  packet.destination_id = reader.take(reader.take_byte());
  const Bytes source_id = reader.take(reader.take_byte());
  if (kind == retry || std::max(packet.destination_id.size(), source_id.size()) > kLongestId) return std::nullopt;
  if (packet.is_initial) reader.take(reader.take_number());  // a token
  const std::uint64_t length = reader.take_number();
  packet.header = reader.at();
  reader.take(length);
  if (reader.failed()) return std::nullopt;
  packet.bytes = bytes.first(reader.at());
  return packet;
}

// What CRYPTO frames carry, put together. Of bytes that come twice, those that came first stay.
class CryptoStream {
 public:
  // No more than `most` bytes in all can come.
  explicit CryptoStream(std::size_t most) : bytes_(most), is_there_(most) {}

  void add(std::uint64_t offset, Bytes data) {
    for (const std::uint8_t byte : data) {
      if (offset >= bytes_.size()) return;  // with so many bytes before it, there is a gap
      if (!is_there_[offset]) bytes_[offset] = byte;
      is_there_[offset++] = true;
    }
  }

  std::vector<std::uint8_t> take_to_first_gap() {
    bytes_.resize(static_cast<std::size_t>(std::ranges::find(is_there_, false) - is_there_.begin()));
    return std::move(bytes_);
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<bool> is_there_;
};

// Of the frames of an Initial packet those of the handshake. A frame that such a packet may not have ends it.
void add_frames(Bytes frames, CryptoStream& stream) {
  enum Frame : std::uint64_t { padding = 0, ping = 1, ack = 2, ack_ecn = 3, crypto = 6, connection_close = 0x1c };
  PacketReader reader(frames);
  while (!reader.is_at_end() && !reader.failed()) {
    const std::uint64_t kind = reader.take_number();
    if (kind == padding || kind == ping) continue;
    if (kind == crypto) {
      const std::uint64_t offset = reader.take_number();
      stream.add(offset, reader.take(reader.take_number()));
    } else if (kind == ack || kind == ack_ecn) {
      reader.take_number(), reader.take_number();  // the largest, and how long it waited
      const std::uint64_t ranges = reader.take_number();
      for (std::uint64_t i = 0; i < 2 * ranges + 1 && !reader.failed(); ++i) reader.take_number();
      for (int i = 0; kind == ack_ecn && i < 3; ++i) reader.take_number();
    } else if (kind == connection_close) {
      reader.take_number(), reader.take_number();  // why, and for which frame
      reader.take(reader.take_number());
    } else {
      return;
    }
  }
}

}  // namespace

std::vector<std::uint8_t> quic_handshake_bytes(Bytes datagram) {
  auto packet = first_packet(datagram);
  if (!packet) return {};
  CryptoStream stream(datagram.size());
  std::optional<QuicKeys> keys;
  Bytes id;
  for (; packet; packet = first_packet(datagram)) {
    datagram = datagram.subspan(packet->bytes.size());
    while (!datagram.empty() && datagram.front() == 0)
      datagram = datagram.subspan(1);  // what a datagram is filled with
    if (!packet->is_initial) continue;
    if (!keys) {
      id = packet->destination_id;
      keys.emplace(packet->version, id);
    }
    if (!std::ranges::equal(id, packet->destination_id)) continue;  // of another connection, which may not be here
    if (const auto frames = keys->open(packet->bytes, packet->header)) add_frames(*frames, stream);
  }
  return stream.take_to_first_gap();
}

}  // namespace warpmeter::inline policy
