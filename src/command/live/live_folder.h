// Packets from the files of a folder that grows, each once it is complete.
//
// Threads: as of a LiveSource.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "command/live/live_source.h"

namespace warpmeter::inline command {

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
