#include "record/write/address_anonymizer.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/program/messages.h"
#include "warpmeter/status.h"

#ifdef WARPMETER_HAVE_NETTLE
#include <nettle/aes.h>
#endif

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kBlock = 16;
constexpr std::size_t kMostKnown = 1 << 16;  // addresses

}  // namespace

#ifdef WARPMETER_HAVE_NETTLE

struct AddressAnonymizer::Cipher {
  aes128_ctx aes{};
  std::uint8_t pad[kBlock] = {};
};

AddressAnonymizer::AddressAnonymizer(const Key& key)
    : cipher_([&key] {
        auto cipher = std::make_unique<Cipher>();
        aes128_set_encrypt_key(&cipher->aes, key.data());
        aes128_encrypt(&cipher->aes, kBlock, cipher->pad, key.data() + kBlock);
        return cipher;
      }()) {}

// Bit i of the mask is the first bit of what becomes of the first i bits of the address with the padding behind them.
// All blocks at once, since a cipher takes several together in the time of one.
void AddressAnonymizer::encrypt_bits(const std::uint8_t* address, std::uint8_t* to, int bits) const {
  std::uint8_t blocks[128 * kBlock] = {};
  for (int i = 0; i < bits; ++i) {
    std::uint8_t* const block = blocks + static_cast<std::size_t>(i) * kBlock;
    const int whole = i / 8;
    std::memcpy(block, cipher_->pad, kBlock);
    std::memcpy(block, address, static_cast<std::size_t>(whole));
    const auto kept = static_cast<std::uint8_t>(0xff00u >> i % 8);
    block[whole] = static_cast<std::uint8_t>((address[whole] & kept) | (cipher_->pad[whole] & ~kept));
  }
  aes128_encrypt(&cipher_->aes, static_cast<std::size_t>(bits) * kBlock, blocks, blocks);
  for (int i = 0; i < bits; ++i) {
    const int bit = blocks[static_cast<std::size_t>(i) * kBlock] >> 7;
    to[i / 8] = static_cast<std::uint8_t>(to[i / 8] ^ bit << (7 - i % 8));
  }
}

#else

struct AddressAnonymizer::Cipher {};

AddressAnonymizer::AddressAnonymizer(const Key&) {
  throw Error("--anonymize: this build is without libnettle", ExitStatus::usage);
}

void AddressAnonymizer::encrypt_bits(const std::uint8_t*, std::uint8_t*, int) const {}

#endif

AddressAnonymizer::~AddressAnonymizer() = default;

void AddressAnonymizer::anonymize(std::uint8_t version, std::uint8_t (&address)[16]) {
  const std::size_t bytes = version == 4 ? 4 : sizeof address;
  std::string key(reinterpret_cast<const char*>(address), bytes);
  if (const auto known = known_.find(key); known != known_.end()) {
    std::memcpy(address, known->second.data(), bytes);
    return;
  }
  std::array<std::uint8_t, 16> other{};
  std::memcpy(other.data(), address, bytes);
  encrypt_bits(address, other.data(), static_cast<int>(bytes) * 8);
  std::memcpy(address, other.data(), bytes);
  if (known_.size() == kMostKnown) known_.clear();
  known_.emplace(std::move(key), other);
}

void AddressAnonymizer::anonymize(FlowKey& key) {
  anonymize(key.version, key.source);
  anonymize(key.version, key.destination);
}

AddressAnonymizer::Key read_anonymization_key(const std::string& file) {
  const std::string name = "--anonymize " + file + ": ";
  std::ifstream in(file, std::ios::binary);
  AddressAnonymizer::Key key{};
  char text[AddressAnonymizer::kKeyBytes + 1];
  if (!in || !in.read(text, sizeof text).eof()) {
    if (!in) throw Error(name + "cannot be read: " + std::strerror(errno), ExitStatus::usage);
  }
  const auto bytes = static_cast<std::size_t>(in.gcount());
  if (bytes != key.size()) {
    throw Error(name + "a key has 32 bytes, this file has " + (bytes > key.size() ? "more" : std::to_string(bytes)) +
                    "; head -c 32 /dev/urandom > FILE makes one",
                ExitStatus::usage);
  }
  std::copy_n(text, key.size(), key.begin());
  struct stat status {};
  const bool is_file = stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  if (is_file && (status.st_mode & (S_IRGRP | S_IROTH))) {
    warn(name + "others than its owner may read this key, and with it find out the addresses (chmod 600)");
  }
  return key;
}

}  // namespace warpmeter::inline record
