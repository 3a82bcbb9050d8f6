// Blocks of memory for frames that are copied: one is filled at a time, and comes back when the last lease of it is let
// go.
//
// Threads: one at a time; leases may be let go by any, and outlive it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// What lies in a block.
struct StoredFrames {
  std::vector<std::uint8_t> bytes;  // room for all
  std::size_t used = 0;
  std::vector<Frame> frames;
  std::atomic<bool> held = false;

  std::size_t room() const { return bytes.size() - used; }

  // REQUIRES: there is room.
  void add(Frame frame) {
    std::uint8_t* const to = bytes.data() + used;
    std::memcpy(to, frame.data, frame.captured);
    used += frame.captured;
    frame.data = to;
    frames.push_back(frame);
  }
};

class BlockStore {
 public:
  BlockStore(std::size_t blocks, std::size_t bytes) : blocks_(std::make_shared<std::vector<StoredFrames>>(blocks)) {
    for (StoredFrames& block : *blocks_) block.bytes.resize(bytes);
  }

  // One that nobody holds; null if there is none.
  StoredFrames* find_free() {
    const auto free =
        std::ranges::find_if(*blocks_, [](const auto& block) { return !block.held.load(std::memory_order_acquire); });
    return free == blocks_->end() ? nullptr : &*free;
  }

  // It is somebody's until this is let go. It is empty then.
  Lease lease(StoredFrames& block) {
    block.held.store(true, std::memory_order_relaxed);
    return Lease(&block, [blocks = blocks_, &block](const void*) {
      block.used = 0;
      block.frames.clear();
      block.held.store(false, std::memory_order_release);
    });
  }

 private:
  std::shared_ptr<std::vector<StoredFrames>> blocks_;
};

}  // namespace warpmeter::inline packet
