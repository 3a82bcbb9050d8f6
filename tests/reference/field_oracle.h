// Values that a policy takes from the first bytes of a direction, or from a datagram: tls.sni, http.host, dns.name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace reference {

inline constexpr size_t longest_head = 16384;  // bytes of a direction that are looked at

// As it is shown; nothing where there is none. Throws std::invalid_argument for a kind that is none of the three.
std::optional<std::string> field_of(const std::string& kind, std::span<const uint8_t> head);

}  // namespace reference
