// An output of `reassemble`: takes connections by channels, as StreamReassembly gives them, and appears when it is
// complete. Without name() nothing of it is left behind.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/files/output_file.h"
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

}  // namespace warpmeter::inline command
