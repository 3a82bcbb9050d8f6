// The sample of flows of a live capture that may become rarer while metering does not keep up (--sample-flows auto):
// looks how the rings do, decides, and tells everybody: those who meter, the log, the collector, the summary.
//
// Threads: as said at each.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "command/live/load_control.h"
#include "command/live/sample_rate.h"
#include "core/flow_sample.h"
#include "core/thread_annotations.h"
#include "packet/nic/ring/ring_counts.h"

namespace warpmeter::inline record {
class RecordOutput;
}  // namespace warpmeter::inline record

namespace warpmeter::inline command {

class LiveSampling {
 public:
  // The summary has the latest of them.
  static constexpr std::size_t kChangesKept = 1000;

  // At most so rare, among so many owners of rings.
  LiveSampling(std::uint32_t rarest, unsigned owners) : control_(rarest), rate_(1, owners) {}

  SampleRate& rate() { return rate_; }

  // Some times a second, from one thread.
  void look(std::span<const RingCounts> rings);

  // Between two exports, from the thread that does them: the collector gets to know a rate once the Flow Records of
  // flows that left have been exported. `at_end`: the last time.
  void between_exports(RecordOutput& output, bool at_end);

  // From any thread.
  std::uint32_t one_in() const { return rate_.one_in(); }
  std::vector<SampleChange> changes() const;

 private:
  double busiest(SampleControl::Clock::time_point now);
  void change(std::uint32_t one_in);

  SampleControl control_;
  SampleRate rate_;
  std::vector<std::int64_t> worked_ns_;  // by owner, at the last look
  SampleControl::Clock::time_point looked_{};
  std::uint32_t told_ = 1, to_tell_ = 1;  // the collector
  mutable std::mutex mutex_;
  std::vector<SampleChange> changes_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline command
