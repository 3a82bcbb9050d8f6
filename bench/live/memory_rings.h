// Rings for benches: the records of a pcap file in memory, shared between some rings and given in blocks, as fast as
// anybody takes them. Each frame has a header before it that is walked, as in rings that a kernel fills.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "packet/nic/ring/observation_points.h"
#include "packet/nic/ring/ring.h"
#include "warpmeter/link_type.h"

namespace warpmeter::bench {

struct RecordHeader {
  std::uint32_t seconds, fraction, captured, original;
};

// pcap records of a little-endian file with nanoseconds, in any order that somebody has put them in.
class MemoryRing : public Ring {
 public:
  static constexpr std::size_t kBlock = 1 << 20;  // bytes

  explicit MemoryRing(unsigned number) : number_(number) {}

  void add(const RecordHeader& header, const std::uint8_t* data) {
    const auto* h = reinterpret_cast<const std::uint8_t*>(&header);
    if (starts_.empty() || bytes_.size() - starts_.back().at >= kBlock) starts_.push_back({bytes_.size(), 0});
    ++starts_.back().frames;
    bytes_.insert(bytes_.end(), h, h + sizeof header);
    bytes_.insert(bytes_.end(), data, data + header.captured);
  }
  void rewind() {
    next_ = 0;
    empty_ = starts_.empty();
  }
  bool is_empty() const { return empty_; }

  std::size_t size() const override { return bytes_.size(); }
  int fd() const override { return -1; }
  std::optional<RingBlock> next() override {
    if (next_ == starts_.size()) return {};
    const Start start = starts_[next_++];
    empty_ = next_ == starts_.size();
    return RingBlock{.at = bytes_.data() + start.at, .frames = start.frames, .last_ns = 0, .lease = lease_};
  }
  void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const override {
    auto* at = static_cast<std::uint8_t*>(block.at);
    for (; most > 0 && block.frames > 0; --most, --block.frames) {
      RecordHeader header;
      std::memcpy(&header, at, sizeof header);
      at += sizeof header;
      frames.frames.push_back({at, std::int64_t{header.seconds} * 1'000'000'000 + header.fraction, header.captured,
                               header.original, kLinkEthernet});
      at += header.captured;
    }
    block.at = at;
  }
  bool waits_for_lease() const override { return false; }
  std::chrono::milliseconds delay() const override { return std::chrono::milliseconds(0); }
  void shut() override {}
  void update_counts() override {}
  RingCounts counts() const override { return {.point = "memory", .ring = number_}; }

 private:
  struct Start {
    std::size_t at;
    std::uint32_t frames;
  };

  const unsigned number_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Start> starts_;  // of blocks
  std::size_t next_ = 0;
  std::atomic<bool> empty_ = true;
  const Lease lease_ = std::make_shared<int>(0);
};

// Is gone when all its rings are empty, which ends a capture.
class MemoryPoint : public ObservationPoint {
 public:
  explicit MemoryPoint(std::vector<MemoryRing*> rings) : rings_(std::move(rings)) {
    for (MemoryRing* const ring : rings_) ring->rewind();
  }

  std::string name() const override { return "memory"; }
  std::string way() const override { return "memory"; }
  std::size_t rings() const override { return rings_.size(); }
  Ring& ring(std::size_t number) override { return *rings_[number]; }
  void look(const Warn&) override {}
  bool is_gone() const override {
    return std::ranges::all_of(rings_, [](const MemoryRing* ring) { return ring->is_empty(); });
  }
  PointCounts counts() const override { return {"memory", 0}; }

 private:
  const std::vector<MemoryRing*> rings_;
};

}  // namespace warpmeter::bench
