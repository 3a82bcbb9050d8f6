// How far a running export to a collector has come, for those who watch it.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "record/collector/export_report.h"

namespace warpmeter::inline record {

struct ExportState {
  ExportCounters counters;         // so far; unconfirmed records only at the end
  std::uint64_t queued_bytes = 0;  // of messages that wait to be sent
  bool connected = true;           // TCP
};

// What the thread that sends makes known.
class KnownState {
 public:
  void set(const ExportState& state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  ExportState get() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

 private:
  mutable std::mutex mutex_;
  ExportState state_;
};

}  // namespace warpmeter::inline record
