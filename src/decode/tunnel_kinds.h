// Which tunnels a UDP port may mean.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>

#include "core/tunnel_ports.h"

namespace warpmeter {

class TunnelKinds {
 public:
  explicit TunnelKinds(const TunnelPorts& ports) {
    for (std::size_t i = 0; i < kUdpTunnels; ++i) {
      const auto kind = static_cast<UdpTunnel>(i);
      for (const std::uint16_t port : ports.of(kind)) {
        any_.set(port);
        kinds_[port] |= bit(kind);
      }
    }
  }

  static constexpr unsigned bit(UdpTunnel kind) { return 1U << static_cast<unsigned>(kind); }

  // A bit each. Most packets have ports that mean none, which takes one look into 8 KiB.
  unsigned of(std::uint16_t port) const { return any_[port] ? kinds_.find(port)->second : 0; }

 private:
  std::bitset<65536> any_;
  std::map<std::uint16_t, unsigned> kinds_;
};

}  // namespace warpmeter
