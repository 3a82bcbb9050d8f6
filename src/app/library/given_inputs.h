// What a program gives in place of files: frames, as a source (FeedSource), or an Arrow stream of Flow Records, on its
// way to the thread that reads it (ArrowInput).
//
// Threads: of FeedSource see PacketSource; an ArrowInput by one at a time.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "packet/file/packet_source.h"
#include "record/arrow/arrow_reader.h"
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

// To be copied, as functions are that threads run; it can be opened once.
class ArrowInput {
 public:
  // Takes it over.
  ArrowInput(ArrowArrayStream& flows, std::string name)
      : given_(std::make_shared<Given>(std::exchange(flows, {}))), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  // Throws Error: see ArrowReader.
  std::unique_ptr<RecordReader> open() const { return std::make_unique<ArrowReader>(given_->stream, name_); }

 private:
  struct Given {
    explicit Given(ArrowArrayStream taken) : stream(taken) {}
    ~Given() {
      if (stream.release) stream.release(&stream);
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
    ArrowArrayStream stream;
  };

  std::shared_ptr<Given> given_;
  std::string name_;
};

}  // namespace warpmeter
