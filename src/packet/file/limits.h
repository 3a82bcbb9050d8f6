// Limits on what an input controls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpmeter::inline packet {

// More captured bytes than this in one packet is damage.
inline constexpr std::uint32_t kMaxCaptured = 2 << 20;

// A longer pcapng block is damage: more than any program writes, and one that claims gigabytes is not waited for.
inline constexpr std::uint32_t kMaxBlock = 64 << 20;

// More interfaces in one pcapng section are damage: each takes memory.
inline constexpr std::size_t kMaxInterfaces = 65'536;

// More interfaces in all files of a run are damage where each gets a number of 16 bits, for a capture that is written.
// The numbers behind these are for link types of captures that tell of no interfaces.
inline constexpr std::size_t kMostNumberedInterfaces = 65'435;

// A block of frames spans at most about so many bytes of its file, packets or not. Frames keep the buffers alive that
// they lie in, and whoever reads wants to be asked now and then whether to go on.
inline constexpr std::uint64_t kMostBlockBytes = 16 << 20;

// Of a name or a description in a file so many bytes are kept.
inline constexpr std::size_t kMostText = 512;

// Packet times are kept in [-kMaxTimeNs, kMaxTimeNs), so that differences of any two of them fit 64 bits: the years
// 1823 to 2116, which holds every time that a pcap file can tell.
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 62;

}  // namespace warpmeter::inline packet
