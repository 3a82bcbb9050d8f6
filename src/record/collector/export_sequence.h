// The part of a message's header that is filled in when it is sent (RFC 7011, section 3.1).
//
// The Sequence Number is the number of Data Records sent before this message in its Transport Session and Observation
// Domain, modulo 2^32; lost ones count.
#pragma once

#include <cstdint>
#include <ctime>
#include <map>

#include "core/ipfix_header.h"

namespace warpmeter::inline record {

// Of one Transport Session.
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

}  // namespace warpmeter::inline record
