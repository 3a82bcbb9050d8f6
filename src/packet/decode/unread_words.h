// What frames without IP and tunnels that stayed closed are called, for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/counters.h"
#include "core/unread_layers.h"

namespace warpmeter::inline packet {

// "ARP", "EtherType 0x88b5", "PPP 0xc021 (LCP)".
std::string name_of(NotIp what);

// "GRE, source-routed". `number`: unopened_number().
std::string name_of_unopened(std::uint32_t number);

// Names with how often they came, the most frequent first, and of those that came as often in the order of the
// alphabet.
struct NamedCounts {
  std::vector<std::pair<std::string, std::uint64_t>> names;
  std::uint64_t total = 0;
  std::uint64_t others = 0;  // of names that are not in the list
};

inline constexpr std::size_t kFewNames = 5;     // on a line
inline constexpr std::size_t kMostNames = 256;  // whoever wants all: an attacker can think of very many

NamedCounts not_ip_names(const DecodeCounters& counters, std::size_t most);
NamedCounts unopened_names(const DecodeCounters& counters, std::size_t most);

// "12034 (ARP 8000, LLDP 4000, others 34)"
std::string text_of(const NamedCounts& counts);

}  // namespace warpmeter::inline packet
