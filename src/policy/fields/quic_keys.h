// Keys of the Initial packets of a QUIC client, which follow from the connection id that it chose for the server: they
// keep off what garbles packets, and hide nothing.
//
// Source: RFC 9001, section 5; RFC 9369, section 3.3.
//
// Threads: any, each with its own. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace warpmeter::inline policy {

enum class QuicVersion : std::uint8_t { one, two };

class QuicKeys {
 public:
  QuicKeys(QuicVersion version, std::span<const std::uint8_t> destination_id);
  ~QuicKeys();
  QuicKeys(const QuicKeys&) = delete;
  QuicKeys& operator=(const QuicKeys&) = delete;

  // The frames of the packet; nullopt: it was not protected by these keys, or has changed. `header`: bytes before its
  // packet number. REQUIRES: the packet has as many.
  std::optional<std::vector<std::uint8_t>> open(std::span<const std::uint8_t> packet, std::size_t header);

 private:
  struct Ciphers;
  std::unique_ptr<Ciphers> ciphers_;
};

}  // namespace warpmeter::inline policy
