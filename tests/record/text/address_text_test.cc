// Addresses as text, as inet_ntop() writes them.
#include "record/text/address_text.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace warpmeter {
namespace {

std::string text_of(const std::uint8_t (&address)[16], std::uint8_t version) {
  char text[kAddressText];
  return {text, write_address(text, address, version)};
}

std::string expected(const std::uint8_t (&address)[16], std::uint8_t version) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(version == 4 ? AF_INET : AF_INET6, address, text, sizeof text);
}

TEST(AddressText, EveryByteOfIp4) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto b = static_cast<std::uint8_t>(byte);
    const std::uint8_t address[16] = {b, static_cast<std::uint8_t>(255 - byte), 0, b};
    ASSERT_EQ(text_of(address, 4), expected(address, 4));
  }
}

// All places of zeros, with groups of one to four digits between them.
TEST(AddressText, EveryPatternOfZerosInIp6) {
  std::mt19937_64 random(1);
  for (int pattern = 0; pattern < 256; ++pattern) {
    for (int round = 0; round < 50; ++round) {
      std::uint8_t address[16] = {};
      for (int group = 0; group < 8; ++group) {
        if (pattern >> group & 1) continue;
        const auto value = static_cast<std::uint16_t>(round == 0 ? 0xffff : (random() & 0xffff) >> random() % 16);
        address[2 * group] = static_cast<std::uint8_t>(value >> 8);
        address[2 * group + 1] = static_cast<std::uint8_t>(value);
      }
      ASSERT_EQ(text_of(address, 6), expected(address, 6));
    }
  }
}

}  // namespace
}  // namespace warpmeter
