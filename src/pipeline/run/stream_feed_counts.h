// What became of the TCP streams of a live capture that a detector gets: at one moment, or at the end.
#pragma once

#include <cstdint>
#include <string>

#include "base/words/human_units.h"

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
inline std::string streams_text(const StreamFeedCounts& counts) {
  const auto blocks_text = [](std::uint64_t blocks, std::uint64_t bytes) {
    return human_number_of(blocks, "block") + " (" + human_bytes(static_cast<double>(bytes)) + ")";
  };
  std::string text = std::to_string(counts.connections) + " connections, " + blocks_text(counts.blocks, counts.bytes);
  const auto remark = [&](std::uint64_t blocks, std::uint64_t bytes, const char* why) {
    if (blocks) text += "; " + blocks_text(blocks, bytes) + " " + why;
  };
  remark(counts.dropped_blocks, counts.dropped_bytes, "dropped, since the detector was too slow");
  remark(counts.unread_blocks, counts.unread_bytes, "that no detector took");
  if (counts.early_blocks) text += "; " + std::to_string(counts.early_blocks) + " early, for want of memory";
  if (counts.lost_segments) text += "; " + std::to_string(counts.lost_segments) + " segments lost between rings";
  return text;
}

}  // namespace warpmeter::inline pipeline
