// A card that HP-CAP's driver reads, as an Observation Point: hpcap:ADAPTER, a ring for each of its queues.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/thread_annotations.h"
#include "packet/nic/feeder/copied_frames.h"
#include "packet/nic/feeder/hpcap_driver.h"
#include "packet/nic/ring/observation_points.h"
#include "packet/nic/ring/ring.h"

namespace warpmeter::inline packet {

// Why the driver gives nothing any more: said by a ring, asked for by its point. Threads: any.
class HpcapEnd {
 public:
  void say(const std::string& why);
  bool was_said() const { return said_.load(std::memory_order_acquire); }
  std::string why() const;

 private:
  mutable std::mutex mutex_;
  std::string why_ WARPMETER_GUARDED_BY(mutex_);
  std::atomic<bool> said_ = false;
};

// A queue of the card as a live ring. Records are those of the driver's files: packet/file/hpcap_reader.h. Where one
// goes on at the beginning of the buffer it must be put together, so all are copied.
//
// Threads: see Ring.
class HpcapRing : public Ring {
 public:
  static constexpr std::uint64_t kFileBytes = std::uint64_t{2} << 30;

  // From where the driver is now. `point`: its name. Throws Error, without the name.
  HpcapRing(std::unique_ptr<HpcapDevice> device, std::string point, unsigned number, std::shared_ptr<HpcapEnd> end);

  const HpcapDevice& device() const { return *device_; }

  std::size_t size() const override { return buffer_.bytes; }
  int fd() const override { return -1; }
  std::optional<RingBlock> next() override;
  void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const override {
    give_frames(block, most, frames);
  }
  bool waits_for_lease() const override { return pool_->is_exhausted(); }
  std::chrono::milliseconds delay() const override { return std::chrono::milliseconds(0); }
  // The driver's stamps are not strictly in order.
  std::int64_t watermark_ns(std::int64_t now_ns) const override { return now_ns - 1'000'000'000; }
  void shut() override;
  void update_counts() override {}  // what is lost is not told for a queue: HpcapPoint
  RingCounts counts() const override { return {.point = point_, .ring = number_, .received = received_}; }
  std::optional<double> fill() const override {
    return static_cast<double>(available_) / static_cast<double>(buffer_.bytes);
  }

 private:
  HpcapAvailable look();
  bool take_record(CopiedFrames& frames);
  bool skip(std::uint64_t bytes);
  void advance(std::uint64_t bytes);
  void copy(std::uint64_t from, std::uint8_t* to, std::size_t bytes) const;
  bool damaged(const std::string& what);

  const std::unique_ptr<HpcapDevice> device_;
  const std::string point_;
  const unsigned number_;
  const std::shared_ptr<HpcapEnd> end_;
  const std::shared_ptr<CopiedFramesPool> pool_;
  const HpcapBuffer buffer_;
  std::uint64_t at_ = 0;           // offset in the buffer
  std::uint64_t file_offset_ = 0;  // of the same
  std::uint64_t left_ = 0;         // bytes from there on
  std::uint64_t ack_ = 0;          // bytes taken, and not given back yet
  bool shut_ = false;
  std::atomic<std::uint64_t> received_ = 0, available_ = 0;  // bytes, as was told last
};

class HpcapPoint : public ObservationPoint {
 public:
  // `devices`: the queues, one or more. Throws Error.
  HpcapPoint(std::string name, std::vector<std::unique_ptr<HpcapDevice>> devices);

  std::string name() const override { return name_; }
  std::string way() const override;
  std::size_t rings() const override { return rings_.size(); }
  Ring& ring(std::size_t number) override { return *rings_[number]; }
  void look(const Warn& warn) override;
  bool is_gone() const override { return end_->was_said(); }
  std::string why_gone() const override { return end_->why(); }
  // At least so many: the driver does not see all.
  PointCounts counts() const override { return {.point = name_, .lost = lost_since_, .at_least = true}; }

 private:
  const std::string name_;
  const std::shared_ptr<HpcapEnd> end_;
  std::vector<std::unique_ptr<HpcapRing>> rings_;
  std::uint64_t lost_ = 0;                     // as the driver said last
  std::atomic<std::uint64_t> lost_since_ = 0;  // the capture began
};

// Of the word hpcap:ADAPTER, `adapter` is what stands behind the colon. Throws Error with one line.
std::unique_ptr<ObservationPoint> open_hpcap_point(const std::string& adapter);

}  // namespace warpmeter::inline packet
