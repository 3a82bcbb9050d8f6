#include "analysis/query/names.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/flow_boundary.h"
#include "warpmeter/end_reason_words.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline analysis {
namespace {

struct Named {
  std::uint8_t number;
  std::string_view name;
};

// IANA, "Protocol Numbers": those that are met; the first name of a number is the one that is written.
constexpr Named kProtocols[] = {{kProtocolIcmp, "icmp"},
                                {2, "igmp"},
                                {4, "ipip"},
                                {kProtocolTcp, "tcp"},
                                {kProtocolUdp, "udp"},
                                {kProtocolDccp, "dccp"},
                                {41, "6in4"},
                                {41, "ipv6"},
                                {46, "rsvp"},
                                {47, "gre"},
                                {50, "esp"},
                                {51, "ah"},
                                {kProtocolIcmpV6, "icmp6"},
                                {kProtocolIcmpV6, "ipv6-icmp"},
                                {88, "eigrp"},
                                {89, "ospf"},
                                {103, "pim"},
                                {112, "vrrp"},
                                {kProtocolSctp, "sctp"},
                                {kProtocolUdpLite, "udplite"}};

constexpr Named kIpVersions[] = {{4, "ip"}, {4, "ip4"}, {4, "ipv4"}, {6, "ip6"}, {6, "ipv6"}};

constexpr Named kEndReasons[] = {{static_cast<std::uint8_t>(EndReason::idle), "idle"},
                                 {static_cast<std::uint8_t>(EndReason::active), "active"},
                                 {static_cast<std::uint8_t>(EndReason::end_of_flow), "end"},
                                 {static_cast<std::uint8_t>(EndReason::forced), "forced"},
                                 {static_cast<std::uint8_t>(EndReason::lack_of_resources), "resources"}};

constexpr std::string_view kFlags = "FSRPAUEC";

template <std::size_t kCount>
std::string_view name_of(const Named (&table)[kCount], std::int64_t number) {
  for (const Named& named : table) {
    if (named.number == number) return named.name;
  }
  return {};
}

template <std::size_t kCount>
std::optional<std::uint8_t> number_of(const Named (&table)[kCount], std::string_view name) {
  for (const Named& named : table) {
    if (named.name == name) return named.number;
  }
  return std::nullopt;
}

template <std::size_t kCount>
std::vector<std::string_view> names_of(const Named (&table)[kCount]) {
  std::vector<std::string_view> names;
  for (const Named& named : table) names.push_back(named.name);
  return names;
}

}  // namespace

std::string_view protocol_name(std::uint8_t protocol) { return name_of(kProtocols, protocol); }
std::optional<std::uint8_t> protocol_number(std::string_view name) { return number_of(kProtocols, name); }
std::vector<std::string_view> protocol_names() { return names_of(kProtocols); }

std::optional<std::uint8_t> ip_version_number(std::string_view name) { return number_of(kIpVersions, name); }
std::vector<std::string_view> ip_version_names() { return names_of(kIpVersions); }

std::optional<std::uint8_t> end_reason_number(std::string_view name) {
  if (const auto number = number_of(kEndReasons, name)) return number;
  std::string words(name);
  std::replace(words.begin(), words.end(), '-', ' ');
  const auto found = std::find(kEndReasonWords.begin() + 1, kEndReasonWords.end(), words);
  if (found == kEndReasonWords.end() || name.find(' ') != std::string_view::npos) return std::nullopt;
  return static_cast<std::uint8_t>(found - kEndReasonWords.begin());
}

std::vector<std::string_view> end_reason_names() { return names_of(kEndReasons); }

std::string flag_letters(std::uint8_t flags) {
  std::string text;
  for (std::size_t bit = 0; bit < kFlags.size(); ++bit) {
    if (flags >> bit & 1) text += kFlags[bit];
  }
  return text.empty() ? "." : text;
}

std::optional<std::uint8_t> flags_of_letters(std::string_view letters) {
  unsigned flags = 0;
  for (const char letter : letters) {
    const std::size_t bit = kFlags.find(static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
    if (bit == std::string_view::npos) return std::nullopt;
    flags |= 1u << bit;
  }
  return static_cast<std::uint8_t>(flags);
}

}  // namespace warpmeter::inline analysis
