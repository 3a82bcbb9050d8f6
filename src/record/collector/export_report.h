// What became of the Flow Records for a collector: at the end, for the summary, which calls them exported, and while
// they are sent, for those who watch it. Others, as of statistics and of a sample's rate, do not count here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/thread_annotations.h"

namespace warpmeter::inline record {

struct ExportCounters {
  std::uint64_t records = 0;              // Flow Records to be sent
  std::uint64_t lost_records = 0;         // of these, never sent or, over TCP, not acknowledged or not confirmed
  std::uint64_t unconfirmed_records = 0;  // of the lost: the collector's host has them; perhaps it read them, too
  std::uint64_t repeated_records = 0;     // of these, sent again on a new connection: the collector may have them twice
  std::uint64_t messages = 0;             // given to the network, Templates and repeated ones included
  std::uint64_t bytes = 0;                // of these messages
  std::uint64_t template_messages = 0;    // of these messages
  std::uint64_t refused_messages = 0;     // UDP: at least so many were, as far as the network told
  std::uint64_t reconnects = 0;           // TCP
};

struct ExportReport {
  ExportCounters counters;
  std::string problem;  // one line for the user if something did not arrive; the exit status is then 1. Else empty
};

// How far a running export has come.
struct ExportState {
  ExportCounters counters;         // so far; unconfirmed records only at the end
  std::uint64_t queued_bytes = 0;  // of messages that wait to be sent
  bool connected = true;           // TCP
};

// What the thread that sends makes known. Threads: any.
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
  ExportState state_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline record
