// Where the packets of a live capture come from: rings of Observation Points, or a folder that grows.
//
// Threads: end() and what is const by any; the rest by one.
#pragma once

#include <atomic>
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

// The folder that is captured from; empty: interfaces are. Throws Error (usage) where the words are no capture.
std::string folder_of(const LiveOptions& options);

// The files that may be read, so that no output takes the place of one.
std::vector<std::string> files_there(const LiveOptions& options);

class LiveSource {
 public:
  // Opens what the words name. `filter`: of the capture, nullptr if it has none. `seen`: files of a folder that were
  // read before. What is referred to must outlive it. Throws Error: there is no such thing, rights are missing.
  LiveSource(const LiveOptions& options, const PacketFilter* filter, CaptureCpus& cpus, const std::atomic<bool>& stop,
             SeenFiles seen = {});
  // Rings that others have opened.
  explicit LiveSource(std::unique_ptr<ObservationPoints> points) : points_(std::move(points)) {}

  // What is left to do of the filter by those who decode: nothing where the kernel does it.
  const PacketFilter* filter() const { return filter_; }

  // Once; this must outlive it. `tell_every`: how often it is to be heard, at most, that time has passed.
  std::unique_ptr<PacketSource> open(std::chrono::nanoseconds tell_every);

  // What comes from now on is captured: a capture's duration counts from here.
  void begin();
  // As if it had been told to stop.
  void end();
  bool wants_to_stop() const;

  // How often somebody asked for packets so far, of each ring or of the folder: all that stands still is a fault.
  std::vector<std::uint64_t> looks() const;

  std::vector<RingCounts> ring_counts() const;
  std::vector<PointCounts> point_counts() const;

  std::string description() const;                   // for people
  GrowingFolder* folder() { return folder_.get(); }  // null: interfaces

  // Where packets are observed; nullptr: in no interface, but a folder.
  ObservationPoints* points() const { return points_.get(); }

  // What became of packets and files. REQUIRES: the source has ended.
  void tell(Summary& summary);

 private:
  const PacketFilter* filter_ = nullptr;
  // One of these.
  std::unique_ptr<ObservationPoints> points_;
  std::unique_ptr<GrowingFolder> folder_;
};

}  // namespace warpmeter::inline command
