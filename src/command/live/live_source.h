// Where the packets of a live capture come from: rings of Observation Points, or a folder that grows.
//
// Threads: end() and what is const by any; the rest by one.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "command/live/capture_cpus.h"
#include "command/live/live.h"
#include "packet/decode/packet_filter.h"
#include "packet/file/packet_source.h"
#include "packet/folder/growing_folder.h"
#include "packet/nic/ring/observation_points.h"
#include "pipeline/run/summary.h"

namespace warpmeter::inline command {

class LiveSource {
 public:
  LiveSource() = default;
  virtual ~LiveSource() = default;
  LiveSource(const LiveSource&) = delete;
  LiveSource& operator=(const LiveSource&) = delete;

  // What is left to do of the filter by those who decode: nothing where the kernel does it.
  virtual const PacketFilter* filter() const = 0;

  // Once; this must outlive it. `tell_every`: how often it is to be heard, at most, that time has passed.
  virtual std::unique_ptr<PacketSource> open(std::chrono::nanoseconds tell_every) = 0;

  // What comes from now on is captured: a capture's duration counts from here.
  virtual void begin() = 0;
  // As if it had been told to stop.
  virtual void end() = 0;
  virtual bool wants_to_stop() const = 0;

  // How often somebody asked for packets so far, of each ring or of the folder: all that stands still is a fault.
  virtual std::vector<std::uint64_t> polls() const = 0;

  virtual std::vector<RingCounts> ring_counts() const { return {}; }
  virtual std::vector<PointCounts> point_counts() const { return {}; }

  virtual std::string description() const = 0;  // for people

  // What only one of them has; null: it is the other.
  virtual GrowingFolder* folder() { return nullptr; }
  virtual ObservationPoints* points() const { return nullptr; }

  // What became of packets and files. REQUIRES: the source has ended.
  virtual void tell(Summary& summary) = 0;
};

// Opens what the words name. `filter`: of the capture, nullptr if it has none. `seen`: files of a folder that were read
// before. What is referred to must outlive it. Throws Error: there is no such thing, rights are missing.
std::unique_ptr<LiveSource> open_live_source(const LiveOptions& options, const PacketFilter* filter, CaptureCpus& cpus,
                                             const std::atomic<bool>& stop, SeenFiles seen);

// The folder that is captured from; empty: interfaces are. Throws Error (usage) where the words are no capture.
std::string folder_of(const LiveOptions& options);

// The files that may be read, so that no output takes the place of one.
std::vector<std::string> files_there(const LiveOptions& options);

// Packets from rings of Observation Points: of interfaces and drivers, or what another program feeds.
class LiveRings : public LiveSource {
 public:
  // Opens them. Throws Error.
  LiveRings(const LiveOptions& options, const PacketFilter* filter, CaptureCpus& cpus, const std::atomic<bool>& stop);
  // Those that others have opened.
  explicit LiveRings(std::unique_ptr<ObservationPoints> points) : points_(std::move(points)) {}

  const PacketFilter* filter() const override { return filter_; }
  std::unique_ptr<PacketSource> open(std::chrono::nanoseconds tell_every) override;
  void begin() override { points_->begin(); }
  void end() override { points_->end(); }
  bool wants_to_stop() const override { return points_->wants_to_stop(); }
  std::vector<std::uint64_t> polls() const override;
  std::vector<RingCounts> ring_counts() const override { return points_->ring_counts(); }
  std::vector<PointCounts> point_counts() const override { return points_->point_counts(); }
  std::string description() const override { return points_->description(); }
  ObservationPoints* points() const override { return points_.get(); }
  void tell(Summary& summary) override;

 private:
  const PacketFilter* filter_ = nullptr;
  std::unique_ptr<ObservationPoints> points_;
};

// Packets from the files of a folder that grows, each once it is complete.
class LiveFolder : public LiveSource {
 public:
  // REQUIRES: folder_of(options) is one. Throws Error.
  LiveFolder(const LiveOptions& options, const PacketFilter* filter, const std::atomic<bool>& stop, SeenFiles seen);

  const PacketFilter* filter() const override { return filter_; }
  std::unique_ptr<PacketSource> open(std::chrono::nanoseconds tell_every) override;
  void begin() override { folder_.begin(); }
  void end() override { folder_.end(); }
  bool wants_to_stop() const override { return folder_.is_told_to_end(); }
  std::vector<std::uint64_t> polls() const override { return {folder_.polls()}; }
  std::string description() const override;
  GrowingFolder* folder() override { return &folder_; }
  void tell(Summary& summary) override;

 private:
  const PacketFilter* const filter_;
  GrowingFolder folder_;
};

}  // namespace warpmeter::inline command
