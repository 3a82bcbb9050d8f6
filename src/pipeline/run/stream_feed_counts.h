// What became of the TCP streams of a live capture that a detector gets: at one moment, or at the end.
#pragma once

#include <cstdint>
#include <string>

namespace warpmeter::inline pipeline {

struct StreamFeedCounts {
  std::uint64_t connections = 0;                        // of TCP, that began
  std::uint64_t ended = 0;                              // of these
  std::uint64_t blocks = 0, bytes = 0;                  // all; bytes that TCP carried. Of these:
  std::uint64_t dropped_blocks = 0, dropped_bytes = 0;  // there was no room, since the detector was too slow
  std::uint64_t unread_blocks = 0,
                unread_bytes = 0;    // there was no detector, or it went, or was given up, before it had them
  std::uint64_t early_blocks = 0;    // submitted for want of memory
  std::uint64_t dropped_ends = 0;    // of connections, which a detector that knew them was not told
  std::uint64_t stray_segments = 0;  // at the end
  std::uint64_t lost_segments = 0;   // between two rings: missing in their streams
  std::uint64_t readers = 0;         // connections of detectors, one after the other
  std::uint64_t queued_bytes = 0;    // of records, that wait just now
  bool connected = false;
};

// For people: "120 connections, 980 blocks (14 MB)", and what the detector did not get of them.
std::string streams_text(const StreamFeedCounts& counts);

}  // namespace warpmeter::inline pipeline
