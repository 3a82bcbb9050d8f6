// One flow, from its first packet to the Flow Record that is printed of it.
#pragma once

#include <cstdint>
#include <optional>

#include "incarnation.h"
#include "reference_key.h"

namespace reference {

enum class EndReason : int { idle = 1, active = 2, end_of_flow = 3, forced = 4 };

struct Counters {
  int64_t packets = 0;
  int64_t bytes = 0;
  int64_t payload_bytes = 0;
  int64_t data_segments = 0;
  int64_t retransmitted_segments = 0;
  int64_t retransmitted_bytes = 0;
  int64_t duplicate_packets = 0;
  int64_t duplicate_bytes = 0;
  int64_t out_of_order_segments = 0;
  int64_t keep_alive_segments = 0;
  int64_t missing_bytes = 0;
  int64_t syn_count = 0;
  int64_t fin_count = 0;
  int64_t rst_count = 0;
  int64_t zero_window_count = 0;
  int64_t stray_segments = 0;
  uint8_t tcp_flags = 0;
};

struct Flow {
  FlowKey key;
  int64_t start = 0;
  int64_t end = 0;
  int64_t arrival = 0;  // number of its first packet
  int64_t serial = 0;   // of all flows, the how-many-th that began
  Counters counters;
  std::optional<ConnectionValues> connection;
  EndReason end_reason = EndReason::forced;
};

}  // namespace reference
