// A stretch of the trace: what one thread claims, walks and decodes on its own, beside others who do the same.
//
// A stretch of a mapped pcap file is a range of its bytes; the frames whose pcap record headers begin in there are its
// own. All others (pcapng, pipes) come with their frames read already.
//
// Threads: one at a time. Whoever claimed it hands it on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/capture_reader.h"
#include "capture/file_mapping.h"
#include "capture/pages_behind.h"
#include "capture/pcap_format.h"
#include "warpmeter/frame.h"

namespace warpmeter {

// How a trace is to be cut.
struct StretchOptions {
  std::size_t frames = 4096;  // wanted in a stretch; mapped files come close, all others hold to it
  std::uint64_t bytes = 0;    // of a stretch of a mapped file; 0 = what holds so many frames
  unsigned cursors = 0;       // that walk a stretch at once; 0 = what suits the file
};

// Where a walk began and how it ended.
struct Walked {
  std::uint64_t start = 0;    // the first pcap record header
  std::uint64_t reached = 0;  // where the next one would begin; with a fault, where that is
  PcapFault fault = PcapFault::none;
  unsigned guesses = 0;   // where the second and further cursors might begin
  unsigned mistakes = 0;  // guesses that were wrong, or found nothing
};

struct Stretch {
  std::uint64_t first_number = 1;  // packet number of the first frame; valid once settled
  std::vector<FrameBlock> parts;   // the frames, in order: part after part. Valid as long as the Stretch is not reused
  std::size_t frames() const {
    std::size_t sum = 0;
    for (const FrameBlock& part : parts) sum += part.frames.size();
    return sum;
  }

  // Of a mapped file: which bytes, and what became of them.
  std::shared_ptr<StretchedPcap> file;  // null if the frames have been read
  std::uint64_t begin = 0, end = 0;     // bytes of the file
  std::uint64_t index = 0;              // among the stretches of the file
  unsigned cursors = 1;                 // at most so many
  bool guessed = false;                 // where it begins
  std::optional<Walked> walked;         // nothing: not walked yet, the start is not known
  PagesBehind::Range behind;            // pages that are due to be given back

  // Of a mapped file that claim() has read: it may shrink before the stretch is settled.
  std::shared_ptr<const FileMapping> mapping;
  std::string name;  // of the file

  // What claiming it brought to light; told to the trace when it is settled.
  std::uint64_t bytes_read = 0;
  std::vector<Damage> damage;
  std::vector<std::string> unreadable;

  void clear() {
    clear_frames();
    file.reset();
    mapping.reset();
    guessed = false;
    walked.reset();
    behind = {};
    bytes_read = 0;
    damage.clear();
    unreadable.clear();
  }
  void clear_frames() {
    for (FrameBlock& part : parts) part.clear();
  }
};

}  // namespace warpmeter
