// The UDP ports by which tunnels are known: those that are usual, or what the user says instead.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace warpmeter {

// In the order in which they are tried where one port belongs to several.
enum class UdpTunnel : std::uint8_t {
  vxlan,
  vxlan_gpe,
  geneve,
  gtp_u,
  teredo,
  l2tp,
  tzsp,
  capwap,
  gre_udp,
  mpls_udp,
  lisp,
};
inline constexpr std::size_t kUdpTunnels = 11;
// As the options --NAME-port have them.
inline constexpr std::array<const char*, kUdpTunnels> kUdpTunnelNames = {
    "vxlan", "vxlan-gpe", "geneve", "gtp-u", "teredo", "l2tp", "tzsp", "capwap", "gre-udp", "mpls-udp", "lisp"};

class TunnelPorts {
 public:
  using Ports = std::vector<std::uint16_t>;

  const Ports& of(UdpTunnel kind) const { return ports_[static_cast<std::size_t>(kind)]; }

  void set(UdpTunnel kind, Ports ports) {
    std::ranges::sort(ports);
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    ports_[static_cast<std::size_t>(kind)] = std::move(ports);
    is_chosen_ = true;
  }

  // Whether any list was set, even to its default.
  bool is_chosen() const { return is_chosen_; }

  bool operator==(const TunnelPorts& other) const { return ports_ == other.ports_; }

 private:
  bool is_chosen_ = false;
  // Each list is in ascending order.
  std::array<Ports, kUdpTunnels> ports_ = {
      {{4789, 8472}, {4790}, {6081}, {2152}, {3544}, {1701}, {37008}, {5247}, {4754}, {6635}, {4341}}};
};

}  // namespace warpmeter
