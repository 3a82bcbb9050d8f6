// What the user says about tunnels: --decapsulate, and the ports by which those over UDP are known.
#pragma once

#include <string>

#include "core/tunnel_ports.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// The group "Tunnels"; the group that was open stays open. Parsing sets both variables, which must outlive it.
void add_tunnels(CLI::App& command, bool& decapsulate, TunnelPorts& ports);

// "4789,8472": ports in place of those before; "+5000": these as well. Throws Error (usage).
TunnelPorts::Ports parse_ports(const std::string& option, const std::string& text, const TunnelPorts::Ports& before);

}  // namespace warpmeter::inline app
