// The output that is one JSON document: connections in the order of the packets that made them known, each with its
// blocks, and of their bytes a checksum, or themselves.
//
// A connection and its blocks are text that is put together, not a tree, since there may be more of it than of the
// capture (docs/streams.md, "JSON").
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command/reassemble/reassemble.h"
#include "command/reassemble/stream_output.h"
#include "command/reassemble/stream_spool.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

// Empty if this build can tell that of bytes; else one line that says why not.
std::string why_not_told(StreamPayload payload);

// These append. REQUIRES: why_not_told() is empty. A connection is what connection_json() has, its blocks with a comma
// and a line break between, and "]}".
void connection_json(std::string& to, const TcpConnection& connection, const ConnectionReport& report);
void block_json(std::string& to, const StreamBlock& block, StreamPayload payload);

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
