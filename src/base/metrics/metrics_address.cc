#include "base/metrics/metrics_address.h"

#include <arpa/inet.h>

#include <charconv>

#include "base/metrics/host_names.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Error("--metrics " + printable(text) + ": not [ADDRESS:]PORT, as 9100, 192.0.2.1:9100 or [2001:db8::1]:9100",
              ExitStatus::usage);
}

bool is_address(const std::string& host) {
  in6_addr room;
  return inet_pton(AF_INET, host.c_str(), &room) == 1 || inet_pton(AF_INET6, host.c_str(), &room) == 1;
}

}  // namespace

std::string MetricsAddress::name() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

MetricsAddress parse_metrics_address(const std::string& text) {
  MetricsAddress address;
  const std::size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos) refuse(text);
  if (host == "localhost") host = address.host;
  if (!host.empty()) address.host = host;
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size() || !is_address(address.host)) refuse(text);
  return address;
}

std::string parse_metrics_name(const std::string& text) {
  std::string name = host_of(text);
  const bool is_one = !name.empty() && text.size() <= name.size() + 1;  // perhaps with a dot behind it
  if (!is_one) throw Error("--metrics-name " + printable(text) + ": not the name of a host alone", ExitStatus::usage);
  return name;
}

}  // namespace warpmeter::inline base
