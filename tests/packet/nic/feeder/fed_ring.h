// A ring as a feeder of this process fills it, and what a meter takes out of it.
#pragma once

#include <sys/mman.h>

#include <cstring>
#include <string>
#include <vector>

#include "packet/nic/feeder/feeder_queue.h"
#include "support/byte_writer.h"
#include "warpmeter/feeder_writer.h"
#include "warpmeter/status.h"

namespace warpmeter::test {

// A feeder's ring; its header may be damaged at will.
class FedRing {
 public:
  explicit FedRing(std::uint64_t bytes = 65536, std::uint32_t snaplen = 2000, std::uint32_t ring = 0,
                   std::uint32_t rings = 1) {
    if (wmf_open(&writer_, ring, rings, bytes, snaplen) != 0) throw Error("no ring");
  }
  ~FedRing() { wmf_close(&writer_); }
  FedRing(const FedRing&) = delete;
  FedRing& operator=(const FedRing&) = delete;

  bool put(const Bytes& frame, std::int64_t time_ns = 1) {
    return wmf_put(&writer_, frame.data(), static_cast<std::uint32_t>(frame.size()),
                   static_cast<std::uint32_t>(frame.size()) + 4, 1, time_ns) == 1;
  }
  void flush(std::int64_t watermark_ns = 0) { wmf_flush(&writer_, watermark_ns); }

  wmf_writer& writer() { return writer_; }
  wmf_header& header() { return *writer_.header; }
  wmf_record& record_at(std::uint64_t place) { return *reinterpret_cast<wmf_record*>(writer_.data + place); }
  FeederMemory memory() const { return map_feeder_memory(writer_.fd); }

 private:
  wmf_writer writer_{};
};

inline Bytes bytes_of(const Frame& frame) { return {frame.data, frame.data + frame.captured}; }

// All that is there.
inline std::vector<Bytes> take_all(FeederQueue& queue) {
  std::vector<Bytes> taken;
  CopiedFrames frames;
  for (;;) {
    frames.clear();
    queue.take(frames);
    if (frames.is_empty()) return taken;
    for (const Frame& frame : frames.frames()) taken.push_back(bytes_of(frame));
  }
}

}  // namespace warpmeter::test
