// The output that is a folder of files: one for each direction that carried bytes, or for each connection. Gaps are not
// filled: bytes follow each other as they were submitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "base/files/output_folder.h"
#include "command/reassemble/reassemble.h"
#include "command/reassemble/stream_output.h"

namespace warpmeter::inline command {

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
