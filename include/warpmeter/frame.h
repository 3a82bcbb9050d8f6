// Frames as the capture layer hands them to the decoder: views of bytes that somebody else keeps alive.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace warpmeter {

inline constexpr std::uint16_t kUnknownLink = 0xffff;

struct Frame {
  const std::uint8_t* data;  // `captured` bytes; valid as long as the block that lists the frame
  std::int64_t time_ns;      // since 1970 UTC, within +-2^62
  std::uint32_t captured;
  std::uint32_t original;  // length on the wire
  std::uint16_t link;      // LINKTYPE number, or kUnknownLink: numbered, but not decoded
};

// Consecutive frames of the trace. Owns (shares) the buffers that its frames point into.
struct FrameBlock {
  std::uint64_t first_number = 1;  // packets are numbered 1, 2, ... over all frames of the trace
  std::vector<Frame> frames;
  std::vector<std::shared_ptr<const void>> bytes;

  void clear() {
    frames.clear();
    bytes.clear();
  }
};

}  // namespace warpmeter
