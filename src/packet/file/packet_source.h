// Where packets come from, as all that follows sees it: one sequence of frames, numbered 1, 2, ...
//
// Many threads read a source at once, in chunks. claim() says, cheaply, what comes next; read() makes frames of it,
// beside others, and may rest on a guess; commit() makes sure of them and numbers them. A ChunkReader alone calls the
// three: whoever has a source without one learns of no guess, least of all of a wrong one.
//
// TraceSource is one of files that are read to their end, and tells what that brought to light.
//
// A new source overrides claim(), and that is all where the frames are there as soon as they are claimed;
// tests/packet/file/repeating_ring.h is the shortest. Trace (files and pipes) is the longest.
//
// Threads: claim() by one at a time; read() by any, each on a chunk and with a view of its own; commit() by one at a
// time and in the order of the claims. All three go on beside each other. The progress figures by any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "packet/file/regular_file.h"
#include "packet/file/trace_findings.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// What one thread reads at a time. Sources derive from it what they need to know of one.
struct Chunk {
  virtual ~Chunk() = default;

  FrameBlock block;                // what read() gave last
  std::uint64_t first_number = 1;  // packet number of the first frame; valid once committed
  std::uint64_t frames = 0;        // valid once committed
  std::uint64_t expected = 0;      // segments, where claim() knows that these are more than it was to cut
  bool shown = false;              // frames that claim() found: by read()

  // Of a source that waits for frames, between claim() and read(): it gave none, time has passed.
  bool is_empty() const { return block.frames.empty() && block.leases.empty(); }

  // Lets go of what an earlier use has left.
  virtual void clear() {
    block.clear();
    frames = expected = 0;
    shown = false;
  }
};

// How a source is to be cut.
struct ChunkOptions {
  std::size_t frames = 4096;  // wanted in a chunk; pcap files come close, all others hold to it
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();  // most of a pcap file in a chunk, about
  bool keep = false;      // the bytes of the frames are wanted for longer than until the next read()
  bool in_order = false;  // of frames that were decoded before: over all shards, not only within each
  std::chrono::milliseconds longest_wait{20};  // for frames that are not there yet; then a chunk has none
};

class PacketSource {
 public:
  PacketSource() = default;
  virtual ~PacketSource() = default;
  PacketSource(const PacketSource&) = delete;
  PacketSource& operator=(const PacketSource&) = delete;

  // Does it come to an end by itself? Who waits for the end of one that does not must be able to stop it.
  virtual bool ends() const = 0;

  // Would the same source, made once more, give the same packets again?
  virtual bool repeatable() const = 0;

  // Threads that work for it all the time, beside those that read it.
  virtual unsigned own_threads() const { return 0; }

  // Once it has ended, of one whose packets come as time passes: none will come from before this time. Of others their
  // packets tell how late it is.
  virtual std::int64_t watermark_ns() const { return FrameBlock::kNothingPassed; }

  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t frames_read() const { return frames_read_.load(std::memory_order_relaxed); }
  virtual std::uint64_t bytes_in_all() const { return 0; }    // 0 if unknown
  virtual std::uint64_t packets_in_all() const { return 0; }  // 0 if unknown

 protected:
  friend class ChunkReader;

  virtual std::unique_ptr<Chunk> make_chunk() const { return std::make_unique<Chunk>(); }

  // The next chunk, perhaps without frames. It has been cleared. False at the end, also when asked again.
  virtual bool claim(Chunk& chunk, const ChunkOptions& options) = 0;

  // Puts the next frames of the chunk into its block. Their bytes stay until the next read() with the same view; if
  // asked to keep them, or in any case if the block has leases, as long as somebody holds those. False: there are no
  // more.
  virtual bool read(Chunk& chunk, FileView&) { return !std::exchange(chunk.shown, true); }

  // The chunk has been read to its end. Its frames are final now, and numbered. False if they are not those that read()
  // gave; it gives the right ones from now on, from the first.
  virtual bool commit(Chunk& chunk, FileView&) {
    number(chunk, chunk.block.frames.size(), 0);
    return true;
  }

  // These are the next frames of the source.
  void number(Chunk& chunk, std::uint64_t frames, std::uint64_t bytes) {
    chunk.frames = frames;
    chunk.first_number = frames_read() + 1;
    frames_read_.fetch_add(frames, std::memory_order_relaxed);
    bytes_read_.fetch_add(bytes, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> bytes_read_ = 0;
  std::atomic<std::uint64_t> frames_read_ = 0;
};

// A source as those who read it see it, chunk by chunk: who puts the chunks in order (OrderedBatches), and nobody
// beside him. Each call is the source's of that name.
class ChunkReader {
 public:
  // `source` must outlive it.
  explicit ChunkReader(PacketSource& source) : source_(source) {}

  std::unique_ptr<Chunk> make_chunk() const { return source_.make_chunk(); }
  bool claim(Chunk& chunk, const ChunkOptions& options) const { return source_.claim(chunk, options); }
  bool read(Chunk& chunk, FileView& view) const { return source_.read(chunk, view); }
  bool commit(Chunk& chunk, FileView& view) const { return source_.commit(chunk, view); }
  std::int64_t watermark_ns() const { return source_.watermark_ns(); }

 private:
  PacketSource& source_;
};

// A source of files that are read to their end: captures (Trace), or segments that captures were decoded to.
class TraceSource : public PacketSource {
 public:
  // Valid after the end.
  virtual TraceFindings findings() const = 0;
  virtual bool nothing_readable() const { return false; }  // of all that was given
};

}  // namespace warpmeter::inline packet
