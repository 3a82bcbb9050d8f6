// An output of `reassemble`: takes connections by channels, as StreamReassembly gives them, and appears when it is
// complete. Without name() nothing of it is left behind.
#pragma once

#include <cstdint>

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

}  // namespace warpmeter::inline command
