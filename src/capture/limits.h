// Limits on what an input controls.
#pragma once

#include <cstdint>

namespace warpmeter {

// More captured bytes than this in one packet is damage.
inline constexpr std::uint32_t kMaxCaptured = 2 << 20;

// Packet times are kept in [-kMaxTimeNs, kMaxTimeNs), so that differences of any two of them fit 64 bits: the years
// 1823 to 2116, which holds every time that a pcap file can tell.
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 62;

}  // namespace warpmeter
