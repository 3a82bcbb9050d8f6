#include "packet/decode/unread_words.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <span>
#include <string_view>

namespace warpmeter::inline packet {
namespace {

struct Name {
  std::uint16_t number;
  const char* name;
};

// IEEE's registry, and Wireshark's names where they are better known.
constexpr Name kEtherTypes[] = {
    {0x0806, "ARP"},
    {0x0842, "Wake-on-LAN"},
    {0x2000, "CDP"},
    {0x22e5, "ITSN"},
    {0x22ea, "SRP"},
    {0x22f0, "AVTP"},
    {0x22f3, "TRILL"},
    {0x22f4, "L2-IS-IS"},
    {0x4305, "BATMAN"},
    {0x6001, "DEC MOP dump/load"},
    {0x6002, "DEC MOP remote console"},
    {0x6003, "DECnet"},
    {0x6004, "DEC LAT"},
    {0x6558, "bridged Ethernet"},
    {0x8035, "RARP"},
    {0x809b, "AppleTalk"},
    {0x80f3, "AARP"},
    {0x8137, "IPX"},
    {0x8808, "MAC control (pause)"},
    {0x8809, "slow protocols (LACP, OAM)"},
    {0x8847, "MPLS without IP"},
    {0x8848, "MPLS without IP"},
    {0x8863, "PPPoE discovery"},
    {0x886d, "Intel ANS"},
    {0x887b, "HomePlug 1.0"},
    {0x8892, "PROFINET"},
    {0x8899, "Realtek"},
    {0x88a2, "ATA over Ethernet"},
    {0x88a4, "EtherCAT"},
    {0x88ab, "POWERLINK"},
    {0x88b8, "GOOSE"},
    {0x88b9, "GSE"},
    {0x88ba, "IEC 61850 sampled values"},
    {0x88bf, "MikroTik RoMON"},
    {0x88c7, "802.11 pre-authentication"},
    {0x88ca, "TIPC"},
    {0x88cc, "LLDP"},
    {0x88cd, "SERCOS III"},
    {0x88d9, "LLTD"},
    {0x88dc, "WSMP"},
    {0x88e1, "HomePlug AV"},
    {0x88e3, "MRP"},
    {0x88e5, "encrypted MACsec"},
    {0x88e7, "802.1ah without IP"},
    {0x888e, "EAPOL"},
    {0x88f5, "MVRP"},
    {0x88f6, "MMRP"},
    {0x88f7, "PTP"},
    {0x88fb, "PRP"},
    {0x8902, "CFM"},
    {0x8903, "FabricPath without IP"},
    {0x8906, "FCoE"},
    {0x890d, "TDLS"},
    {0x8914, "FIP"},
    {0x8915, "RoCE"},
    {0x892d, "AUTOSAR TSN"},
    {0x893a, "IEEE 1905"},
    {0x894f, "NSH without IP"},
    {0x9000, "Ethernet loopback"},
    {0xa0ed, "6LoWPAN"},
};

constexpr Name kCiscoIds[] = {{0x0104, "PAgP"}, {0x010b, "PVST+"}, {0x0111, "UDLD"}, {0x0115, "VLAN bridge"},
                              {0x2000, "CDP"},  {0x2003, "VTP"},   {0x2004, "DTP"}};

constexpr Name kPppProtocols[] = {
    {0x0023, "OSI"},
    {0x002b, "IPX"},
    {0x002d, "TCP of Van Jacobson, compressed"},
    {0x002f, "TCP of Van Jacobson"},
    {0x0031, "bridged"},
    {0x003d, "multilink fragment"},
    {0x0053, "encrypted"},
    {0x00fd, "compressed"},
    {0x0207, "CDP"},
    {0x8021, "IPCP"},
    {0x8023, "OSICP"},
    {0x802b, "IPXCP"},
    {0x8031, "BCP"},
    {0x8053, "ECP"},
    {0x8057, "IPv6CP"},
    {0x80fd, "CCP"},
    {0x8207, "CDPCP"},
    {0x8281, "MPLSCP"},
    {0xc021, "LCP"},
    {0xc023, "PAP"},
    {0xc025, "LQR"},
    {0xc223, "CHAP"},
    {0xc227, "EAP"},
};

constexpr Name kNlpids[] = {{0x08, "Q.933"}, {0x80, "SNAP"},  {0x81, "CLNP"},   {0x82, "ES-IS"},
                            {0x83, "IS-IS"}, {0xb0, "FRF.9"}, {0xb1, "FRF.12"}, {0xcf, "PPP"}};

constexpr Name kCookedNumbers[] = {{1, "IPX (802.3 raw)"}, {3, "AX.25 or other"}, {0x000c, "CAN"},  {0x000d, "CAN FD"},
                                   {0x0011, "localtalk"},  {0x00f5, "CAIF"},      {0x00fb, "MCTP"}, {824, "netlink"}};

constexpr std::array<const char*, kWlanFrames> kWlanNames = {"802.11 management",     "802.11 control",
                                                             "802.11 extension",      "802.11 data without a body",
                                                             "802.11 encrypted data", "802.11 data without LLC"};

std::string in_hexadecimal(std::uint16_t number, int digits) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "0x%0*x", digits, static_cast<unsigned>(number));
  return text.data();
}

const char* known(std::span<const Name> names, std::uint16_t number) {
  const auto found = std::ranges::find(names, number, &Name::number);
  return found == names.end() ? nullptr : found->name;
}

// "PPP 0xc021 (LCP)"
std::string numbered(const char* space, std::span<const Name> names, std::uint16_t number, int digits) {
  const char* const name = known(names, number);
  return std::string(space) + " " + in_hexadecimal(number, digits) + (name ? std::string(" (") + name + ")" : "");
}

// Destination and source service access point, whose lowest bit is no part of them.
std::string llc_name(std::uint16_t number) {
  if (number == 0xffff) return "IPX (802.3 raw)";
  switch (number >> 8 & 0xfe) {
    case 0x42: return "STP";
    case 0xe0: return "IPX";
    case 0xf0: return "NetBIOS";
    case 0xfe: return "IS-IS or other OSI";
    case 0xaa: return "SNAP, not numbered";
    case 0x00: return "LLC null";
    default: return "LLC " + in_hexadecimal(number >> 8 & 0xfe, 2);
  }
}

std::string snap_bridge_name(std::uint16_t number) {
  switch (number) {
    case 0x0001:
    case 0x0007: return "bridged Ethernet";
    case 0x000e: return "bridged STP";
    default: return "SNAP 00:80:c2 " + in_hexadecimal(number, 4);
  }
}

constexpr std::array<const char*, kTunnelKinds> kTunnelNames = {
    "none",   "IPv4 in IP", "IPv6 in IP", "GRE",  "EtherIP", "MPLS in IP", "Ethernet in IP", "VXLAN",       "VXLAN-GPE",
    "Geneve", "GTP-U",      "Teredo",     "L2TP", "TZSP",    "CAPWAP",     "GRE in UDP",     "MPLS in UDP", "LISP"};
constexpr std::array<const char*, kUnopened> kUnopenedNames = {"not IP",         "cut short", "bad IP header",
                                                               "later fragment", "encrypted", "another version",
                                                               "source-routed",  "too deep"};

template <class NameOf>
NamedCounts named(const SparseCounts& counts, std::size_t most, NameOf name_of_number) {
  std::map<std::string, std::uint64_t> by_name;  // several numbers may have one
  NamedCounts named;
  counts.for_each([&](std::uint32_t number, std::uint64_t count) {
    by_name[name_of_number(number)] += count;
    named.total += count;
  });
  named.names.assign(by_name.begin(), by_name.end());
  std::ranges::stable_sort(named.names, std::ranges::greater(), &std::pair<std::string, std::uint64_t>::second);
  if (named.names.size() <= most) return named;
  for (std::size_t i = most; i < named.names.size(); ++i) named.others += named.names[i].second;
  named.names.resize(most);
  return named;
}

}  // namespace

std::string name_of(NotIp what) {
  const std::uint16_t n = what.number;
  switch (what.space) {
    case ProtocolSpace::link_type: return "link type " + std::to_string(n);
    case ProtocolSpace::ether_type: {
      if (n <= 1500) return "802.3 without LLC";
      const char* const name = known(kEtherTypes, n);
      return name ? name : "EtherType " + in_hexadecimal(n, 4);
    }
    case ProtocolSpace::llc: return llc_name(n);
    case ProtocolSpace::snap_cisco: {
      const char* const name = known(kCiscoIds, n);
      return name ? name : "SNAP Cisco " + in_hexadecimal(n, 4);
    }
    case ProtocolSpace::snap_bridge: return snap_bridge_name(n);
    case ProtocolSpace::snap_other: return "SNAP OUI " + in_hexadecimal(n, 4) + "..";
    case ProtocolSpace::ppp: return numbered("PPP", kPppProtocols, n, 4);
    case ProtocolSpace::nlpid: return numbered("NLPID", kNlpids, n, 2);
    case ProtocolSpace::family: return "address family " + (n == 0xffff ? "unknown" : std::to_string(n));
    case ProtocolSpace::cooked: return numbered("Linux", kCookedNumbers, n, 4);
    case ProtocolSpace::wlan: return n < kWlanFrames ? kWlanNames[n] : "802.11";
    case ProtocolSpace::raw: return "raw IP version " + std::to_string(n);
    case ProtocolSpace::next_protocol: return "next protocol " + std::to_string(n);
  }
  return "unknown";
}

std::string name_of_unopened(std::uint32_t number) {
  const std::uint32_t kind = std::min<std::uint32_t>(number / kUnopened, kTunnelKinds - 1);
  return std::string(kTunnelNames[kind]) + ", " + kUnopenedNames[number % kUnopened];
}

NamedCounts not_ip_names(const DecodeCounters& counters, std::size_t most) {
  return named(counters.not_ip, most, [](std::uint32_t number) { return name_of(NotIp::of_number(number)); });
}

NamedCounts unopened_names(const DecodeCounters& counters, std::size_t most) {
  return named(counters.unopened_tunnels, most, name_of_unopened);
}

std::string text_of(const NamedCounts& counts) {
  std::string text;
  const auto add = [&text](const std::string& name, std::uint64_t count) {
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
  };
  for (const auto& [name, count] : counts.names) add(name, count);
  if (counts.others) add("others", counts.others);
  return std::to_string(counts.total) + " (" + text + ")";
}

}  // namespace warpmeter::inline packet
