// The column `community_id`: Community ID, version 1, the published hash of a flow's five-tuple, the same for both
// directions, by which the logs of Zeek, Suricata and others are joined with Flow Records. "1:" and the SHA-1, in
// base64, of
//
//   seed (2 bytes), address, other address, protocol, 0, port, other port
//
// in network byte order, the smaller (address, port) first. ICMP has its type as port and, as other port, the type that
// answers it; where none does, its code, and the source stays first. Protocols without ports here end with the 0.
//
// SHA-1 is written out: what is hashed has at most 40 bytes, always one block, and is no secret.
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

#include "record/columns/column_option.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kCommunityIdText = 30;  // characters, always

constexpr int kDigest = 20;

// Of one block, padding included.
void sha1_of_block(const std::uint8_t (&block)[64], std::uint8_t (&digest)[kDigest]) {
  std::uint32_t words[80];
  for (int i = 0; i < 16; ++i) {
    words[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
               std::uint32_t{block[4 * i + 2]} << 8 | block[4 * i + 3];
  }
  for (int i = 16; i < 80; ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  constexpr std::uint32_t kStart[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  std::uint32_t a = kStart[0], b = kStart[1], c = kStart[2], d = kStart[3], e = kStart[4];
  for (int i = 0; i < 80; ++i) {
    std::uint32_t mixed = 0, constant = 0;
    switch (i / 20) {
      case 0: mixed = (b & c) | (~b & d), constant = 0x5a827999; break;
      case 1: mixed = b ^ c ^ d, constant = 0x6ed9eba1; break;
      case 2: mixed = (b & c) | (b & d) | (c & d), constant = 0x8f1bbcdc; break;
      default: mixed = b ^ c ^ d, constant = 0xca62c1d6; break;
    }
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + constant + words[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  const std::uint32_t sums[5] = {kStart[0] + a, kStart[1] + b, kStart[2] + c, kStart[3] + d, kStart[4] + e};
  for (int i = 0; i < kDigest; ++i) digest[i] = static_cast<std::uint8_t>(sums[i / 4] >> (24 - 8 * (i % 4)));
}

// The type of the message that answers this one, or that this one answers; negative: there is none.
constexpr int answering_type(std::uint8_t protocol, int type) {
  constexpr std::uint8_t kIcmpPairs[][2] = {{8, 0}, {10, 9}, {13, 14}, {15, 16}, {17, 18}};
  constexpr std::uint8_t kIcmpV6Pairs[][2] = {{128, 129}, {130, 131}, {133, 134}, {135, 136}, {139, 140}, {144, 145}};
  const auto other = [type](const auto& pairs) {
    for (const auto& pair : pairs) {
      if (pair[0] == type) return int{pair[1]};
      if (pair[1] == type) return int{pair[0]};
    }
    return -1;
  };
  return protocol == kProtocolIcmp ? other(kIcmpPairs) : other(kIcmpV6Pairs);
}

// Ports as the hash knows them.
struct Ports {
  std::uint16_t source = 0, destination = 0;
  bool any = false;
  bool one_way = false;  // the source comes first, whatever the addresses
};

Ports ports_of(const FlowKey& key) {
  switch (key.protocol) {
    case kProtocolTcp:
    case kProtocolUdp:
    case kProtocolSctp: return {port_number(key.source_port), port_number(key.destination_port), true, false};
    case kProtocolIcmp:
    case kProtocolIcmpV6: break;
    default: return {};
  }
  const std::uint8_t type = key.destination_port[0], code = key.destination_port[1];
  const int answer = answering_type(key.protocol, type);
  return {type, answer < 0 ? std::uint16_t{code} : static_cast<std::uint16_t>(answer), true, answer < 0};
}

// Of 20 bytes: six groups of three, then two and a sign that there is no third.
char* write_base64(char* to, const std::uint8_t (&bytes)[kDigest]) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < kDigest; i += 3) {
    const bool whole = i + 2 < kDigest;
    const std::uint32_t group =
        std::uint32_t{bytes[i]} << 16 | std::uint32_t{bytes[i + 1]} << 8 | (whole ? std::uint32_t{bytes[i + 2]} : 0u);
    *to++ = kDigits[group >> 18];
    *to++ = kDigits[group >> 12 & 63];
    *to++ = kDigits[group >> 6 & 63];
    *to++ = whole ? kDigits[group & 63] : '=';
  }
  return to;
}

// Writes kCommunityIdText characters; returns their end.
char* write_community_id(char* to, const FlowKey& key, std::uint16_t seed) {
  const std::size_t size = key.version == 6 ? 16 : 4;
  const Ports ports = ports_of(key);
  const int order = std::memcmp(key.source, key.destination, size);
  const bool source_first = ports.one_way || order < 0 || (order == 0 && ports.source < ports.destination);
  std::uint8_t block[64] = {};
  std::size_t at = 0;
  const auto put = [&](std::uint16_t value) {
    block[at++] = static_cast<std::uint8_t>(value >> 8);
    block[at++] = static_cast<std::uint8_t>(value);
  };
  const auto put_address = [&](const std::uint8_t(&address)[16]) {
    std::memcpy(block + at, address, size);
    at += size;
  };
  put(seed);
  put_address(source_first ? key.source : key.destination);
  put_address(source_first ? key.destination : key.source);
  put(static_cast<std::uint16_t>(key.protocol << 8));
  if (ports.any) {
    put(source_first ? ports.source : ports.destination);
    put(source_first ? ports.destination : ports.source);
  }
  // SHA-1's padding: a bit, zeros, and the number of bits before it.
  const auto bits = static_cast<std::uint16_t>(8 * at);
  block[at] = 0x80;
  at = sizeof block - sizeof bits;
  put(bits);
  std::uint8_t digest[kDigest];
  sha1_of_block(block, digest);
  *to++ = '1';
  *to++ = ':';
  return write_base64(to, digest);
}

class CommunityId : public ExtraColumn {
 public:
  explicit CommunityId(std::uint16_t seed)
      : ExtraColumn({.name = "community_id", .most = kCommunityIdText, .repeats = false}), seed_(seed) {}
  char* write(char* to, const FlowRecord& record) const override { return write_community_id(to, record.key, seed_); }

 private:
  const std::uint16_t seed_;
};

}  // namespace

std::string community_id_of(const FlowKey& key) {
  char text[kCommunityIdText];
  return {text, write_community_id(text, key, 0)};
}

ColumnOption community_id_option() {
  return {.column = "community_id",
          .meaning = "hash of the Flow Key that other programs log, with --community-id",
          .help =
              "add a column community_id, the hash that Zeek and Suricata log (CSV, JSON, Parquet; IPFIX has no "
              "element for it)",
          .number = {"seed", UINT16_MAX, "its seed (default 0)"},
          .make = [](std::uint64_t seed) -> std::shared_ptr<const ExtraColumn> {
            return std::make_shared<CommunityId>(static_cast<std::uint16_t>(seed));
          }};
}

}  // namespace warpmeter::inline record
