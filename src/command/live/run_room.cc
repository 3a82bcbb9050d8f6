#include "command/live/run_room.h"

#include <utility>

#include "base/program/messages.h"

namespace warpmeter::inline command {

void RunRoom::is_missing(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (why_.empty()) {
    warn(why + (leave_ ? ": Flow Records stay in memory"
                       : ": the capture ends, and what was metered until now is in the output"));
    why_ = why;
  }
  if (!leave_ && end_) end_();
}

void RunRoom::ends_by(std::function<void()> end) {
  const std::lock_guard lock(mutex_);
  end_ = std::move(end);
  if (!leave_ && !why_.empty()) end_();
}

std::string RunRoom::why_ended() const {
  const std::lock_guard lock(mutex_);
  return leave_ ? "" : why_;
}

}  // namespace warpmeter::inline command
