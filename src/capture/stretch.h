// A stretch of the trace: what one thread claims, walks and decodes on its own, beside others who do the same.
//
// A stretch of a pcap file is a range of its bytes; the frames whose pcap record headers begin in there are its own,
// and walk() reads them. All others (pcapng, pipes) come with their frames read already.
//
// Threads: one at a time. Whoever claimed it hands it on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/capture_reader.h"
#include "warpmeter/frame.h"

namespace warpmeter {

// How a trace is to be cut.
struct StretchOptions {
  std::size_t frames = 4096;  // wanted in a stretch; pcap files come close, all others hold to it
  std::uint64_t bytes = 0;    // of a stretch of a pcap file; 0 = what holds so many frames
  std::uint64_t piece = 0;    // bytes of it that are read at once; 0 = what stays in a core's cache
};

// Where a walk through a stretch began, and how far it has come.
struct StretchWalk {
  explicit StretchWalk(std::uint64_t at) : start(at), reached(at) {}

  std::uint64_t start;    // the first pcap record header
  std::uint64_t reached;  // where the next one begins
  std::uint64_t frames = 0;
  std::int64_t last_ns = 0;                  // time of the last frame; valid if there are frames
  std::int64_t first_ns = 0, latest_ns = 0;  // of the first frame, of the latest; valid if times are watched
  bool over = false;
  bool next_file = false;  // with `over`: another capture begins behind it
  std::string damage;      // with `over`: why nothing behind it makes sense; empty: it does
};

struct Stretch {
  std::uint64_t first_number = 1;  // packet number of the first frame; valid once settled
  std::uint64_t frames = 0;        // valid once settled

  // What walk() has found last. Valid until the next walk() with the same window.
  FrameBlock block;

  // Of a pcap file that is walked: which bytes, and what became of them.
  std::shared_ptr<StretchedPcap> file;  // null if the frames have been read
  std::uint64_t begin = 0, end = 0;     // bytes of the file
  std::uint64_t index = 0;              // among the stretches of the file
  std::uint64_t piece = 0;              // bytes
  bool guessed = false;                 // where it begins
  std::optional<StretchWalk> found;     // nothing: not walked yet, the start is not known
  std::optional<StretchWalk> again;     // through what is settled

  // Of one whose frames claim() or settle() has read.
  bool shown = false;                        // by walk()
  bool pending = false;                      // settle() reads the frames
  std::int64_t first_ns = 0, latest_ns = 0;  // of the first frame, of the latest; valid if times are watched

  std::size_t of_file = 0;  // of the trace, in its order
  std::size_t wanted = 0;   // frames

  // What claiming it brought to light; told to the trace when it is settled.
  std::uint64_t bytes_read = 0;
  std::uint64_t clamped_times = 0;
  std::vector<Damage> damage;
  std::vector<std::string> unreadable;

  void clear() {
    block.clear();
    frames = 0;
    file.reset();
    guessed = shown = pending = false;
    found.reset();
    again.reset();
    bytes_read = clamped_times = 0;
    damage.clear();
    unreadable.clear();
  }
};

}  // namespace warpmeter
