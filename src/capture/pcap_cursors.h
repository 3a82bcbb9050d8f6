// Walks pcap records. Where the next header lies only the last one tells, so a walk waits for memory at every step;
// several cursors, one after the other in one thread, wait together.
#pragma once

#include <cstdint>
#include <span>

#include "capture/pcap_format.h"
#include "warpmeter/frame.h"

namespace warpmeter {

// The bytes of a file.
struct PcapBytes {
  const PcapFormat& format;
  const std::uint8_t* data;
  std::uint64_t size;
};

struct PcapCursor {
  std::uint64_t start;       // the first header (or where it is thought to be)
  std::uint64_t end;         // at most the file's size; headers that begin here or later are for others
  FrameBlock* block;         // what was found is appended here
  std::uint64_t at = start;  // the next header; with a fault, that which makes no sense
  PcapFault fault = PcapFault::none;
};

// Walks every cursor until it is at its end, at the end of the file, or at a fault. The cursors take turns.
void walk(const PcapBytes& bytes, std::span<PcapCursor> cursors);

// Cursors that follow each other through a file were right about their starts where the one before arrives. Walks again
// those who were wrong, from where the one before really came; behind a fault nothing is left. Returns how many were
// wrong. All are walked; the first one's start counts as right.
unsigned stitch(const PcapBytes& bytes, std::span<PcapCursor> cursors);

}  // namespace warpmeter
