// A ring of blocks that a test puts in: all that a Ring must do, and no more. And the Observation Point of some of
// them.
//
// Threads: put() by any, beside the others; the rest as Ring says.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/thread_annotations.h"
#include "packet/nic/ring/observation_points.h"
#include "packet/nic/ring/ring.h"
#include "support/byte_writer.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {

struct FakePacket {
  Bytes frame;  // Ethernet
  std::int64_t time_ns = 0;
  std::uint32_t original = 0;  // length on the wire, if that is longer
};

class FakeRing : public Ring {
 public:
  explicit FakeRing(unsigned number = 0, std::string point = "fake0") : number_(number), point_(std::move(point)) {}

  // One more block, for next() to give. Not once it is shut: false.
  bool put(std::vector<FakePacket> packets) {
    const std::lock_guard lock(mutex_);
    if (shut_) return false;
    blocks_.push_back(std::make_shared<Block>(Block{std::move(packets)}));
    return true;
  }
  // Blocks whose lease somebody holds.
  std::size_t held() const { return static_cast<std::size_t>(*leases_); }

  std::size_t size() const override { return 1 << 20; }
  int fd() const override { return -1; }
  std::optional<RingBlock> next() override {
    const std::lock_guard lock(mutex_);
    if (blocks_.empty()) return {};
    const std::shared_ptr<Block> block = std::move(blocks_.front());
    blocks_.pop_front();
    received_ += block->packets.size();
    ++*leases_;
    return RingBlock{.at = block->packets.data(),
                     .frames = static_cast<std::uint32_t>(block->packets.size()),
                     .last_ns = block->packets.back().time_ns,
                     .lease = Lease(block.get(), [block, leases = leases_](const void*) { --*leases; })};
  }
  void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const override {
    auto* at = static_cast<FakePacket*>(block.at);
    for (; most > 0 && block.frames > 0; --most, --block.frames, ++at) {
      const auto size = static_cast<std::uint32_t>(at->frame.size());
      frames.frames.push_back({at->frame.data(), at->time_ns, size, std::max(size, at->original), kLinkEthernet});
    }
    block.at = at;
  }
  bool waits_for_lease() const override { return false; }
  std::chrono::milliseconds delay() const override { return std::chrono::milliseconds(0); }
  void shut() override {
    const std::lock_guard lock(mutex_);
    shut_ = true;
  }
  void update_counts() override {}
  RingCounts counts() const override { return {.point = point_, .ring = number_, .received = received_}; }

 private:
  struct Block {
    std::vector<FakePacket> packets;  // one at least
  };

  const unsigned number_;
  const std::string point_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Block>> blocks_ WARPMETER_GUARDED_BY(mutex_);
  bool shut_ WARPMETER_GUARDED_BY(mutex_) = false;
  std::atomic<std::uint64_t> received_ = 0;
  const std::shared_ptr<std::atomic<int>> leases_ = std::make_shared<std::atomic<int>>(0);
};

class FakePoint : public ObservationPoint {
 public:
  explicit FakePoint(unsigned rings, std::string name = "fake0") : name_(std::move(name)) {
    for (unsigned i = 0; i < rings; ++i) rings_.push_back(std::make_unique<FakeRing>(i, name_));
  }
  FakePoint(std::vector<std::unique_ptr<FakeRing>> rings, std::string name)
      : name_(std::move(name)), rings_(std::move(rings)) {}
  FakeRing& fake(std::size_t number) { return *rings_[number]; }
  void go() { gone_ = true; }

  std::string name() const override { return name_; }
  std::string way() const override { return "made up"; }
  std::size_t rings() const override { return rings_.size(); }
  Ring& ring(std::size_t number) override { return *rings_[number]; }
  void look(const Warn&) override {}
  bool is_gone() const override { return gone_; }
  PointCounts counts() const override { return {name_, 0}; }

 private:
  const std::string name_;
  std::vector<std::unique_ptr<FakeRing>> rings_;
  std::atomic<bool> gone_ = false;
};

}  // namespace warpmeter::test
