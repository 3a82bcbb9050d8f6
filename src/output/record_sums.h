// How many Flow Records, and how much traffic they tell of: what is lost with them, in one number each.
#pragma once

#include <cstdint>

#include "warpmeter/flow_record.h"

namespace warpmeter {

struct RecordSums {
  std::uint64_t records = 0;
  std::uint64_t packets = 0;
  std::uint64_t octets = 0;  // IP lengths, as of the column `bytes`

  void add(const FlowRecord& record) {
    ++records;
    packets += record.packets;
    octets += record.bytes;
  }
  void add(const RecordSums& other) {
    records += other.records;
    packets += other.packets;
    octets += other.octets;
  }
  // What is left without `part`, which it holds.
  RecordSums without(const RecordSums& part) const {
    return {records - part.records, packets - part.packets, octets - part.octets};
  }
};

}  // namespace warpmeter
