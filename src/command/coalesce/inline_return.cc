#include "command/coalesce/inline_return.h"

#include <poll.h>

namespace warpmeter::inline command {
namespace {

constexpr int kLongestPauseMs = 100;  // in which it sees that it is to end
constexpr int kFramesOfTap = 256;     // before it looks at anything else
constexpr std::size_t kFramesOfBlock = 256;

}  // namespace

void InlineReturn::run(const std::atomic<bool>& ends) {
  while (!ends.load(std::memory_order_relaxed)) {
    wait();
    if (tap_) take_from_tap();
    else take_from_ring();
    rounds_.store(rounds_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

void InlineReturn::wait() const {
  pollfd wanted{.fd = tap_ ? tap_->fd() : ring_->fd(), .events = POLLIN, .revents = 0};
  if (poll(&wanted, 1, kLongestPauseMs) > 0 && wanted.revents & POLLERR && ring_) ring_->take_error();
}

void InlineReturn::take_from_tap() {
  for (int i = 0; i < kFramesOfTap; ++i) {
    VnetHeader header;
    const std::size_t bytes = tap_->read(header, frame_);
    if (bytes == 0) return;
    out_.write(header, frame_.data(), bytes);
  }
}

void InlineReturn::take_from_ring() {
  std::optional<RingBlock> block = ring_->next();
  ring_->looked(block);
  if (!block) return;
  while (block->frames > 0) {
    frames_.clear();
    ring_->whole_frames_of(*block, kFramesOfBlock, frames_);
    for (const WholeFrame& whole : frames_) {
      if (whole.frame.captured == whole.frame.original)
        out_.write(whole.header, whole.frame.data, whole.frame.captured);
      else too_long_.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

}  // namespace warpmeter::inline command
