// The packets of files that overlap in time, as one sequence: always the earliest of the next packets of all files, of
// those that are alike that of the file that comes first. A file's own order is kept, even where its time runs back.
//
// A file is open from its first packet's turn to its end. Where more than kMostOpen are so at once, each is closed
// between two looks into it and keeps a few KiB: descriptors and memory stay few however many files overlap.
//
// Threads: one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/merge/merge_heap.h"
#include "packet/file/capture_reader.h"
#include "packet/file/trace_files.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

class MergedFiles {
 public:
  static constexpr std::size_t kMostOpen = 16;

  // Of `files` those from `first` on, which are in their order. `files` and `stop` must outlive it.
  MergedFiles(const std::vector<TraceFile>& files, std::size_t first, const std::atomic<bool>& stop,
              const CaptureOptions& options)
      : files_(files), stop_(stop), options_(options), next_(first) {}

  // The first file has been read in part: `frames` of it are left over, then the reader goes on, if it has not `ended`.
  // Before the first read().
  void go_on_with(std::unique_ptr<CaptureReader> reader, FrameBlock frames, bool ended);

  // What reading brought to light.
  struct Found {
    std::uint64_t bytes_read = 0;
    std::uint64_t clamped_times = 0;
    std::vector<Damage> damage;
    Skips skips;
    std::vector<OddFractions> odd_fractions;
    std::vector<UnreadableFile> unreadable;
    bool cut_off = false;  // one of these has the message of a ReadError
  };

  // Appends frames until the block holds `limit`. False: there are no more.
  bool read(FrameBlock& block, std::size_t limit, Found& found, TimeOrder& order);

  CaptureFacts facts() const;  // of the file that ended last, or of one that is being read

 private:
  struct Open {
    std::size_t file;  // in files_
    std::unique_ptr<CaptureReader> reader;
    FrameBlock block = {};  // frames from `at` on are still to come
    std::size_t at = 0;
    std::uint64_t counted = 0;      // bytes of the file that were told
    std::uint64_t bytes = 0;        // captured, of the block
    std::size_t frames_ahead = 16;  // to look at next, by how large those of this block are
    std::uint64_t lent_in = 0;      // the number of the read() whose block has a share of this one's bytes
    bool ended = false;
  };
  // Packets in the order in which they come.
  struct Place {
    std::int64_t time_ns;
    std::size_t file;
    bool operator<(const Place& other) const {
      return time_ns != other.time_ns ? time_ns < other.time_ns : file < other.file;
    }
  };
  struct Head {
    Place place;  // of the file's next packet
    Open* open;
    bool operator<(const Head& other) const { return place < other.place; }
  };

  bool begin_files(Found& found);
  void look_at_next();
  void begin_next(Found& found);
  bool refill(Open& open, Found& found);
  static void measure(Open& open);
  void end(Open& open, Found& found);
  void take(FrameBlock& block, std::size_t limit, Found& found, TimeOrder& order);
  bool take_of_two(FrameBlock& block, std::size_t limit, Found& found, TimeOrder& order);
  void lend(Open& open, FrameBlock& block);
  bool to_next(Head& head, Found& found);
  void push(std::unique_ptr<Open> open);
  void drop(std::size_t head);

  const std::vector<TraceFile>& files_;
  const std::atomic<bool>& stop_;
  const CaptureOptions options_;
  std::size_t next_;       // the next file to open
  Place next_place_ = {};  // of its first packet, if it may be merged with those that are open; else behind all others
  std::unique_ptr<Open> resumed_;  // that is not in heads_ yet
  std::vector<std::unique_ptr<Open>> open_;
  MergeHeap<Head, std::less<>> heads_;  // of open_
  std::uint64_t reads_ = 0;
  std::uint64_t lent_bytes_ = 0;  // to the block of the read() that goes on
  CaptureFacts facts_;
};

}  // namespace warpmeter::inline packet
