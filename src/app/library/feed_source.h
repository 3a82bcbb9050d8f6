// Frames of another part of the program as a source.
//
// Threads: see PacketSource.
#pragma once

#include <atomic>
#include <utility>

#include "packet/file/packet_source.h"
#include "warpmeter/feed.h"

namespace warpmeter {

class FeedSource : public PacketSource {
 public:
  // Ends with the feed, or when `stop` is true, which must outlive it.
  FeedSource(FrameFeed feed, const std::atomic<bool>& stop) : feed_(std::move(feed)), stop_(stop) {}

  bool ends() const override { return true; }
  bool repeatable() const override { return false; }

 private:
  // Throws Error for a frame that cannot be metered, and what the feed throws.
  bool claim(Chunk& chunk, const ChunkOptions& options) override;
  bool commit(Chunk& chunk, FileView& view) override;

  const FrameFeed feed_;
  const std::atomic<bool>& stop_;
  bool ended_ = false;  // by the claiming thread
};

}  // namespace warpmeter
