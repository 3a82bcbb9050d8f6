// Capture filters of all kinds, frames that they ask about, and filters step by step.
#pragma once

#include <linux/filter.h>

#include <random>
#include <string>
#include <vector>

#include "core/filter_program.h"
#include "support/packets.h"

// libpcap's machine; its header does not go with the kernel's.
extern "C" __attribute__((weak)) unsigned bpf_filter(const void* steps, const unsigned char* frame, unsigned original,
                                                     unsigned captured);

namespace warpmeter::test {

inline const std::vector<std::string> kFilterCases = {"ip",
                                                      "ip6",
                                                      "arp",
                                                      "tcp",
                                                      "udp",
                                                      "icmp or icmp6",
                                                      "not tcp",
                                                      "ip or ip6",
                                                      "tcp port 443",
                                                      "udp port 53",
                                                      "src port 443",
                                                      "dst port 53 or dst port 443",
                                                      "portrange 50-60",
                                                      "tcp and not port 443",
                                                      "host 10.0.0.1",
                                                      "src host 10.0.0.2",
                                                      "dst host 10.0.0.2 and udp",
                                                      "net 10.0.0.0/8",
                                                      "not net 10.0.0.0/31",
                                                      "ip6 host 2001:db8::1",
                                                      "ip6 and tcp port 443",
                                                      "ip proto 6",
                                                      "tcp[tcpflags] & tcp-syn != 0",
                                                      "tcp[13] = 0x10",
                                                      "ip[6:2] & 0x1fff = 0",
                                                      "ip[0] & 0xf > 5",
                                                      "tcp[((tcp[12] & 0xf0) >> 2):4] != 0",
                                                      "less 60",
                                                      "greater 61",
                                                      "len > 64 and tcp",
                                                      "ether[12:2] = 0x0800",
                                                      "ether[12:2] > 1500",
                                                      "ether[12:4] = 0x81000005",
                                                      "ether[13:2] = 5",
                                                      "ether[11:4] != 0",
                                                      "ether[14:2] & 0xfff = 5",
                                                      "ether[ether[0]:2] != 0",
                                                      "ether[ether[0]:4] & 0x80 = 0",
                                                      "ether[ether[0]] & 1 = 1",
                                                      "ether[ether[0] + 4:2] & 3 != 0",
                                                      "ether proto 0x88a8",
                                                      "ether host 02:00:00:00:00:01",
                                                      "ether src 02:00:00:00:00:01",
                                                      "ether broadcast",
                                                      "ether multicast",
                                                      "vlan",
                                                      "vlan 5",
                                                      "vlan and tcp",
                                                      "not vlan",
                                                      "vlan 5 and udp port 53",
                                                      "vlan and vlan",
                                                      "vlan and vlan 4095",
                                                      "tcp or (vlan and tcp)",
                                                      "tcp or (vlan and tcp) or (vlan and vlan and tcp)",
                                                      "mpls",
                                                      "mpls and ip",
                                                      "pppoes",
                                                      "pppoes and tcp",
                                                      "ip and ip[8] * 3 > 100",
                                                      "ip[2:2] % 7 = 3",
                                                      "ip[2:2] / 3 = 20",
                                                      "udp[4:2] - 8 < 4",
                                                      "ether[0] << 3 = 16",
                                                      "1 = 1",
                                                      "link[0] = 2",
                                                      "udp and (udp[8:4] = 0 or udp[8:2] != 0)",
                                                      "wlan host 02:00:00:00:00:01 or udp"};
inline const std::vector<std::string>& filter_cases() { return kFilterCases; }

// An Ethernet frame: tags, MPLS, PPPoE or none of these, then a packet of some kind; now and then it ends too early.
inline Bytes random_frame(std::mt19937& random) {
  const auto one_of = [&random](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  static constexpr std::uint16_t kPorts[] = {53, 443, 55, 40000};
  const std::uint16_t source = kPorts[one_of(4)], destination = kPorts[one_of(4)];
  Bytes payload(one_of(40));
  for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(one_of(3));
  const Bytes transport[] = {
      tcp({.source_port = source, .destination_port = destination, .flags = static_cast<std::uint8_t>(random())},
          payload),
      udp(source, destination, payload), Bytes{8, 0, 0, 0} + payload};
  static constexpr std::uint8_t kProtocols[] = {6, 17, 1};
  const std::uint32_t kind = one_of(3);
  const bool is_ip6 = one_of(3) == 0;
  const Bytes options = one_of(4) ? Bytes{} : Bytes{1, 1, 1, 0};
  const std::uint16_t fragment = one_of(6) ? 0 : 0x2010;
  const Bytes packet =
      is_ip6 ? ip6({kProtocols[kind]}, transport[kind])
             : ip4({.protocol = kProtocols[kind], .fragment = fragment, .options = options}, transport[kind]);
  const std::uint16_t type = is_ip6 ? 0x86dd : 0x0800;
  ByteWriter w;
  w.u8(2 * one_of(12)).zeros(4).u8(1 + one_of(2)).u8(2).zeros(4).u8(1 + one_of(2));
  for (std::uint32_t tags = one_of(2) * one_of(4); tags > 0; --tags) {
    w.u16(one_of(3) ? 0x8100 : 0x88a8).u16(one_of(2) ? 5 : 4095 | one_of(8) << 13);
  }
  switch (one_of(8)) {
    case 0: w.u16(0x8847).u32(0x00010100 | one_of(2) << 20 | 0x40); break;
    case 1: w.u16(0x8864).u8(0x11).u8(0).u16(1).u16(packet.size() + 2).u16(is_ip6 ? 0x0057 : 0x0021); break;
    case 2: w.u16(0x0806); break;
    default: w.u16(type);
  }
  Bytes frame = w.bytes(packet).data();
  if (one_of(5) == 0) frame.resize(14 + one_of(static_cast<std::uint32_t>(frame.size()) - 13));
  return frame;
}

namespace of_filter_cases {

inline FilterStep random_step(std::mt19937& random, std::uint32_t steps_left) {
  const auto one_of = [&random](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  static constexpr std::uint16_t kSizes[] = {BPF_W, BPF_H, BPF_B};
  static constexpr std::uint16_t kOperations[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV,
                                                  BPF_AND, BPF_OR,  BPF_XOR, BPF_MOD};
  static constexpr std::uint16_t kJumps[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
  const std::uint16_t by_x = one_of(2) ? BPF_X : BPF_K;
  const std::uint32_t word = one_of(3), number = one_of(3) ? 1 + one_of(200) : 1 | static_cast<std::uint32_t>(random());
  switch (one_of(14)) {
    case 0:
    case 1:
    case 2:
      return {static_cast<std::uint16_t>(BPF_LD | BPF_ABS | kSizes[one_of(3)]), 0, 0, one_of(one_of(4) ? 24 : 70)};
    case 3:
    case 4: return {static_cast<std::uint16_t>(BPF_LD | BPF_IND | kSizes[one_of(3)]), 0, 0, one_of(16)};
    case 5: return {BPF_LDX | BPF_MSH | BPF_B, 0, 0, one_of(30)};
    case 6: return {static_cast<std::uint16_t>(one_of(2) ? BPF_LD | BPF_LEN : BPF_LDX | BPF_LEN), 0, 0, 0};
    case 7: return {static_cast<std::uint16_t>(one_of(2) ? BPF_ST : BPF_STX), 0, 0, word};
    case 8: return {static_cast<std::uint16_t>((one_of(2) ? BPF_LD : BPF_LDX) | BPF_MEM), 0, 0, word};
    case 9: return {static_cast<std::uint16_t>(BPF_MISC | (one_of(2) ? BPF_TAX : BPF_TXA)), 0, 0, 0};
    case 10: return {BPF_LDX | BPF_IMM, 0, 0, one_of(40)};
    case 11: return {static_cast<std::uint16_t>(BPF_ALU | (one_of(2) ? BPF_LSH : BPF_RSH) | by_x), 0, 0, one_of(32)};
    case 12:
      if (steps_left < 3) break;
      return {static_cast<std::uint16_t>(BPF_JMP | kJumps[one_of(4)] | by_x),
              static_cast<std::uint8_t>(one_of(steps_left)), static_cast<std::uint8_t>(one_of(steps_left)), number};
    default: break;
  }
  if (one_of(8) == 0) return {BPF_ALU | BPF_NEG, 0, 0, 0};
  return {static_cast<std::uint16_t>(BPF_ALU | kOperations[one_of(8)] | by_x), 0, 0, number};
}

}  // namespace of_filter_cases

// Filters that no expression gives; what they return hangs on a bit of what they came to.
inline const std::vector<FilterProgram>& step_cases() {
  static const std::vector<FilterProgram> cases = [] {
    std::mt19937 random(23);
    std::vector<FilterProgram> made(400);
    for (FilterProgram& program : made) {
      for (std::uint32_t word = 0; word < 3; ++word) program.push_back({BPF_ST, 0, 0, word});
      const std::uint32_t steps = 1 + static_cast<std::uint32_t>(random() % 12);
      for (std::uint32_t left = steps; left > 0; --left) program.push_back(of_filter_cases::random_step(random, left));
      program.push_back({BPF_ALU | BPF_AND | BPF_K, 0, 0, 1u << random() % 9});
      program.push_back({static_cast<std::uint16_t>(BPF_RET | BPF_A), 0, 0, 0});
    }
    return made;
  }();
  return cases;
}

inline bool run_steps(const FilterProgram& program, const Bytes& frame) {
  const auto size = static_cast<unsigned>(frame.size());
  return bpf_filter(program.data(), frame.data(), size, size) != 0;
}

}  // namespace warpmeter::test
