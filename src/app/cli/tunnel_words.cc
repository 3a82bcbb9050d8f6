#include "app/cli/tunnel_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <string_view>

#include "base/words/shortened.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

// As UdpTunnel counts them.
constexpr std::array<const char*, kUdpTunnels> kFullNames = {"VXLAN",      "VXLAN-GPE",   "Geneve",   "GTP-U",
                                                             "Teredo",     "L2TP",        "TZSP",     "CAPWAP data",
                                                             "GRE in UDP", "MPLS in UDP", "LISP data"};

void add_ports(CLI::App& command, CLI::Option* decapsulate, UdpTunnel kind, TunnelPorts& ports) {
  const auto number = static_cast<std::size_t>(kind);
  const TunnelPorts usual;
  const std::string option = fmt::format("--{}-port", kUdpTunnelNames[number]);
  const auto set = [&ports, kind, option](const std::string& text) {
    ports.set(kind, parse_ports(option, text, TunnelPorts().of(kind)));
  };
  std::string help = fmt::format("UDP ports of {} (default {})", kFullNames[number], fmt::join(usual.of(kind), ","));
  if (kind == UdpTunnel{}) help += "; in this list and those below, + before it leaves the default ones in place";
  command.add_option_function<std::string>(option, set, help)->type_name("[+]LIST")->needs(decapsulate);
}

}  // namespace

void add_tunnels(CLI::App& command, bool& decapsulate, TunnelPorts& ports) {
  const std::string group = command.option_defaults()->get_group();
  command.option_defaults()->group("Tunnels");
  CLI::Option* const flag =
      command.add_flag("--decapsulate", decapsulate,
                       "the innermost packet of a tunnel counts instead of the outermost, up to 8 within each other: "
                       "IP in IP, GRE and its kin, EtherIP, MPLS in IP, Ethernet in IPv6, and those over UDP below");
  for (std::size_t i = 0; i < kUdpTunnels; ++i) add_ports(command, flag, static_cast<UdpTunnel>(i), ports);
  command.option_defaults()->group(group);
}

TunnelPorts::Ports parse_ports(const std::string& option, const std::string& text, const TunnelPorts::Ports& before) {
  const auto refuse = [&](const std::string& why) {
    throw Error(
        fmt::format("{} '{}': {}; such as 4789,8472, or +5000 beside the usual ones", option, shortened(text), why),
        ExitStatus::usage);
  };
  const bool adds = text.starts_with('+');
  TunnelPorts::Ports ports = adds ? before : TunnelPorts::Ports();
  std::string_view rest = std::string_view(text).substr(adds);
  if (rest.empty()) refuse("there are no ports");
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    std::uint16_t port = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), port);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size() || port == 0) {
      refuse(fmt::format("'{}' is no port from 1 to 65535", shortened(std::string(word))));
    }
    ports.push_back(port);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return ports;
}

}  // namespace warpmeter::inline app
