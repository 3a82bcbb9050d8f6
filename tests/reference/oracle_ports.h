// The UDP ports by which tunnels are known, by the names that options have for them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace reference {

using TunnelPorts = std::map<std::string, std::vector<uint16_t>>;

// Where the user says nothing.
inline const TunnelPorts& usual_ports() {
  static const TunnelPorts ports = {{"vxlan", {4789, 8472}}, {"vxlan-gpe", {4790}}, {"geneve", {6081}},
                                    {"gtp-u", {2152}},       {"teredo", {3544}},    {"l2tp", {1701}},
                                    {"tzsp", {37008}},       {"capwap", {5247}},    {"gre-udp", {4754}},
                                    {"mpls-udp", {6635}},    {"lisp", {4341}}};
  return ports;
}

}  // namespace reference
