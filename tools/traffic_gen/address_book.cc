#include "address_book.h"

#include <cstring>

namespace traffic_gen {
namespace {

// Services whose payload analyzers leave alone, and none of a tunnel.
constexpr uint16_t kTcpPorts[] = {443, 443, 443, 80, 80, 8080, 5201, 9000};
constexpr uint16_t kUdpPorts[] = {443, 443, 5201, 9000};
constexpr uint16_t kFirstClientPort = 32768, kClientPorts = 28232;  // as Linux gives them

// 10.0.0.0/8 for clients, 172.16.0.0/12 for pingers, 192.168.0.0/16 for servers; 2001:db8::/32 likewise.
void write_address(uint8_t* out, uint8_t version, uint32_t ipv4) {
  const uint8_t bytes[4] = {static_cast<uint8_t>(ipv4 >> 24), static_cast<uint8_t>(ipv4 >> 16),
                            static_cast<uint8_t>(ipv4 >> 8), static_cast<uint8_t>(ipv4)};
  if (version == 4) {
    std::memcpy(out, bytes, 4);
    return;
  }
  const uint8_t prefix[4] = {0x20, 0x01, 0x0d, 0xb8};
  std::memcpy(out, prefix, 4);
  std::memcpy(out + 6, bytes, 2);
  std::memcpy(out + 14, bytes + 2, 2);
}

uint32_t sum_of(const Tuple& t) {
  uint32_t sum = 0;
  const int length = t.version == 4 ? 4 : 16;
  for (const auto& address : t.address)
    for (int i = 0; i < length; i += 2) sum += static_cast<uint32_t>(address[i] << 8 | address[i + 1]);
  return sum;
}

}  // namespace

Tuple AddressBook::assign(uint64_t number, Random& random) {
  Tuple tuple;
  tuple.version = random.chance(options_.ipv6) ? 6 : 4;
  tuple.tagged = random.chance(options_.vlan);
  tuple.vlan = tuple.tagged ? static_cast<uint16_t>(random.between(1, 4094)) : 0;
  const double protocol = random.real();
  if (protocol < options_.icmp) {
    tuple.protocol = tuple.version == 4 ? kIcmp : kIcmpV6;
    name_pingers(tuple);
  } else {
    tuple.protocol = protocol < options_.icmp + options_.udp ? kUdp : kTcp;
    name_hosts(tuple, number, random);
  }
  tuple.address_sum = sum_of(tuple);
  return tuple;
}

void AddressBook::name_hosts(Tuple& tuple, uint64_t number, Random& random) {
  // Four consecutive numbers share a client; its 24-bit number is shuffled by an odd factor, which loses none.
  const auto host = static_cast<uint32_t>(((number >> 2) + 1) * 0x9e3779b1 & 0xffffff);
  const uint64_t turn = (number & 3) | (number >> 26) << 2;
  // 40507 and kClientPorts have no common factor, so the ports of one client differ.
  tuple.ports[kClient] = static_cast<uint16_t>(kFirstClientPort + (turn * 40507 + host) % kClientPorts);
  write_address(tuple.address[kClient], tuple.version, 10u << 24 | host);
  const auto server = static_cast<uint32_t>(random.between(1, random.between(1, 4096)));  // low numbers are popular
  write_address(tuple.address[kServer], tuple.version, 192u << 24 | 168u << 16 | server);
  tuple.ports[kServer] = tuple.protocol == kTcp ? kTcpPorts[random.below(std::size(kTcpPorts))]
                                                : kUdpPorts[random.below(std::size(kUdpPorts))];
}

void AddressBook::name_pingers(Tuple& tuple) {
  const uint64_t ping = pings_++;
  write_address(tuple.address[kClient], tuple.version,
                172u << 24 | 16u << 16 | static_cast<uint32_t>((ping + 1) * 0x9e3779b1 & 0xfffff));
  write_address(tuple.address[kServer], tuple.version,
                192u << 24 | 168u << 16 | static_cast<uint32_t>(((ping >> 20) + 1) & 0xffff));
  // Only to tell echo identifiers apart.
  tuple.ports[kClient] = static_cast<uint16_t>(ping * 7919 + 1);
}

}  // namespace traffic_gen
