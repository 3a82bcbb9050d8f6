// Frames copied out of memory that another process, or a driver, writes to: what was checked must not change any more.
// Buffers are used again, and there are only so many.
//
// Threads: a pool is one thread's, but leases may be let go from any, and outlive it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/thread_annotations.h"
#include "packet/nic/ring/ring.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// Some consecutive frames and their bytes.
class CopiedFrames {
 public:
  static constexpr std::size_t kBytes = 512 << 10, kMostFrames = 4096;

  CopiedFrames();

  bool is_empty() const { return frames_.empty(); }
  std::size_t size() const { return frames_.size(); }
  const std::vector<Frame>& frames() const { return frames_; }
  bool has_room(std::size_t captured) const { return frames_.size() < kMostFrames && kBytes - used_ >= captured; }

  // Room for `frame.captured` bytes, which belong there. REQUIRES: has_room().
  std::uint8_t* add(Frame frame);
  void clear();

 private:
  const std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t used_ = 0;
  std::vector<Frame> frames_;
};

class CopiedFramesPool : public std::enable_shared_from_this<CopiedFramesPool> {
 public:
  // At most so many are lent.
  explicit CopiedFramesPool(std::size_t most) : most_(most) {}

  // An empty one; none if all are lent.
  std::shared_ptr<CopiedFrames> take();
  bool is_exhausted() const;
  std::size_t size() const { return most_ * CopiedFrames::kBytes; }  // bytes, when all are lent

 private:
  void give_back(CopiedFrames* frames);

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::size_t lent_ WARPMETER_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<CopiedFrames>> free_ WARPMETER_GUARDED_BY(mutex_);
};

// As a block of a ring, and what Ring::frames_of() does with it. REQUIRES: there are frames.
RingBlock block_of(std::shared_ptr<CopiedFrames> frames);
void give_frames(RingBlock& block, std::size_t most, FrameBlock& frames);

}  // namespace warpmeter::inline packet
