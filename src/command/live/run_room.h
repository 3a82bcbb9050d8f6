// What a live capture does where Flow Records find no room in --tmpdir: they stay in memory. Those that leave while it
// runs go on; where all are written at the end, the capture ends now, and what was metered until then is written.
//
// Threads: any.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "base/program/messages.h"
#include "core/thread_annotations.h"

namespace warpmeter::inline command {

class RunRoom {
 public:
  // `leave`: Flow Records leave while it runs.
  explicit RunRoom(bool leave) : leave_(leave) {}

  void is_missing(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (why_.empty()) {
      warn(why + (leave_ ? ": Flow Records stay in memory"
                         : ": the capture ends, and what was metered until now is in the output"));
      why_ = why;
    }
    if (!leave_ && end_) end_();
  }

  // From now on; what is called must outlive it.
  void ends_by(std::function<void()> end) {
    const std::lock_guard lock(mutex_);
    end_ = std::move(end);
    if (!leave_ && !why_.empty()) end_();
  }

  // Why the capture ended; empty: it did not.
  std::string why_ended() const {
    const std::lock_guard lock(mutex_);
    return leave_ ? "" : why_;
  }

 private:
  const bool leave_;
  mutable std::mutex mutex_;
  std::string why_ WARPMETER_GUARDED_BY(mutex_);
  std::function<void()> end_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline command
