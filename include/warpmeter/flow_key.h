// The Flow Key (RFC 7011: "Flow Key"): what makes packets belong to one flow.
//
// A FlowKey is 40 bytes in network byte order, laid out so that comparing the bytes compares the keys in output order:
// IPv4 before IPv6, then source address, destination address, source port, destination port, protocol, VLAN id. IPv4
// addresses stand in the first 4 of the 16 bytes, the rest is zero. VLAN id is 0 unless --key-vlan asked for it.
// Trivially copyable; shared by CPU, GPU and run files.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpmeter/hd.h"

namespace warpmeter {

inline constexpr std::uint8_t kProtocolIcmp = 1;
inline constexpr std::uint8_t kProtocolTcp = 6;
inline constexpr std::uint8_t kProtocolUdp = 17;
inline constexpr std::uint8_t kProtocolDccp = 33;
inline constexpr std::uint8_t kProtocolIcmpV6 = 58;
inline constexpr std::uint8_t kProtocolSctp = 132;
inline constexpr std::uint8_t kProtocolUdpLite = 136;

struct alignas(8) FlowKey {
  std::uint8_t version = 0;  // 4 or 6
  std::uint8_t source[16] = {};
  std::uint8_t destination[16] = {};
  std::uint8_t source_port[2] = {};
  std::uint8_t destination_port[2] = {};
  std::uint8_t protocol = 0;
  std::uint8_t vlan[2] = {};
};

inline constexpr int kFlowKeyWords = 5;
static_assert(sizeof(FlowKey) == kFlowKeyWords * sizeof(std::uint64_t));
static_assert(std::is_trivially_copyable_v<FlowKey>);

WARPMETER_HD inline std::uint64_t key_word(const FlowKey& key, int i) {
  std::uint64_t word;
  // Said to be aligned, or nvcc loads byte by byte.
  memcpy(&word, static_cast<const unsigned char*>(__builtin_assume_aligned(&key, alignof(FlowKey))) + i * sizeof word,
         sizeof word);
  return word;
}

WARPMETER_HD inline void set_key_word(FlowKey& key, int i, std::uint64_t word) {
  memcpy(static_cast<unsigned char*>(__builtin_assume_aligned(&key, alignof(FlowKey))) + i * sizeof word, &word,
         sizeof word);
}

WARPMETER_HD inline bool operator==(const FlowKey& a, const FlowKey& b) {
  std::uint64_t difference = 0;
  for (int i = 0; i < kFlowKeyWords; ++i) difference |= key_word(a, i) ^ key_word(b, i);
  return difference == 0;
}

// Negative, zero or positive: the order in which Flow Records are written.
inline int compare(const FlowKey& a, const FlowKey& b) { return memcmp(&a, &b, sizeof a); }

WARPMETER_HD inline std::uint16_t port_number(const std::uint8_t (&port)[2]) {
  return static_cast<std::uint16_t>(port[0] << 8 | port[1]);
}
inline void set_port_number(std::uint8_t (&port)[2], std::int64_t number) {
  port[0] = static_cast<std::uint8_t>(number >> 8);
  port[1] = static_cast<std::uint8_t>(number);
}

// Source and destination exchanged, and nothing else.
inline FlowKey swapped(const FlowKey& key) {
  FlowKey other = key;
  std::memcpy(other.source, key.destination, sizeof key.source);
  std::memcpy(other.destination, key.source, sizeof key.source);
  std::memcpy(other.source_port, key.destination_port, sizeof key.source_port);
  std::memcpy(other.destination_port, key.source_port, sizeof key.source_port);
  return other;
}

}  // namespace warpmeter
