// Reads a capture to its end and checks what a reader promises of every file.
#pragma once

#include <string>

#include "fuzz/must.h"
#include "packet/file/capture_reader.h"
#include "packet/file/limits.h"
#include "warpmeter/status.h"

namespace warpmeter::fuzz {

// Calls each(frame) for all frames. Returns the reason for which the file could not be read at all, "" if it could.
template <class Each>
std::string read_frames(CaptureReader& reader, std::size_t size, Each&& each) {
  static FrameBlock block;  // its room is kept from one input to the next
  constexpr std::size_t kFrames = 7;
  std::size_t most = size + 2;  // no frame without a byte
  std::uint64_t before = reader.offset();
  try {
    for (bool more = true; more;) {
      block.clear();
      more = reader.read(block, kFrames);
      must(block.frames.size() <= kFrames && block.frames.size() < most);
      most -= block.frames.size();
      for (const Frame& frame : block.frames) {
        must(frame.captured <= kMaxCaptured && frame.time_ns >= -kMaxTimeNs && frame.time_ns < kMaxTimeNs);
        each(frame);
      }
      must(!more || reader.offset() > before || !block.frames.empty());  // zeros are held back
      before = reader.offset();
    }
  } catch (const Error& error) {
    return error.what();
  }
  must(reader.offset() <= size);
  must(!reader.damage() || (reader.damage()->offset <= size && !reader.damage()->reason.empty()));
  must(reader.damage() || reader.offset() == size);
  return "";
}

}  // namespace warpmeter::fuzz
