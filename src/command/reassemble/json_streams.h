// The output that is one JSON document: connections in the order of the packets that made them known, each with its
// blocks, and of their bytes a checksum, or themselves.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command/reassemble/reassemble_options.h"
#include "command/reassemble/stream_output.h"
#include "command/reassemble/stream_spool.h"

namespace warpmeter::inline command {

struct JsonStreamsOptions {
  unsigned channels = 1;
  StreamPayload payload = StreamPayload::sha256;
  unsigned threads = 1;  // that pack
  std::string tmpdir;    // where what waits for its place lies
};

class JsonStreams final : public OneFileOutput {
 public:
  // As of OneFileOutput.
  JsonStreams(const std::string& name, const JsonStreamsOptions& options, const std::atomic<bool>& interrupted);
  ~JsonStreams() override;

  StreamConsumer& channel(unsigned number) override;
  void finish(std::uint64_t stray_segments) override;

 private:
  class Channel;

  std::vector<std::unique_ptr<StreamSpool>> spools_;  // by channel
  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace warpmeter::inline command
