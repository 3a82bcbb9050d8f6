// The annex of a flow: what its first packet, or its SYN, alone tells. It is no part of a flow's state: whoever meters
// notes it when a flow begins, and it goes beside the flow's partials to the Flow Record (annotations.h).
//
// Threads: any, at once.
#pragma once

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "core/unread_layers.h"

namespace warpmeter {

// Its values, by the names of their columns, in the order in which these stand.
enum class AnnexField : std::uint8_t {
  src_mac,  // of the first Ethernet header of the frame
  dst_mac,
  outer_vlan_id,  // of the first and the second tag
  inner_vlan_id,
  mpls_label,  // top of the first stack
  tunnel,      // these four of the innermost tunnel that was opened
  tunnel_id,
  outer_src_addr,
  outer_dst_addr,
  ttl,
  dscp,
  ecn,
  first_tcp_flags,
  syn_mss,  // these of the flow's SYN
  syn_window_scale,
  syn_sack_permitted,
  syn_timestamps,
  syn_window,
  syn_options,
  count
};
inline constexpr std::size_t kAnnexFields = static_cast<std::size_t>(AnnexField::count);

struct AnnexFacts {
  std::string_view name;
  std::size_t text;  // characters that a value takes at most; 0: it is a number
  std::string_view meaning;
};
inline constexpr std::array<AnnexFacts, kAnnexFields> kAnnexFacts = {{
    {"src_mac", 17, "source MAC address of the first Ethernet header"},
    {"dst_mac", 17, "destination MAC address of the first Ethernet header"},
    {"outer_vlan_id", 0, "VLAN id of the first tag"},
    {"inner_vlan_id", 0, "VLAN id of the second tag"},
    {"mpls_label", 0, "top label of the first MPLS stack"},
    {"tunnel", 14, "kind of the innermost tunnel that --decapsulate opened"},
    {"tunnel_id", 0, "its VNI, TEID or GRE key"},
    {"outer_src_addr", INET6_ADDRSTRLEN, "source address of the packet that carried the tunnel"},
    {"outer_dst_addr", INET6_ADDRSTRLEN, "destination address of the packet that carried the tunnel"},
    {"ttl", 0, "TTL or hop limit of the first packet"},
    {"dscp", 0, "differentiated services code point of the first packet"},
    {"ecn", 0, "explicit congestion notification of the first packet, 0 to 3"},
    {"first_tcp_flags", 0, "TCP flags of the first packet"},
    {"syn_mss", 0, "maximum segment size that the SYN announces"},
    {"syn_window_scale", 0, "shift count of the SYN's window scale option"},
    {"syn_sack_permitted", 0, "1: the SYN permits selective acknowledgements; 0: it does not"},
    {"syn_timestamps", 0, "1: the SYN has the timestamps option; 0: it has not"},
    {"syn_window", 0, "window of the SYN"},
    {"syn_options", 160, "kinds of the SYN's TCP options in their order, with - between, such as 2-4-8-1-3"},
}};

constexpr std::uint32_t bit_of(AnnexField field) { return std::uint32_t{1} << static_cast<unsigned>(field); }
constexpr const AnnexFacts& facts_of(AnnexField field) { return kAnnexFacts[static_cast<std::size_t>(field)]; }

inline std::optional<AnnexField> annex_field(std::string_view name) {
  const auto found = std::ranges::find(kAnnexFacts, name, &AnnexFacts::name);
  if (found == kAnnexFacts.end()) return std::nullopt;
  return static_cast<AnnexField>(found - kAnnexFacts.begin());
}

inline constexpr std::array<std::string_view, kTunnelKinds> kTunnelNames = {
    "",       "ip4_in_ip", "ip6_in_ip", "gre",  "ether_ip", "mpls_in_ip", "ethernet_in_ip", "vxlan",       "vxlan_gpe",
    "geneve", "gtp_u",     "teredo",    "l2tp", "tzsp",     "capwap",     "gre_in_udp",     "mpls_in_udp", "lisp"};

struct Annex {
  static constexpr std::size_t kMostOptions = 40;  // a header has room for so many of one byte
  static constexpr std::size_t kAddresses = 12;    // bytes: destination and source
  static constexpr std::uint32_t kOfSyn = bit_of(AnnexField::syn_options) * 2 - bit_of(AnnexField::syn_mss);
  static constexpr std::uint32_t kSack = 1u << 30, kTimestamps = 1u << 31;  // values, in `has`
  static_assert(bit_of(AnnexField::count) <= kSack);

  std::uint32_t has = 0;  // a bit for each field that has a value
  std::uint32_t mpls_label = 0;
  std::uint32_t tunnel_id = 0;
  std::uint16_t outer_vlan = 0, inner_vlan = 0;
  std::uint16_t mss = 0, window = 0;
  std::uint8_t src_mac[6] = {}, dst_mac[6] = {};
  std::uint8_t outer_src[16] = {}, outer_dst[16] = {};
  std::uint8_t outer_version = 0;
  std::uint8_t tunnel = 0;  // TunnelKind
  std::uint8_t ttl = 0;
  std::uint8_t traffic_class = 0;  // DSCP and ECN
  std::uint8_t tcp_flags = 0;
  std::uint8_t window_scale = 0;
  std::uint8_t option_count = 0;
  std::uint8_t options[kMostOptions] = {};  // kinds
  std::uint8_t unused = 0;

  bool has_value(AnnexField field) const { return has & bit_of(field); }
  void set(AnnexField field) { has |= bit_of(field); }
  bool has_syn() const { return has & kOfSyn; }

  // Of an Ethernet header: the first tells whose frame it is.
  void take_addresses(const std::uint8_t* header) {
    if (has_value(AnnexField::src_mac)) return;
    std::memcpy(dst_mac, header, sizeof dst_mac);
    std::memcpy(src_mac, header + sizeof dst_mac, sizeof src_mac);
    set(AnnexField::src_mac);
    set(AnnexField::dst_mac);
  }
  void take_tag(std::uint16_t id) {
    if (!has_value(AnnexField::outer_vlan_id)) outer_vlan = id, set(AnnexField::outer_vlan_id);
    else if (!has_value(AnnexField::inner_vlan_id)) inner_vlan = id, set(AnnexField::inner_vlan_id);
  }
  // Another packet's, of the same flow, that came later: only a SYN is new.
  void add_later(const Annex& later) {
    if (has_syn() || !later.has_syn()) return;
    has |= later.has & (kOfSyn | kSack | kTimestamps);
    mss = later.mss;
    window = later.window;
    window_scale = later.window_scale;
    option_count = later.option_count;
    std::memcpy(options, later.options, sizeof options);
  }

  // REQUIRES: a number.
  std::optional<std::int64_t> number(AnnexField field) const;
  bool set_number(AnnexField field, std::int64_t value);  // false: it cannot be
  // Writes at most facts_of(field).text characters; returns their end. REQUIRES: a text.
  char* write(char* to, AnnexField field) const;
  bool set_text(AnnexField field, std::string_view text);  // false: it is none

  bool operator==(const Annex&) const = default;

 private:
  char* write_mac(char* to, const std::uint8_t (&mac)[6]) const;
  char* write_address(char* to, const std::uint8_t (&address)[16]) const;
  char* write_options(char* to) const;
  static bool parse_mac(std::string_view text, std::uint8_t (&mac)[6]);
  bool parse_address(std::string_view text, std::uint8_t (&address)[16]);
  bool parse_options(std::string_view text);
};
static_assert(sizeof(Annex) == 112 && std::is_trivially_copyable_v<Annex>);

inline std::optional<std::int64_t> Annex::number(AnnexField field) const {
  if (!has_value(field)) return std::nullopt;
  switch (field) {
    case AnnexField::outer_vlan_id: return outer_vlan;
    case AnnexField::inner_vlan_id: return inner_vlan;
    case AnnexField::mpls_label: return mpls_label;
    case AnnexField::tunnel_id: return tunnel_id;
    case AnnexField::ttl: return ttl;
    case AnnexField::dscp: return traffic_class >> 2;
    case AnnexField::ecn: return traffic_class & 3;
    case AnnexField::first_tcp_flags: return tcp_flags;
    case AnnexField::syn_mss: return mss;
    case AnnexField::syn_window_scale: return window_scale;
    case AnnexField::syn_sack_permitted: return has & kSack ? 1 : 0;
    case AnnexField::syn_timestamps: return has & kTimestamps ? 1 : 0;
    case AnnexField::syn_window: return window;
    default: return std::nullopt;
  }
}

inline bool Annex::set_number(AnnexField field, std::int64_t value) {
  const auto put = [&](auto& to, std::int64_t most) {
    if (value < 0 || value > most) return false;
    to = static_cast<std::remove_reference_t<decltype(to)>>(value);
    set(field);
    return true;
  };
  std::uint8_t part = 0;
  const auto put_bit = [&](std::uint32_t bit) {
    if (!put(part, 1)) return false;
    has = part ? has | bit : has & ~bit;
    return true;
  };
  switch (field) {
    case AnnexField::outer_vlan_id: return put(outer_vlan, 0xfff);
    case AnnexField::inner_vlan_id: return put(inner_vlan, 0xfff);
    case AnnexField::mpls_label: return put(mpls_label, 0xfffff);
    case AnnexField::tunnel_id: return put(tunnel_id, UINT32_MAX);
    case AnnexField::ttl: return put(ttl, UINT8_MAX);
    case AnnexField::dscp:
      if (!put(part, 63)) return false;
      traffic_class = static_cast<std::uint8_t>(part << 2 | (traffic_class & 3));
      return true;
    case AnnexField::ecn:
      if (!put(part, 3)) return false;
      traffic_class = static_cast<std::uint8_t>((traffic_class & ~3) | part);
      return true;
    case AnnexField::first_tcp_flags: return put(tcp_flags, UINT8_MAX);
    case AnnexField::syn_mss: return put(mss, UINT16_MAX);
    case AnnexField::syn_window_scale: return put(window_scale, UINT8_MAX);
    case AnnexField::syn_sack_permitted: return put_bit(kSack);
    case AnnexField::syn_timestamps: return put_bit(kTimestamps);
    case AnnexField::syn_window: return put(window, UINT16_MAX);
    default: return false;
  }
}

inline char* Annex::write_mac(char* to, const std::uint8_t (&mac)[6]) const {
  constexpr char kHex[] = "0123456789abcdef";
  for (unsigned i = 0; i < sizeof mac; ++i) {
    to[3 * i] = kHex[mac[i] >> 4];
    to[3 * i + 1] = kHex[mac[i] & 15];
    if (i + 1 < sizeof mac) to[3 * i + 2] = ':';
  }
  return to + 3 * sizeof mac - 1;
}

inline char* Annex::write_address(char* to, const std::uint8_t (&address)[16]) const {
  char text[INET6_ADDRSTRLEN];
  inet_ntop(outer_version == 6 ? AF_INET6 : AF_INET, address, text, sizeof text);
  return std::copy_n(text, std::strlen(text), to);
}

inline char* Annex::write_options(char* to) const {
  for (std::size_t i = 0; i < option_count; ++i) {
    if (i > 0) *to++ = '-';
    if (options[i] < 10) *to++ = static_cast<char>('0' + options[i]);
    else to = std::to_chars(to, to + 3, options[i]).ptr;
  }
  return to;
}

inline char* Annex::write(char* to, AnnexField field) const {
  if (!has_value(field)) return to;
  switch (field) {
    case AnnexField::src_mac: return write_mac(to, src_mac);
    case AnnexField::dst_mac: return write_mac(to, dst_mac);
    case AnnexField::outer_src_addr: return write_address(to, outer_src);
    case AnnexField::outer_dst_addr: return write_address(to, outer_dst);
    case AnnexField::syn_options: return write_options(to);
    case AnnexField::tunnel: return std::ranges::copy(kTunnelNames[tunnel % kTunnelKinds], to).out;
    default: return to;
  }
}

inline bool Annex::parse_mac(std::string_view text, std::uint8_t (&mac)[6]) {
  if (text.size() != facts_of(AnnexField::src_mac).text) return false;
  for (std::size_t i = 0; i < 6; ++i) {
    const char* const at = text.data() + 3 * i;
    if (std::from_chars(at, at + 2, mac[i], 16).ptr != at + 2 || (i < 5 && at[2] != ':')) return false;
  }
  return true;
}

// Both are of one version.
inline bool Annex::parse_address(std::string_view text, std::uint8_t (&address)[16]) {
  char with_end[INET6_ADDRSTRLEN] = {};
  if (text.size() >= sizeof with_end) return false;
  text.copy(with_end, text.size());
  const std::uint8_t version = text.find(':') == std::string_view::npos ? 4 : 6;
  if (outer_version != 0 && outer_version != version) return false;
  outer_version = version;
  return inet_pton(version == 6 ? AF_INET6 : AF_INET, with_end, address) == 1;
}

inline bool Annex::parse_options(std::string_view text) {
  option_count = 0;
  for (const char *at = text.data(), *const end = at + text.size(); at < end; ++at) {
    if (option_count == kMostOptions) return false;
    const auto [behind, failed] = std::from_chars(at, end, options[option_count++]);
    if (failed != std::errc() || (behind != end && (*behind != '-' || behind + 1 == end))) return false;
    at = behind;
  }
  return true;
}

inline bool Annex::set_text(AnnexField field, std::string_view text) {
  const auto put = [&] {
    switch (field) {
      case AnnexField::src_mac: return parse_mac(text, src_mac);
      case AnnexField::dst_mac: return parse_mac(text, dst_mac);
      case AnnexField::outer_src_addr: return parse_address(text, outer_src);
      case AnnexField::outer_dst_addr: return parse_address(text, outer_dst);
      case AnnexField::syn_options: return parse_options(text);
      case AnnexField::tunnel:
        tunnel = static_cast<std::uint8_t>(std::ranges::find(kTunnelNames, text) - kTunnelNames.begin());
        return tunnel > 0 && tunnel < kTunnelKinds;
      default: return false;
    }
  };
  if (!put()) return false;
  set(field);
  return true;
}

}  // namespace warpmeter
