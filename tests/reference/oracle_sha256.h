// SHA-256 (FIPS 180-4), so that the oracle needs no library for it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace reference {

// In hexadecimal digits.
std::string sha256(std::span<const uint8_t> bytes);

}  // namespace reference
