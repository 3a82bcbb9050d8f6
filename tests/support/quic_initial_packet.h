// Initial packets of QUIC clients, protected as RFC 9001, section 5, and RFC 9369 say. Needs libnettle.
#pragma once

#include <nettle/aes.h>
#include <nettle/gcm.h>
#include <nettle/hkdf.h>
#include <nettle/hmac.h>

#include <algorithm>
#include <string>

#include "support/byte_writer.h"

namespace warpmeter::test {

struct QuicInitial {
  unsigned version = 1;
  Bytes destination_id = {0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08};
  Bytes source_id = {};
  Bytes token = {};
  Bytes frames = {};
  unsigned number = 0;  // of the packet, in 4 bytes
};

inline Bytes hkdf_label(const Bytes& secret, const std::string& label, std::size_t size) {
  const std::string name = "tls13 " + label;
  Bytes info = {0, static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(name.size())};
  info.insert(info.end(), name.begin(), name.end());
  info.push_back(0);
  hmac_sha256_ctx state;
  hmac_sha256_set_key(&state, secret.size(), secret.data());
  Bytes out(size);
  hkdf_expand(&state, reinterpret_cast<nettle_hash_update_func*>(hmac_sha256_update),
              reinterpret_cast<nettle_hash_digest_func*>(hmac_sha256_digest), SHA256_DIGEST_SIZE, info.size(),
              info.data(), out.size(), out.data());
  return out;
}

// A number of QUIC in 4 bytes.
inline Bytes quic_number(std::size_t number) { return ByteWriter().u32(number | 0x80000000).data(); }

inline Bytes crypto_frame(std::size_t offset, const Bytes& data) {
  ByteWriter frame;
  frame.u8(6).bytes(quic_number(offset)).bytes(quic_number(data.size())).bytes(data);
  return frame.data();
}

// Its frames are padded to 4 bytes at least, so that there is something to sample.
inline Bytes protect(QuicInitial packet) {
  const Bytes salt = packet.version == 1 ? Bytes{0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17,
                                                 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a}
                                         : Bytes{0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93,
                                                 0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb, 0xf9, 0xbd, 0x2e, 0xd9};
  Bytes initial(SHA256_DIGEST_SIZE);
  hmac_sha256_ctx state;
  hmac_sha256_set_key(&state, salt.size(), salt.data());
  hkdf_extract(&state, reinterpret_cast<nettle_hash_update_func*>(hmac_sha256_update),
               reinterpret_cast<nettle_hash_digest_func*>(hmac_sha256_digest), initial.size(),
               packet.destination_id.size(), packet.destination_id.data(), initial.data());
  const Bytes client = hkdf_label(initial, "client in", SHA256_DIGEST_SIZE);
  const std::string prefix = packet.version == 1 ? "quic " : "quicv2 ";

  packet.frames.resize(std::max<std::size_t>(packet.frames.size(), 4));
  ByteWriter header;
  header.u8(packet.version == 1 ? 0xc3 : 0xd3).u32(packet.version == 1 ? 1 : 0x6b3343cf);
  header.u8(packet.destination_id.size()).bytes(packet.destination_id);
  header.u8(packet.source_id.size()).bytes(packet.source_id);
  header.bytes(quic_number(packet.token.size())).bytes(packet.token);
  header.bytes(quic_number(4 + packet.frames.size() + GCM_DIGEST_SIZE)).u32(packet.number);
  Bytes out = header.data();
  const std::size_t frames_at = out.size();

  Bytes nonce = hkdf_label(client, prefix + "iv", GCM_IV_SIZE);
  for (std::size_t i = 0; i < 4; ++i) nonce[nonce.size() - 4 + i] ^= out[frames_at - 4 + i];
  gcm_aes128_ctx cipher;
  gcm_aes128_set_key(&cipher, hkdf_label(client, prefix + "key", AES128_KEY_SIZE).data());
  gcm_aes128_set_iv(&cipher, nonce.size(), nonce.data());
  gcm_aes128_update(&cipher, out.size(), out.data());
  out.resize(frames_at + packet.frames.size() + GCM_DIGEST_SIZE);
  gcm_aes128_encrypt(&cipher, packet.frames.size(), out.data() + frames_at, packet.frames.data());
  gcm_aes128_digest(&cipher, GCM_DIGEST_SIZE, out.data() + frames_at + packet.frames.size());

  aes128_ctx mask_cipher;
  Bytes mask(AES_BLOCK_SIZE);
  aes128_set_encrypt_key(&mask_cipher, hkdf_label(client, prefix + "hp", AES128_KEY_SIZE).data());
  aes128_encrypt(&mask_cipher, mask.size(), mask.data(), out.data() + frames_at);
  out[0] ^= static_cast<std::uint8_t>(mask[0] & 0x0f);
  for (std::size_t i = 0; i < 4; ++i) out[frames_at - 4 + i] ^= mask[1 + i];
  return out;
}

}  // namespace warpmeter::test
