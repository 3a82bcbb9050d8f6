// Capture files as one trace, in the order of time, or as they were named: the PacketSource of files and pipes.
//
// Files whose times do not overlap are read one after the other, each by many threads. That they do not shows only on
// the way: where a chunk holds packets later than the next file's first, all from there on is merged (MergedFiles), by
// the thread that commits. Decoding and all that follows go on in many. The next files are opened ahead (OpenAhead).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "packet/file/capture_reader.h"
#include "packet/file/chunked_pcap.h"
#include "packet/file/merged_files.h"
#include "packet/file/packet_source.h"
#include "packet/file/regular_file.h"
#include "packet/file/trace_files.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// Opens the files of a trace in their order, a few of them before their turn: while one is read, the system fetches the
// beginning of the next ones, or their threads unpack it. Only so few descriptors are open at once, however many files.
//
// Threads: one at a time.
class OpenAhead {
 public:
  static constexpr std::size_t kAhead = 3;  // files

  // `files` and `stop` must outlive it.
  OpenAhead(const std::vector<TraceFile>& files, const std::atomic<bool>& stop, const CaptureOptions& options)
      : files_(files), stop_(stop), options_(options) {}

  struct Opened {
    std::unique_ptr<CaptureReader> reader;  // null: it cannot be read
    UnreadableFile problem;                 // if so
    std::size_t file = 0;                   // its number in `files`
  };

  // Nothing at the end.
  std::optional<Opened> next();

  // Nobody wants any more.
  void close() {
    ready_.clear();
    next_file_ = files_.size();
  }

 private:
  Opened open_next();
  void open_ahead();

  const std::vector<TraceFile>& files_;
  const std::atomic<bool>& stop_;
  const CaptureOptions options_;
  std::size_t next_file_ = 0;
  std::deque<Opened> ready_;
};

struct TraceOptions {
  CaptureOptions capture;
  FileOrder order = FileOrder::given;
};

class Trace : public TraceSource {
 public:
  // Opens every file once and closes it again, so that a mistake shows before the work begins: what cannot be opened,
  // is no capture (of this format) or has an unknown link type is unreadable() from the beginning. `stop` ends the
  // trace early and must outlive it. Throws Error if no file can be read.
  Trace(std::vector<std::string> files, const std::atomic<bool>& stop, const TraceOptions& options = {});

  bool ends() const override { return true; }  // a pipe does when its writer does
  bool repeatable() const override { return !pipes_; }
  unsigned own_threads() const override { return files_.unpacks; }  // a file is unpacked by one. Not known of pipes
  std::uint64_t bytes_in_all() const override { return files_.bytes; }

  // See PacketSource. How pcap files are cut makes no difference but to the time it takes.
  bool claim(TraceChunk& chunk, const ChunkOptions& options, const PcapCut& cut = {});
  static bool read(TraceChunk& chunk, FileView& view);
  bool commit(TraceChunk& chunk, FileView& view);

  const std::vector<UnreadableFile>& unreadable() const { return unreadable_; }
  const std::vector<TraceFile>& files() const { return files_.files; }  // in the order in which they are read

  // Valid after the end.
  CaptureFacts facts() const;  // of the file read last
  TraceFindings findings() const override;
  const std::vector<Damage>& damage() const { return damage_; }
  bool nothing_readable() const override {
    return !stop_ && !cut_off_ && !unreadable_.empty() && unreadable_.size() + files_.again == inputs_;
  }
  std::uint64_t clamped_times() const { return clamped_times_; }
  std::uint64_t files_again() const { return files_.again; }
  const TimeOrder& time_order() const { return time_order_; }

 private:
  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<TraceChunk>(); }
  bool claim(Chunk& chunk, const ChunkOptions& options) override { return claim(of_trace(chunk), options); }
  bool read(Chunk& chunk, FileView& view) override { return read(of_trace(chunk), view); }
  bool commit(Chunk& chunk, FileView& view) override { return commit(of_trace(chunk), view); }
  static TraceChunk& of_trace(Chunk& chunk) { return static_cast<TraceChunk&>(chunk); }

  bool claim_next(TraceChunk& chunk, const ChunkOptions& options, const PcapCut& cut);
  bool open_next(std::vector<UnreadableFile>& unreadable);
  bool claim_in_file(TraceChunk& chunk, const ChunkOptions& options, const PcapCut& cut);
  void close_current();
  void close_all();
  bool read_in_claim(TraceChunk& chunk, std::size_t frames);
  std::optional<std::int64_t> end_alone(std::size_t file) const;
  bool overlaps(TraceChunk& chunk) const;
  void merge_from_claim(TraceChunk& chunk, bool ended);
  bool commit_frames(TraceChunk& chunk, FileView& view);
  bool must_merge(const TraceChunk& chunk) const;
  void merge_from(TraceChunk& chunk);
  void read_merged(TraceChunk& chunk);

  const std::size_t inputs_;
  const std::atomic<bool>& stop_;
  const TraceOptions options_;
  const TraceFiles files_;
  const bool several_;
  const bool pipes_;

  // Of claim().
  OpenAhead open_ahead_;
  std::unique_ptr<CaptureReader> current_;
  std::size_t current_file_ = 0;
  std::shared_ptr<ChunkedPcap> chunked_;  // the current file, if several threads read it
  std::uint64_t claimed_bytes_ = 0;       // of the current file, if it is read in claim()
  CaptureFacts facts_;
  std::uint64_t claimed_ = 0;       // chunks
  std::uint64_t last_chunked_ = 0;  // of those, until the last of a file that several threads read

  // Files that overlap, and what else one thread alone can put in order, commit() reads. From then on, claim() hands
  // out chunks that are to be merged, and those that were claimed before and are not committed are void, if merging was
  // found to be necessary when committing.
  std::mutex mutex_;  // of setting `merged_`, which is read only after `merging_`
  std::unique_ptr<MergedFiles> merged_;
  std::atomic<bool> merging_ = false;
  std::atomic<bool> merged_ended_ = false;
  bool voided_ = false;  // of commit()
  TimeOrder time_order_;

  std::atomic<std::uint64_t> committed_ = 0;  // chunks
  std::uint64_t clamped_times_ = 0;
  std::vector<Damage> damage_;
  Skips skips_;
  std::vector<OddFractions> odd_fractions_;
  std::set<std::string> odd_files_;
  std::vector<UnreadableFile> unreadable_;
  bool cut_off_ = false;  // the system gave no more of a file, behind packets that were read
};

}  // namespace warpmeter::inline packet
