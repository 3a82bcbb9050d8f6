// How IPFIX is written.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace warpmeter::inline record {

// Which Information Elements Flow Records have besides those of the Flow Key and times.
enum class IpfixProfile : std::uint8_t {
  everything,  // the default: a column without an element of IANA has one of our own
  plain,  // IANA's alone (of a Biflow's other direction, RFC 5103's), for collectors that refuse what they do not know
  ntop,   // plain, and ntop's elements for retransmissions and segments out of order
};

struct IpfixOptions {
  IpfixProfile profile = IpfixProfile::everything;
  std::uint32_t observation_domain = 1;  // collectors tell exporters' streams apart by it; 0 means none (RFC 7011, 3.1)
  bool statistics = false;               // Options Templates for write_statistics() are among the Templates
  // Where it is counted how many Data Records had no room for all their labels and fields; null: nowhere.
  std::shared_ptr<std::atomic<std::uint64_t>> cut_records = nullptr;
};

}  // namespace warpmeter::inline record
