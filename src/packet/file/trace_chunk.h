// What a Trace knows of a chunk.
//
// A chunk of a pcap file is a range of its bytes; the frames whose pcap record headers begin in there are its own, and
// read() finds them. All others (pcapng, pipes) come with their frames read already.
//
// Threads: one at a time. Whoever claimed it hands it on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packet/file/capture_reader.h"
#include "packet/file/packet_source.h"
#include "packet/file/pcap_format.h"
#include "packet/file/resync.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// Where a walk through a chunk began, and how far it has come.
struct ChunkWalk {
  explicit ChunkWalk(std::uint64_t at) : start(at), reached(at) {}

  std::uint64_t start;    // the first pcap record header
  std::uint64_t reached;  // where the next one begins
  std::uint64_t frames = 0;
  std::int64_t last_ns = 0;                  // time of the last frame; valid if there are frames
  std::int64_t first_ns = 0, latest_ns = 0;  // of the first frame, of the latest; valid if times are watched
  bool over = false;
  bool goes_on = false;    // with `over`: another capture begins behind it, or it is to be read on behind damage
  std::string unreadable;  // with `over`: a line that says why the system gave no more; empty: it did
  std::string damage;      // with `over`, else: why nothing behind it makes sense; empty: it does
  std::uint64_t odd_fraction = PcapWalk::kNone;  // see PcapWalk
  NearTime near;                                 // valid if it may be read on behind damage
};

// How large the chunks of a pcap file are.
struct PcapCut {
  std::uint64_t bytes = 0;            // 0 = what holds as many frames as are wanted
  std::uint64_t at_once = 256 << 10;  // bytes that are read: they stay in a core's cache until they are decoded
};

struct TraceChunk : Chunk {
  // Of a pcap file that is walked: which bytes, and what became of them.
  std::shared_ptr<ChunkedPcap> file;  // null if the frames have been read
  std::uint64_t begin = 0, end = 0;   // bytes of the file
  std::uint64_t index = 0;            // among the chunks of the file
  std::uint64_t at_once = 0;          // bytes to be read
  bool guessed = false;               // where it begins
  std::optional<ChunkWalk> found;     // nothing: not walked yet, the start is not known
  std::optional<ChunkWalk> again;     // through what is committed

  // Of one whose frames claim() or commit() has read.
  bool merged = false;                       // commit() does
  std::int64_t first_ns = 0, latest_ns = 0;  // of the first frame, of the latest; valid if times are watched

  std::size_t of_file = 0;  // of the trace, in its order
  std::size_t wanted = 0;   // frames
  bool keep = false;        // their bytes

  // What claiming it brought to light; told to the trace when it is committed.
  std::uint64_t bytes_read = 0;
  std::uint64_t clamped_times = 0;
  std::vector<Damage> damage;
  Skips skips;
  std::vector<OddFractions> odd_fractions;
  std::vector<std::string> unreadable;
  bool cut_off = false;  // one of these has the message of a ReadError

  void clear() override {
    Chunk::clear();
    file.reset();
    guessed = merged = cut_off = false;
    found.reset();
    again.reset();
    bytes_read = clamped_times = 0;
    damage.clear();
    skips = {};
    odd_fractions.clear();
    unreadable.clear();
  }
};

}  // namespace warpmeter::inline packet
