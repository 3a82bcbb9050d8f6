// What a live capture does where Flow Records find no room in --tmpdir: they stay in memory. Those that leave while it
// runs go on; where all are written at the end, the capture ends now, and what was metered until then is written.
//
// Threads: any.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "core/thread_annotations.h"

namespace warpmeter::inline command {

class RunRoom {
 public:
  // `leave`: Flow Records leave while it runs.
  explicit RunRoom(bool leave) : leave_(leave) {}

  void is_missing(const std::string& why);

  // From now on; what is called must outlive it.
  void ends_by(std::function<void()> end);

  // Why the capture ended; empty: it did not.
  std::string why_ended() const;

 private:
  const bool leave_;
  mutable std::mutex mutex_;
  std::string why_ WARPMETER_GUARDED_BY(mutex_);
  std::function<void()> end_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline command
