// Addresses as inet_ntop prints them.
#pragma once

#include <cstdint>

namespace warpmeter::inline record {

inline constexpr int kAddressText = 46;  // bytes that the longest takes

// Writes without a terminating zero; returns the end.
char* write_address(char* to, const std::uint8_t (&address)[16], std::uint8_t version);

}  // namespace warpmeter::inline record
