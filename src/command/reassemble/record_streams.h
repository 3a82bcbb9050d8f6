// The output that is one stream of records: connection by connection, in the order of the packets that made them known,
// or as they come, several beside each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command/reassemble/stream_output.h"
#include "command/reassemble/stream_record.h"
#include "command/reassemble/stream_spool.h"

namespace warpmeter::inline command {

struct RecordStreamsOptions {
  unsigned channels = 1;
  bool unordered = false;  // connections beside each other
  unsigned threads = 1;    // that pack
  std::string tmpdir;      // where what waits for its place lies
};

class RecordStreams final : public OneFileOutput {
 public:
  // As of OneFileOutput.
  RecordStreams(const std::string& name, const RecordStreamsOptions& options, const std::atomic<bool>& interrupted);
  ~RecordStreams() override;

  StreamConsumer& channel(unsigned number) override;
  void finish(std::uint64_t stray_segments) override;

 private:
  class SharedFile;
  class Part;
  class Channel;

  std::unique_ptr<SharedFile> shared_;                // unordered
  std::vector<std::unique_ptr<Part>> parts_;          // unordered, by channel
  std::vector<std::unique_ptr<StreamSpool>> spools_;  // ordered, by channel
  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace warpmeter::inline command
