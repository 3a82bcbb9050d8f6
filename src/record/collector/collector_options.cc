#include "record/collector/collector_options.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::uint16_t kIpfixPort = 4739, kNetflowPort = 2055;

[[noreturn]] void refuse(const std::string& text, std::string_view why) {
  throw Error(fmt::format("collector {}: {}", text, why), ExitStatus::usage);
}

std::uint16_t parse_port(const std::string& text, std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) {
    refuse(text, fmt::format("'{}' is no port: 1 to 65535", digits));
  }
  return port;
}

}  // namespace

std::string CollectorAddress::name() const {
  const bool brackets = host.find(':') != std::string::npos;
  return fmt::format("collector {}://{}{}{}:{}", transport == TransportProtocol::udp ? "udp" : "tcp",
                     brackets ? "[" : "", host, brackets ? "]" : "", port);
}

CollectorAddress parse_collector(const std::string& text, ExportProtocol protocol) {
  CollectorAddress address;
  std::string_view rest = text;
  if (rest.starts_with("udp://")) address.transport = TransportProtocol::udp;
  else if (rest.starts_with("tcp://")) address.transport = TransportProtocol::tcp;
  else refuse(text, "say udp://HOST:PORT or tcp://HOST:PORT");
  if (protocol == ExportProtocol::netflow_v9 && address.transport == TransportProtocol::tcp) {
    refuse(text, "NetFlow v9 goes over UDP only");
  }
  rest.remove_prefix(6);

  const std::size_t bracket = rest.find(']');
  if (rest.starts_with('[') && bracket != rest.npos) {
    address.host = rest.substr(1, bracket - 1);
    rest.remove_prefix(bracket + 1);
    if (!rest.empty() && rest.front() != ':') refuse(text, "after the address in brackets, a colon and a port");
  } else {
    const std::size_t colon = rest.find(':');
    if (colon != rest.rfind(':')) refuse(text, "an IPv6 address goes in brackets: udp://[::1]:4739");
    address.host = rest.substr(0, colon);
    rest.remove_prefix(std::min(colon, rest.size()));
  }
  if (address.host.empty()) refuse(text, "no host");
  if (address.host.find_first_of("/@?#[] \t") != std::string::npos) {
    refuse(text, fmt::format("'{}' is no host", address.host));
  }
  address.port = protocol == ExportProtocol::ipfix ? kIpfixPort : kNetflowPort;
  if (!rest.empty()) address.port = parse_port(text, rest.substr(1));
  return address;
}

}  // namespace warpmeter::inline record
