// Addresses are replaced as Crypto-PAn does it.
#include "record/write/address_anonymizer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <utility>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using Address = std::uint8_t[16];

// That of the sample trace that comes with the authors' implementation.
constexpr AddressAnonymizer::Key kPublishedKey = {21,  34, 23,  141, 51, 164, 207, 128, 19,  10,  91,
                                                  22,  73, 144, 125, 16, 216, 152, 143, 131, 121, 121,
                                                  101, 39, 98,  87,  76, 45,  42,  132, 34,  2};

std::string anonymized(AddressAnonymizer& anonymizer, const std::string& text) {
  const std::uint8_t version = text.find(':') == std::string::npos ? 4 : 6;
  Address address = {};
  EXPECT_EQ(inet_pton(version == 4 ? AF_INET : AF_INET6, text.c_str(), address), 1);
  anonymizer.anonymize(version, address);
  char name[INET6_ADDRSTRLEN];
  return inet_ntop(version == 4 ? AF_INET : AF_INET6, address, name, sizeof name);
}

TEST(AddressAnonymizer, GivesThePublishedAddresses) {
  constexpr std::pair<const char*, const char*> kPublished[] = {
      {"128.11.68.132", "135.242.180.132"},   {"129.118.74.4", "134.136.186.123"},
      {"130.132.252.244", "133.68.164.234"},  {"141.223.7.43", "141.167.8.160"},
      {"141.233.145.108", "141.129.237.235"}, {"152.163.225.39", "151.140.114.167"},
      {"156.29.3.236", "147.225.12.42"},      {"165.247.96.84", "162.9.99.234"},
      {"166.107.77.190", "160.132.178.185"},  {"192.102.249.13", "252.138.62.131"},
      {"192.215.32.125", "252.43.47.189"},    {"192.233.80.103", "252.25.108.8"},
      {"192.41.57.43", "252.222.221.184"},    {"193.150.244.223", "253.169.52.216"},
      {"195.205.63.100", "255.186.223.5"}};
  AddressAnonymizer anonymizer(kPublishedKey);
  for (int round = 0; round < 2; ++round) {  // the second time they are known
    for (const auto& [before, after] : kPublished) EXPECT_EQ(anonymized(anonymizer, before), after);
  }
}

// As the Python package yacryptopan has them.
TEST(AddressAnonymizer, GivesTheAddressesOfIpv6ThatOthersGive) {
  AddressAnonymizer anonymizer(kPublishedKey);
  EXPECT_EQ(anonymized(anonymizer, "::1"), "78ff:f001:9fc0:20df:8380:b1f1:704:ed");
  EXPECT_EQ(anonymized(anonymizer, "2001:db8::1"), "4401:2bc:603f:d91d:27f:ff8e:e6f1:dc1e");
  EXPECT_EQ(anonymized(anonymizer, "2001:db8::2"), "4401:2bc:603f:d91d:27f:ff8e:e6f1:dc1c");
}

int shared_bits(const Address& a, const Address& b, int most) {
  int bits = 0;
  while (bits < most && (((a[bits / 8] ^ b[bits / 8]) >> (7 - bits % 8)) & 1) == 0) ++bits;
  return bits;
}

TEST(AddressAnonymizer, TwoShareAsManyBitsAsBefore) {
  std::mt19937 chance(5);
  AddressAnonymizer::Key key;
  for (int i = 0; i < 3000; ++i) {
    if (i % 100 == 0) std::ranges::generate(key, [&] { return static_cast<std::uint8_t>(chance()); });
    AddressAnonymizer anonymizer(key);
    const std::uint8_t version = i % 2 ? 4 : 6;
    const int bits = version == 4 ? 32 : 128;
    Address a = {}, b = {};
    std::generate(a, a + bits / 8, [&] { return static_cast<std::uint8_t>(chance()); });
    std::memcpy(b, a, sizeof b);
    const int from = static_cast<int>(chance() % static_cast<unsigned>(bits));
    b[from / 8] = static_cast<std::uint8_t>(b[from / 8] ^ 0x80 >> from % 8);
    for (int byte = from / 8 + 1; byte < bits / 8; ++byte) b[byte] = static_cast<std::uint8_t>(chance());
    ASSERT_EQ(shared_bits(a, b, bits), from);
    anonymizer.anonymize(version, a);
    anonymizer.anonymize(version, b);
    ASSERT_EQ(shared_bits(a, b, bits), from) << i;
  }
}

TEST(AnonymizationKey, HasThirtyTwoBytes) {
  const test::ScratchFolder scratch;
  const auto write = [&](std::size_t bytes) {
    std::string name = scratch.file(std::to_string(bytes));
    std::ofstream(name, std::ios::binary) << std::string(bytes, 'k');
    return name;
  };
  EXPECT_EQ(read_anonymization_key(write(32))[31], 'k');
  for (const std::size_t bytes : {0u, 31u, 33u, 64u}) {
    const std::string name = write(bytes);
    const std::string text = test::thrown_text([&] { read_anonymization_key(name); });
    EXPECT_NE(text.find(name + ": a key has 32 bytes, this file has "), std::string::npos) << text;
  }
  EXPECT_NE(test::thrown_text([&] { read_anonymization_key(scratch.file("none")); }).find("cannot be read"),
            std::string::npos);
}

}  // namespace
}  // namespace warpmeter
