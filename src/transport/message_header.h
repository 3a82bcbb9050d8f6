// The header of an IPFIX Message (RFC 7011, section 3.1), as far as it is filled in when the message is sent.
//
// The Sequence Number is the number of Data Records sent before this message in its Transport Session and Observation
// Domain, modulo 2^32; lost ones count.
#pragma once

#include <cstdint>
#include <ctime>
#include <map>

#include "warpmeter/byte_order.h"
#include "warpmeter/message_sink.h"

namespace warpmeter {

inline constexpr std::size_t kMessageHeader = 16;
inline constexpr std::size_t kExportTimeAt = 4, kSequenceNumberAt = 8, kObservationDomainAt = 12;

// Of one Transport Session.
class SequenceNumbers {
 public:
  // Fills in Sequence Number and, as of now, Export Time. REQUIRES: a whole header.
  void stamp(IpfixMessage& message) {
    std::uint8_t* header = message.bytes.data();
    std::uint32_t& next = next_[load_be32(header + kObservationDomainAt)];
    store_be32(header + kExportTimeAt, static_cast<std::uint32_t>(std::time(nullptr)));
    store_be32(header + kSequenceNumberAt, next);
    next += message.records;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> next_;  // by Observation Domain
};

}  // namespace warpmeter
