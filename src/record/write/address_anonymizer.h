// Addresses replaced so that two of them share as many leading bits as before (Crypto-PAn, Xu et al. 2002): whoever has
// the key gets the same address for the same one each time, whoever has not cannot tell which it was. IPv4 addresses as
// published; IPv6 addresses by the same rule for 128 bits, as others do.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "core/seeded_hash.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline record {

class AddressAnonymizer {
 public:
  static constexpr std::size_t kKeyBytes = 32;  // of AES, then of the padding
  using Key = std::array<std::uint8_t, kKeyBytes>;

  // Throws Error (usage): this build is without libnettle.
  explicit AddressAnonymizer(const Key& key);
  ~AddressAnonymizer();

  // Both addresses of the key.
  void anonymize(FlowKey& key);
  void anonymize(std::uint8_t version, std::uint8_t (&address)[16]);

 private:
  struct Cipher;
  void encrypt_bits(const std::uint8_t* address, std::uint8_t* to, int bits) const;

  const std::unique_ptr<const Cipher> cipher_;
  std::unordered_map<std::string, std::array<std::uint8_t, 16>, SeededHash> known_;
};

// The key in a file of 32 bytes. Throws Error (usage), naming the file, if it has another length or cannot be read; a
// file that others than its owner may read is told in a warning.
AddressAnonymizer::Key read_anonymization_key(const std::string& file);

}  // namespace warpmeter::inline record
