// The header of an IPFIX Message and of a Set (RFC 7011, sections 3.1 and 3.3.2).
//
//   0 version (10)   2 length   4 Export Time   8 Sequence Number   12 Observation Domain ID
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>

#include "core/byte_order.h"
#include "core/message_format.h"

namespace warpmeter {

inline constexpr std::uint16_t kIpfixVersion = 10;
inline constexpr std::size_t kMessageHeader = 16;
inline constexpr std::size_t kSetHeader = 4;
inline constexpr std::size_t kLargestMessage = 65535;

// REQUIRES, of all of these: the message has a header.
inline void set_export_time(IpfixMessage& message, std::uint32_t seconds) { store_be32(&message.bytes[4], seconds); }
inline void set_sequence_number(IpfixMessage& message, std::uint32_t n) { store_be32(&message.bytes[8], n); }
inline std::uint32_t observation_domain(const IpfixMessage& message) { return load_be32(&message.bytes[12]); }

// The Sequence Number is the number of Data Records sent before this message in its Transport Session and Observation
// Domain, modulo 2^32; lost ones count. This one is of one Transport Session.
class SequenceNumbers {
 public:
  // Fills in Sequence Number and, as of now, Export Time. REQUIRES: a whole header.
  void stamp(IpfixMessage& message) {
    std::uint32_t& next = next_[observation_domain(message)];
    set_export_time(message, static_cast<std::uint32_t>(std::time(nullptr)));
    set_sequence_number(message, next);
    next += message.records;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> next_;  // by Observation Domain
};

}  // namespace warpmeter
