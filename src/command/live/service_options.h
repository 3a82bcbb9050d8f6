// What a live capture does besides capturing (live_service.h), parsed and with defaults filled in.
#pragma once

#include <chrono>
#include <optional>

#include "base/metrics/metrics_address.h"
#include "base/program/interrupt.h"

namespace warpmeter::inline command {

struct ServiceOptions {
  std::optional<MetricsAddress> metrics;
  std::chrono::nanoseconds drain_timeout = std::chrono::seconds(30);  // from the end of the capture to that of all
  std::chrono::nanoseconds statistics{0};   // so often the collector gets statistics, and at the end; 0 = never
  const ServiceSignals* signals = nullptr;  // not owned; null: none are looked at
  bool rotates = false;                     // a SIGHUP closes files
  bool status_line = false;                 // if standard error is a terminal
  bool quiet = false;
};

}  // namespace warpmeter::inline command
