#include "packet/nic/feeder/copied_frames.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline packet {

CopiedFrames::CopiedFrames() : bytes_(new std::uint8_t[kBytes]) { frames_.reserve(kMostFrames); }

std::uint8_t* CopiedFrames::add(Frame frame) {
  std::uint8_t* const at = bytes_.get() + used_;
  used_ += frame.captured;
  frame.data = at;
  frames_.push_back(frame);
  return at;
}

void CopiedFrames::clear() {
  used_ = 0;
  frames_.clear();
}

std::shared_ptr<CopiedFrames> CopiedFramesPool::take() {
  std::unique_ptr<CopiedFrames> frames;
  {
    const std::lock_guard lock(mutex_);
    if (lent_ == most_) return {};
    if (free_.empty()) free_.push_back(std::make_unique<CopiedFrames>());
    frames = std::move(free_.back());
    free_.pop_back();
    ++lent_;
  }
  frames->clear();
  // Without the mutex: where memory is lacking for it, they are given back at once.
  return {frames.release(), [pool = shared_from_this()](CopiedFrames* lent) { pool->give_back(lent); }};
}

void CopiedFramesPool::give_back(CopiedFrames* frames) {
  const std::lock_guard lock(mutex_);
  free_.emplace_back(frames);
  --lent_;
}

bool CopiedFramesPool::is_exhausted() const {
  const std::lock_guard lock(mutex_);
  return lent_ == most_;
}

RingBlock block_of(std::shared_ptr<CopiedFrames> frames) {
  const std::vector<Frame>& list = frames->frames();
  RingBlock block{.at = const_cast<Frame*>(list.data()),
                  .frames = static_cast<std::uint32_t>(list.size()),
                  .last_ns = list.back().time_ns,
                  .lease = {}};
  block.lease = std::move(frames);
  return block;
}

void give_frames(RingBlock& block, std::size_t most, FrameBlock& frames) {
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(most, block.frames));
  auto* const at = static_cast<Frame*>(block.at);
  frames.frames.insert(frames.frames.end(), at, at + count);
  block.at = at + count;
  block.frames -= count;
}

}  // namespace warpmeter::inline packet
