#include "analysis/query/literal.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string>

#include "base/words/amount.h"
#include "core/flow_boundary.h"
#include "warpmeter/end_reason.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline analysis {
namespace {

template <class T>
std::optional<T> all_of(std::string_view text) {
  T value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> good(const Amount& amount) {
  return amount.state == Amount::State::good ? std::optional(amount.value) : std::nullopt;
}

// Takes exactly `digits` digits off the front.
bool take(std::string_view& text, std::size_t digits, int& value) {
  if (text.size() < digits) return false;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  value = *all_of<int>(text.substr(0, digits));
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// ".678" -> ns
bool take_fraction(std::string_view& text, std::int64_t& ns) {
  constexpr int kDigits = 9;
  int digits = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && digits < kDigits) {
    ns = ns * 10 + (text[0] - '0');
    text.remove_prefix(1);
    ++digits;
  }
  const bool any = digits > 0;
  for (; digits < kDigits; ++digits) ns *= 10;
  return any;
}

struct NumberName {
  std::uint8_t number;
  std::string_view name;
};

// IANA, "Protocol Numbers": those that are met; the first name of a number is the one that is written.
constexpr NumberName kProtocols[] = {{kProtocolIcmp, "icmp"},
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

constexpr NumberName kIpVersions[] = {{4, "ip"}, {4, "ip4"}, {4, "ipv4"}, {6, "ip6"}, {6, "ipv6"}};

constexpr NumberName kEndReasons[] = {{static_cast<std::uint8_t>(EndReason::idle), "idle"},
                                      {static_cast<std::uint8_t>(EndReason::active), "active"},
                                      {static_cast<std::uint8_t>(EndReason::end_of_flow), "end"},
                                      {static_cast<std::uint8_t>(EndReason::forced), "forced"},
                                      {static_cast<std::uint8_t>(EndReason::lack_of_resources), "resources"}};

constexpr std::string_view kFlags = "FSRPAUEC";

template <std::size_t kCount>
std::string_view name_of(const NumberName (&table)[kCount], std::int64_t number) {
  for (const NumberName& named : table) {
    if (named.number == number) return named.name;
  }
  return {};
}

template <std::size_t kCount>
std::optional<std::uint8_t> number_of(const NumberName (&table)[kCount], std::string_view name) {
  for (const NumberName& named : table) {
    if (named.name == name) return named.number;
  }
  return std::nullopt;
}

template <std::size_t kCount>
std::vector<std::string_view> names_of(const NumberName (&table)[kCount]) {
  std::vector<std::string_view> names;
  for (const NumberName& named : table) names.push_back(named.name);
  return names;
}

}  // namespace

std::optional<std::int64_t> number_literal(std::string_view text) { return good(read_amount(text, AmountOf::count)); }

std::optional<std::int64_t> bytes_literal(std::string_view text) { return good(read_amount(text, AmountOf::bytes)); }

std::optional<std::int64_t> span_literal(std::string_view text, std::int64_t plain_ns) {
  return good(read_amount(text, AmountOf::time, plain_ns));
}

std::optional<std::int64_t> time_literal(std::string_view text) {
  if (const auto plain = all_of<std::int64_t>(text)) return plain;
  using namespace std::chrono;
  int year_number = 0, month_number = 0, day_number = 0, hour = 0, minute = 0, second = 0;
  std::int64_t ns = 0;
  if (!take(text, 4, year_number) || !take(text, "-") || !take(text, 2, month_number) || !take(text, "-") ||
      !take(text, 2, day_number)) {
    return std::nullopt;
  }
  const year_month_day date(year(year_number), month(static_cast<unsigned>(month_number)),
                            day(static_cast<unsigned>(day_number)));
  constexpr int kFirstYear = 1678, kLastYear = 2261;  // of which 64 bits can hold every nanosecond
  if (!date.ok() || year_number < kFirstYear || year_number > kLastYear) return std::nullopt;
  if (take(text, "Tt ")) {
    if (!take(text, 2, hour) || !take(text, ":") || !take(text, 2, minute)) return std::nullopt;
    if (take(text, ":")) {
      if (!take(text, 2, second)) return std::nullopt;
      if (take(text, ".") && !take_fraction(text, ns)) return std::nullopt;
    }
  }
  take(text, "Zz");
  if (!text.empty() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const auto moment = sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
  return duration_cast<nanoseconds>(moment.time_since_epoch()).count() + ns;
}

std::optional<double> share_literal(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto value = all_of<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return percent ? *value / 100 : *value;
}

std::optional<double> decimal_literal(std::string_view text) {
  if (const auto whole = number_literal(text)) return static_cast<double>(*whole);
  const auto value = all_of<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool Prefix::covers(std::uint8_t other_version, const std::uint8_t (&other)[16]) const {
  if (version != other_version) return false;
  const int whole = bits / 8, rest = bits % 8;
  if (std::memcmp(address, other, static_cast<std::size_t>(whole)) != 0) return false;
  return rest == 0 || (address[whole] ^ other[whole]) >> (8 - rest) == 0;
}

std::optional<Prefix> prefix_literal(std::string_view text) {
  Prefix prefix;
  const std::size_t slash = text.find('/');
  const std::string host(text.substr(0, slash));
  prefix.version = host.find(':') == std::string::npos ? 4 : 6;
  const int whole = prefix.version == 4 ? 32 : 128;
  if (inet_pton(prefix.version == 4 ? AF_INET : AF_INET6, host.c_str(), prefix.address) != 1) return std::nullopt;
  prefix.bits = whole;
  if (slash == std::string_view::npos) return prefix;
  const auto bits = all_of<int>(text.substr(slash + 1));
  if (!bits || *bits < 0 || *bits > whole) return std::nullopt;
  prefix.bits = *bits;
  return prefix;
}

void cut_to_prefix(std::uint8_t (&address)[16], int bits) {
  for (int i = 0; i < 16; ++i) {
    const int kept = std::min(std::max(bits - 8 * i, 0), 8);
    address[i] = static_cast<std::uint8_t>(address[i] & 0xff00u >> kept);
  }
}

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

std::optional<std::string> mac_literal(std::string_view text) {
  constexpr std::size_t kLength = 17;
  std::string mac(text);
  if (mac.size() != kLength) return std::nullopt;
  for (std::size_t i = 0; i < kLength; ++i) {
    const auto c = static_cast<unsigned char>(mac[i]);
    const bool separates = i % 3 == 2;
    if (separates ? c != ':' && c != '-' : !std::isxdigit(c)) return std::nullopt;
    mac[i] = separates ? ':' : static_cast<char>(std::tolower(c));
  }
  return mac;
}

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
