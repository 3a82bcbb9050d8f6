// Flow Records by chance: IPv4 and IPv6, TCP and others, small and extreme numbers, known and unknown columns.
#pragma once

#include <cstdint>
#include <random>

#include "core/biflow_key.h"
#include "core/record_reader.h"
#include "support/keys.h"
#include "warpmeter/columns.h"

namespace warpmeter::test {

struct RandomFlowOptions {
  bool vlan = false;
  bool biflow = false;
  std::uint32_t absent = 0;  // columns that no record has
};

class RandomFlows {
 public:
  explicit RandomFlows(std::uint64_t seed, const RandomFlowOptions& options = {}) : chance_(seed), options_(options) {}

  std::uint64_t below(std::uint64_t limit) { return chance_() % limit; }

  Biflow next() {
    Biflow flow;
    flow.forward = record(key());
    flow.has_reverse = options_.biflow && below(3) != 0;
    if (flow.has_reverse) flow.reverse = record(key_of_answers(flow.forward.key));
    return flow;
  }

 private:
  FlowKey key() {
    FlowKey key;
    key.version = below(3) ? 4 : 6;
    const std::size_t bytes = key.version == 4 ? 4 : 16;
    for (std::size_t i = 0; i < bytes; ++i) {
      // Zeros, so that IPv6 has something to leave out; and few networks, so that flows have something in common.
      key.source[i] = static_cast<std::uint8_t>(below(2) ? 0 : below(256));
      key.destination[i] = static_cast<std::uint8_t>(i < 3 ? 10 : below(4));
    }
    set_number(key.source_port, static_cast<std::uint16_t>(below(65536)));
    set_number(key.destination_port, static_cast<std::uint16_t>(below(2) ? 443 : below(100)));
    constexpr std::uint8_t kProtocols[] = {kProtocolTcp, kProtocolTcp, kProtocolUdp, kProtocolIcmp, 255};
    key.protocol = kProtocols[below(std::size(kProtocols))];
    if (options_.vlan) set_number(key.vlan, static_cast<std::uint16_t>(below(4096)));
    return key;
  }

  FlowRecord record(const FlowKey& of) {
    FlowRecord r;
    r.key = of;
    r.absent = options_.absent | (below(2) ? 0 : static_cast<std::uint32_t>(chance_() & chance_()));
    r.absent &= (1u << kColumns.size()) - 1;
    const bool connection = below(2);
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const Column& column = kColumns[i];
      const bool of_connection = column.name.starts_with("connection_");
      if (of_connection && !connection) r.absent &= ~(1u << i);  // not applicable says more than not known
      if (of_connection && (!connection || of.protocol != kProtocolTcp || r.absent >> i & 1)) continue;
      if (column.unit == Unit::flags) column.set(r, static_cast<std::int64_t>(below(256)));
      else if (column.unit == Unit::end_reason) column.set(r, static_cast<std::int64_t>(1 + below(5)));
      else column.set(r, number());
    }
    r.start_ns = below(20) ? static_cast<std::int64_t>(1'700'000'000'000'000'000 + below(1'000'000'000'000))
                           : -static_cast<std::int64_t>(below(1'000'000));
    r.end_ns = r.start_ns + static_cast<std::int64_t>(below(10'000'000'000));
    return r;
  }

  std::int64_t number() {
    switch (below(4)) {
      case 0: return 0;
      case 1: return static_cast<std::int64_t>(below(10));
      case 2: return static_cast<std::int64_t>(below(100'000));
      default: return below(10) ? static_cast<std::int64_t>(below(1u << 31)) : INT64_MAX;
    }
  }

  std::mt19937_64 chance_;
  const RandomFlowOptions options_;
};

}  // namespace warpmeter::test
