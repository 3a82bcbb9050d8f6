// An output of `reassemble`: takes connections by channels, as StreamReassembly gives them, and appears when it is
// complete. Without name() nothing of it is left behind.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "base/files/output_file.h"
#include "base/files/output_folder.h"
#include "command/reassemble/reassemble.h"
#include "command/reassemble/stream_record.h"
#include "command/reassemble/stream_spool.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

class StreamOutput {
 public:
  StreamOutput() = default;
  virtual ~StreamOutput() = default;
  StreamOutput(const StreamOutput&) = delete;
  StreamOutput& operator=(const StreamOutput&) = delete;

  // One thread at a time for a channel, beside others for others. What they cannot write they throw as Error.
  virtual StreamConsumer& channel(unsigned number) = 0;

  // All channels have had all. Writes what is left; only the name may still be missing. One thread, once. Throws Error.
  virtual void finish(std::uint64_t stray_segments) = 0;

  // REQUIRES: finish() has returned. Gives it its name, which take_back() undoes until keep() is called. name() throws
  // Error.
  virtual void name() = 0;
  virtual void take_back() = 0;
  virtual void keep() = 0;
};

// That is one file.
class OneFileOutput : public StreamOutput {
 public:
  void name() override { file_.name_for_now(); }
  void take_back() override { file_.take_back(); }
  void keep() override { file_.commit(); }

 protected:
  // Opens the file, as OutputFile, and packs by its name with so many threads. Throws Error.
  OneFileOutput(const std::string& name, unsigned threads, const std::atomic<bool>& interrupted)
      : file_(name, &interrupted, nullptr, Readers::owner) {
    if (const Packing packing = packing_of(name); packing != Packing::none) file_.pack(packing, threads);
  }

  OutputFile file_;
};

// The output that is one JSON document: connections in the order of the packets that made them known, each with its
// blocks, and of their bytes a checksum, or themselves.
//
// A connection and its blocks are text that is put together, not a tree, since there may be more of it than of the
// capture (docs/streams.md, "JSON").

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

// The output that is one stream of records: connection by connection, in the order of the packets that made them known,
// or as they come, several beside each other.

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

// The output that is a folder of files: one for each direction that carried bytes, or for each connection. Gaps are not
// filled: bytes follow each other as they were submitted.

// Files that may be open at once in all: by `ulimit -n`, which is raised as far as it may be; others need some.
std::size_t most_open_streams();

struct StreamFilesOptions {
  unsigned channels = 1;
  StreamFileOf files = StreamFileOf::direction;
  StreamFileNames names = StreamFileNames::endpoints;
  std::size_t most_open = 256;  // of all channels together; each has one at least
};

class StreamFiles final : public StreamOutput {
 public:
  // Makes the folder, as OutputFolder. Throws Error.
  StreamFiles(const std::string& name, const StreamFilesOptions& options);
  ~StreamFiles() override;

  StreamConsumer& channel(unsigned number) override;
  void finish(std::uint64_t stray_segments) override;
  void name() override { folder_.commit(); }
  void take_back() override { folder_.take_back(); }
  void keep() override {}

  const OutputFolder& folder() const { return folder_; }

 private:
  class Channel;

  OutputFolder folder_;
  const Descriptor descriptor_;  // the folder's, as long as files are made there
  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace warpmeter::inline command
