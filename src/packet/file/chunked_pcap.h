// A pcap file that several threads read at once, a chunk of its bytes each. Where the first pcap record of a chunk
// begins only the walk through all before it can tell; so every thread guesses, walks, and when the chunks before have
// been committed it turns out whether the guess was right. If not, the chunk is walked again from the true place: the
// result is always that of one walk from the first to the last pcap record.
//
// Where another capture begins behind this one's last pcap record (`cat a.pcap b.pcap`), or damage that is to be
// skipped
// (--resync), the chunks end; they say so, and one reader goes on.
//
// A chunk is read and walked in pieces that stay in a core's cache until they are decoded.
//
// Threads: claim() by one at a time; read() by any, each on a chunk of its own; commit() by one at a time and in the
// order of the claims; all three beside each other. A view belongs to one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packet/file/capture_reader.h"
#include "packet/file/packet_source.h"
#include "packet/file/pcap_format.h"
#include "packet/file/pcap_reader.h"
#include "packet/file/regular_file.h"
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

// What a Trace knows of a chunk. That of a pcap file is a range of its bytes; the frames whose pcap record headers
// begin in there are its own, and read() finds them. All others (pcapng, pipes) come with their frames read already.
//
// Threads: one at a time. Whoever claimed it hands it on.
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
  std::vector<UnreadableFile> unreadable;
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

class ChunkedPcap : public std::enable_shared_from_this<ChunkedPcap> {
 public:
  // From the pcap record at `begin`. `name` is for messages. `resync`: what comes behind damage is to be read, too.
  ChunkedPcap(std::string name, std::shared_ptr<const RegularFile> file, const PcapFormat& format, std::uint64_t begin,
              bool resync = false);

  // From here on chunks tell the times of their first and of their latest frame. Before the first claim().
  void watch_times() { watch_times_ = true; }

  // The next chunk. False if there is none left: all are claimed, or the file is known to be damaged before it. Every
  // file has at least one, be it empty.
  bool claim(TraceChunk& chunk, const ChunkOptions& options, const PcapCut& cut = {});

  // Puts the frames of the next piece into chunk.block; they lie in the view, or in what is leased of it. False:
  // there are no more, or nothing here looks like a pcap record. Where the chunk begins is a guess, until it is
  // committed.
  bool read(TraceChunk& chunk, FileView& view) const;

  // It is known now where the chunk begins, how many frames it has, and where it ends. False if they are not those
  // that read() has found, which must have come to its end; in any case read() shows the right ones from now on, from
  // the first. Damage and bytes read since the last commit() are noted in the chunk.
  bool commit(TraceChunk& chunk, FileView& view);

  // Reads this chunk, which was committed last, and all that comes behind, on its own. Throws Error.
  std::unique_ptr<CaptureReader> reader_from(const TraceChunk& chunk, const CaptureOptions& options) const;

 private:
  void look_at_first_records();
  std::uint64_t bytes_of(const ChunkOptions& options) const;
  bool may_guess() const;
  bool find_start(TraceChunk& chunk, FileView& view) const;
  std::optional<std::uint64_t> guess(const TraceChunk& chunk, FileView& view) const;
  bool walk_on(ChunkWalk& walk, std::uint64_t piece_bytes, std::uint64_t end, FrameBlock& block, FileView& view) const;
  std::string damage_text(const PcapWalk& walk, bool between_records) const;
  bool nothing_left_for(TraceChunk& chunk) const;
  bool began_at(std::uint64_t position, TraceChunk& chunk, FileView& view);
  void judge_guess(const TraceChunk& chunk, bool right);
  void learn_from(TraceChunk& chunk);

  const std::string name_;
  const std::shared_ptr<const RegularFile> file_;
  const PcapFormat format_;
  bool watch_times_ = false;
  bool long_captured_ = false;  // some pcap records claim to have captured more than there was
  bool odd_fractions_ = false;  // some have fractions below 0, or of a second and more
  const bool resync_;

  // Of claim().
  std::uint64_t claimed_;  // all bytes before it are claimed
  std::uint64_t next_index_ = 0;

  // Written by commit(), read by all.
  std::atomic<std::uint64_t> position_;       // of the first pcap record that is not committed
  std::atomic<std::uint64_t> committed_ = 0;  // chunks
  std::atomic<bool> ended_ = false;           // by damage
  std::atomic<std::uint64_t> record_bytes_;   // on average, lately
  std::atomic<std::uint32_t> seconds_ = 0;    // of a committed pcap record
  std::atomic<int> distrust_ = 0;             // in guesses

  // Of commit().
  std::uint64_t told_ = 0;  // bytes read that the trace knows of
  bool odd_fraction_met_ = false;
  PcapReader::Before before_last_;  // of the chunk that was committed last
  NearTime near_;                   // of all that are committed
};

}  // namespace warpmeter::inline packet
