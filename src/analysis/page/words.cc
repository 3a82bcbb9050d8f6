#include "analysis/page/words.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/words/human_units.h"
#include "core/flow_boundary.h"
#include "warpmeter/end_reason.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline analysis::words {
namespace {

struct Service {
  std::uint16_t port;
  std::string_view name;
};

// By port. A table of our own, so that a page does not depend on the machine that makes it.
constexpr Service kServices[] = {
    {20, "ftp-data"},      {21, "ftp"},          {22, "ssh"},         {23, "telnet"},
    {25, "smtp"},          {53, "dns"},          {80, "http"},        {88, "kerberos"},
    {110, "pop3"},         {111, "rpcbind"},     {119, "nntp"},       {135, "msrpc"},
    {139, "netbios"},      {143, "imap"},        {179, "bgp"},        {389, "ldap"},
    {443, "https"},        {445, "smb"},         {465, "smtps"},      {514, "syslog"},
    {554, "rtsp"},         {587, "submission"},  {631, "ipp"},        {636, "ldaps"},
    {853, "dns over tls"}, {873, "rsync"},       {993, "imaps"},      {995, "pop3s"},
    {1194, "openvpn"},     {1433, "sql server"}, {1521, "oracle"},    {1883, "mqtt"},
    {1935, "rtmp"},        {2049, "nfs"},        {2181, "zookeeper"}, {3128, "squid"},
    {3260, "iscsi"},       {3306, "mysql"},      {3389, "rdp"},       {5060, "sip"},
    {5222, "xmpp"},        {5432, "postgresql"}, {5672, "amqp"},      {5900, "vnc"},
    {6379, "redis"},       {6443, "kubernetes"}, {6667, "irc"},       {8080, "http-alt"},
    {8443, "https-alt"},   {9042, "cassandra"},  {9092, "kafka"},     {9200, "elasticsearch"},
    {11211, "memcached"},  {27017, "mongodb"}};

}  // namespace

std::string exact(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string count(std::uint64_t count) {
  return count < 1'000'000 ? exact(count) : human_count(static_cast<double>(count));
}

std::string bytes(std::uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

std::string bit_rate(double bytes_per_second) { return human_bit_rate(bytes_per_second); }

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (part == whole) return "100 %";
  if (part < whole && share >= 99.95) return "> 99.9 %";
  if (share < 0.01) return "< 0.01 %";
  return fmt::format("{:.{}f} %", share, share >= 9.95 && share < 99 ? 0 : share >= 0.995 ? 1 : 2);
}

std::string duration(std::int64_t from_ns, std::int64_t to_ns) {
  const std::uint64_t ns = static_cast<std::uint64_t>(to_ns) - static_cast<std::uint64_t>(from_ns);
  return human_time(static_cast<double>(ns) / 1e9);
}

std::string width(std::int64_t ns) {
  const std::int64_t ms = ns / 1'000'000, s = ms / 1000;
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min", s / 60);
  if (s < 86400) return fmt::format("{} h", s / 3600);
  return fmt::format("{} d", s / 86400);
}

std::string day(std::int64_t ns) {
  using namespace std::chrono;
  const year_month_day date{floor<days>(sys_time<nanoseconds>{nanoseconds{ns}})};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string time_of_day(std::int64_t ns) {
  using namespace std::chrono;
  constexpr std::int64_t kDay = 86'400'000'000'000;
  const std::int64_t s = (ns % kDay + kDay) % kDay / 1'000'000'000;
  return fmt::format("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string some(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", count(n), noun, n == 1 ? "" : "s");
}

std::string host(std::uint8_t version, std::span<const std::uint8_t, 16> address) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(version == 6 ? AF_INET6 : AF_INET, address.data(), text, sizeof text);
}

std::string protocol(std::uint8_t number) {
  switch (number) {
    case kProtocolIcmp: return "ICMP";
    case kProtocolTcp: return "TCP";
    case kProtocolUdp: return "UDP";
    case kProtocolDccp: return "DCCP";
    case kProtocolIcmpV6: return "ICMPv6";
    case kProtocolSctp: return "SCTP";
    case kProtocolUdpLite: return "UDP-Lite";
    case 2: return "IGMP";
    case 41: return "IPv6 in IP";
    case 47: return "GRE";
    case 50: return "ESP";
    case 51: return "AH";
    case 89: return "OSPF";
    case 112: return "VRRP";
    default: return fmt::format("IP protocol {}", number);
  }
}

std::string_view service(std::uint16_t port) {
  const auto found = std::ranges::lower_bound(kServices, port, {}, &Service::port);
  return found != std::end(kServices) && found->port == port ? found->name : std::string_view{};
}

std::string end_reason(std::uint8_t number) {
  const std::string_view words = end_reason_words(number);
  if (words.empty()) return "not said";
  const auto with = [&](const char* meaning) { return fmt::format("{} ({})", words, meaning); };
  switch (static_cast<EndReason>(number)) {
    case EndReason::idle: return with("fell silent");
    case EndReason::active: return with("cut, and went on");
    case EndReason::end_of_flow: return with("FIN, RST or a new connection");
    case EndReason::lack_of_resources: return with("memory");
    case EndReason::forced: break;
  }
  return std::string(words);
}

}  // namespace warpmeter::inline analysis::words
