// Frames as the capture layer hands them to the decoder: views of bytes that somebody else keeps alive.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace warpmeter {

inline constexpr std::uint16_t kUnknownLink = 0xffff;

// A share of bytes that frames lie in: they stay where they are for as long as anybody holds one. With the last, a
// buffer is used for other bytes, and a block of a ring is given back. Any thread may let go.
using Lease = std::shared_ptr<const void>;

struct Frame {
  const std::uint8_t* data;  // `captured` bytes
  std::int64_t time_ns;      // since 1970 UTC, within +-2^62
  std::uint32_t captured;
  std::uint32_t original;   // length on the wire
  std::uint16_t link;       // LINKTYPE number, or kUnknownLink: numbered, but not decoded
  bool egress = false;      // of a live capture: this host sent it
  std::uint16_t point = 0;  // its number of Observation Point, where that of its ring has several; else 0. Of a capture
                            // that is read for its interfaces, the number of one
  // Of pcapng, read likewise: words of 32 bits that options take behind `data`, which is padded to a multiple of them;
  // kSwappedOptions: in the other byte order.
  std::uint16_t options = 0;
};
inline constexpr std::uint16_t kSwappedOptions = 0x8000;
static_assert(sizeof(Frame) == 32);

class DecodedFrames;

// Consecutive frames of a source.
struct FrameBlock {
  std::uint64_t first_number = 1;  // packets are numbered 1, 2, ... over all frames of the trace
  std::vector<Frame> frames;
  std::vector<Lease> leases;  // of the bytes that the frames lie in; none: whoever reads them says how long they stay
  std::shared_ptr<DecodedFrames> decoded;      // in place of frames that were decoded before; null: there are none
  std::int64_t watermark_ns = kNothingPassed;  // with these, all frames captured before this time have been given

  static constexpr std::int64_t kNothingPassed = std::numeric_limits<std::int64_t>::min();

  void clear() {
    frames.clear();
    leases.clear();
    decoded.reset();
    watermark_ns = kNothingPassed;
  }
};

}  // namespace warpmeter
