#include "packet/file/chunked_pcap.h"

#include <algorithm>
#include <utility>

#include "packet/file/byte_source.h"
#include "packet/file/capture_reader.h"
#include "packet/file/file_source.h"
#include "packet/file/limits.h"
#include "packet/file/pcap_guess.h"

namespace warpmeter::inline packet {
namespace {

// Of the first pcap records; enough to tell what size to begin with.
constexpr std::size_t kFirstRecords = 64;
constexpr std::uint64_t kFirstBytes = 64 << 10;

// A chunk holds at most this many bytes a wanted frame: bounds what small pcap records after large ones may cost.
constexpr std::uint64_t kMostBytesPerFrame = 1024;

// Read behind the end of a chunk, where its last frame may end.
constexpr std::uint64_t kBehind = 4 << 10;

// A wrong guess costs a second walk, and one that finds nothing a look at every byte. In a file that is made to
// mislead, or whose headers look like nothing, guessing stops after a few chunks and is tried again every kMisled
// chunks.
constexpr int kMisled = 64;
constexpr int kMostDistrust = 4 * kMisled;

// How far a guess looks: this many bytes or pcap records, whichever is more.
constexpr std::uint64_t kLookFor = 64 << 10;
constexpr std::uint64_t kLookForRecords = 32;

void watch(const std::vector<Frame>& frames, ChunkWalk& walk) {
  if (frames.empty()) return;
  if (walk.frames == frames.size()) walk.first_ns = walk.latest_ns = frames.front().time_ns;
  for (const Frame& frame : frames) walk.latest_ns = std::max(walk.latest_ns, frame.time_ns);
}

std::uint32_t seconds_of(std::int64_t time_ns) { return static_cast<std::uint32_t>(time_ns / 1'000'000'000); }

}  // namespace

ChunkedPcap::ChunkedPcap(std::string name, std::shared_ptr<const RegularFile> file, const PcapFormat& format,
                         std::uint64_t begin, bool resync)
    : name_(std::move(name)),
      file_(std::move(file)),
      format_(format),
      resync_(resync),
      claimed_(begin),
      position_(begin),
      record_bytes_(format.record_header) {
  look_at_first_records();
}

void ChunkedPcap::look_at_first_records() {
  FileView view;
  std::vector<Frame> frames;
  PcapWalk first{claimed_};
  const FileBytes bytes = view.show(*file_, claimed_, claimed_ + kFirstBytes);
  walk_records(format_, bytes, bytes.end, first, frames, kFirstRecords);
  odd_fractions_ = first.odd_fraction != PcapWalk::kNone;
  if (frames.empty()) return;
  record_bytes_ = (first.at - claimed_) / frames.size();
  seconds_ = seconds_of(frames.back().time_ns);
  long_captured_ = std::any_of(frames.begin(), frames.end(), [](const Frame& f) { return f.captured > f.original; });
}

std::uint64_t ChunkedPcap::bytes_of(const ChunkOptions& options) const {
  const std::uint64_t record = std::min(record_bytes_.load(std::memory_order_relaxed), kMostBytesPerFrame);
  return std::min(options.frames * record, options.bytes);
}

bool ChunkedPcap::claim(TraceChunk& chunk, const ChunkOptions& options, const PcapCut& cut) {
  const std::uint64_t size = file_->size();
  if (next_index_ > 0 && (claimed_ == size || ended_.load(std::memory_order_relaxed))) return false;
  chunk.file = shared_from_this();
  chunk.index = next_index_++;
  chunk.begin = claimed_;
  chunk.end = claimed_ + std::min(size - claimed_, cut.bytes ? cut.bytes : bytes_of(options));
  chunk.at_once = cut.at_once;
  chunk.keep = options.keep;
  claimed_ = chunk.end;
  return true;
}

bool ChunkedPcap::may_guess() const { return distrust_.load(std::memory_order_relaxed) < kMostDistrust; }

bool ChunkedPcap::read(TraceChunk& chunk, FileView& view) const {
  chunk.block.clear();
  if (!chunk.again && !chunk.found && !find_start(chunk, view)) return false;
  ChunkWalk& walk = chunk.again ? *chunk.again : *chunk.found;
  const std::uint64_t end = chunk.again ? chunk.found->reached : chunk.end;
  const bool more = walk_on(walk, chunk.at_once, end, chunk.block, view);
  if (chunk.keep && !chunk.block.frames.empty()) chunk.block.leases.push_back(view.lease());
  return more;
}

bool ChunkedPcap::find_start(TraceChunk& chunk, FileView& view) const {
  if (ended_.load(std::memory_order_relaxed)) return false;
  if (committed_.load(std::memory_order_acquire) == chunk.index) {
    chunk.found.emplace(position_.load(std::memory_order_relaxed));  // it stays there until this chunk is committed
  } else if (may_guess()) {
    chunk.guessed = true;
    if (const auto start = guess(chunk, view)) chunk.found.emplace(*start);
  }
  return chunk.found.has_value();
}

// Looks only so far: where nothing is found within many pcap records nothing will be. What is read for it is what will
// be walked through.
std::optional<std::uint64_t> ChunkedPcap::guess(const TraceChunk& chunk, FileView& view) const {
  const std::uint64_t record = record_bytes_.load(std::memory_order_relaxed);
  const std::uint64_t most = std::min(std::max(kLookFor, kLookForRecords * record), chunk.end - chunk.begin);
  const std::uint64_t chain = 2 * PcapGuess::kChain * (format_.record_header + record);
  const std::uint64_t walked = std::min(chunk.at_once, chunk.end + kBehind - chunk.begin);
  const FileBytes bytes = view.show(*file_, chunk.begin, chunk.begin + std::max(most + chain, walked));
  const PcapGuess guess(format_, bytes, file_->size(), seconds_.load(std::memory_order_relaxed),
                        {.long_captured = long_captured_, .odd_fractions = odd_fractions_});
  return guess.find(chunk.begin, chunk.begin + most);
}

// The next piece of a walk that ends where a header begins at `end` or later.
bool ChunkedPcap::walk_on(ChunkWalk& walk, std::uint64_t piece_bytes, std::uint64_t end, FrameBlock& block,
                          FileView& view) const {
  if (walk.over || walk.reached >= end) return false;
  PcapWalk piece{walk.reached};
  std::uint64_t until = std::min(piece.at + piece_bytes, end + kBehind);
  if (const std::uint64_t read = view.read_until(*file_, piece.at); read > piece.at + kBehind)
    until = std::min(until, read);
  FileBytes bytes = view.show(*file_, piece.at, until);
  walk_records(format_, bytes, end, piece, block.frames);
  // A pcap record may be larger than a piece.
  for (std::uint64_t more = kBehind + piece_bytes; piece.is_cut_short() && !bytes.last && block.frames.empty();
       more *= 2) {
    bytes = view.show(*file_, piece.at, piece.at + more);
    walk_records(format_, bytes, end, piece, block.frames);
  }
  if (piece.fault == PcapFault::zeros) {
    piece.zeros_from = file_->zeros_from();
    if (piece.at < piece.zeros_from) walk_records(format_, bytes, end, piece, block.frames);
  }
  if (piece.is_cut_short() && !bytes.last) piece.fault = PcapFault::none;  // the next piece begins there
  walk.reached = piece.at;
  walk.frames += block.frames.size();
  if (!block.frames.empty()) walk.last_ns = block.frames.back().time_ns;
  if (watch_times_) watch(block.frames, walk);
  if (resync_) walk.near.add(block.frames, 0);
  walk.odd_fraction = std::min(walk.odd_fraction, piece.odd_fraction);
  walk.over = piece.fault != PcapFault::none;
  const int error = piece.is_cut_short() ? file_->error() : 0;
  walk.goes_on = piece.fault == PcapFault::next_file || (walk.over && resync_ && !error);
  if (error) walk.unreadable = read_error_text(name_, error, bytes.end);
  else if (walk.over) walk.damage = damage_text(piece, piece.at >= bytes.end);
  return true;
}

std::string ChunkedPcap::damage_text(const PcapWalk& walk, bool between_records) const {
  const std::string text = fault_text(walk.fault, walk.captured);
  if (!walk.is_cut_short() && walk.fault != PcapFault::zeros) return text;
  const std::string problem = file_->problem();
  if (!problem.empty()) return between_records ? problem : text + " (" + problem + ")";
  return file_->grew() ? text + " (" + kStillWritten + ")" : text;
}

bool ChunkedPcap::commit(TraceChunk& chunk, FileView& view) {
  const std::uint64_t position = position_.load(std::memory_order_relaxed);
  const bool right = ended_.load(std::memory_order_relaxed) ? nothing_left_for(chunk) : began_at(position, chunk, view);
  learn_from(chunk);
  chunk.frames = chunk.found->frames;
  chunk.again.emplace(chunk.found->start);
  chunk.bytes_read = position_.load(std::memory_order_relaxed) - std::exchange(told_, position_);
  committed_.fetch_add(1, std::memory_order_release);
  return right;
}

std::unique_ptr<CaptureReader> ChunkedPcap::reader_from(const TraceChunk& chunk, const CaptureOptions& options) const {
  auto source = std::make_unique<FileSource>(name_, file_->clone(), chunk.found->start);
  auto reader = std::make_unique<PcapReader>(name_, std::move(source), format_, before_last_);
  return std::make_unique<ChainedReader>(name_, std::move(reader), options);
}

bool ChunkedPcap::nothing_left_for(TraceChunk& chunk) const {
  const bool right = !chunk.found || chunk.found->frames == 0;
  chunk.found.emplace(position_.load(std::memory_order_relaxed));
  return right;
}

bool ChunkedPcap::began_at(std::uint64_t position, TraceChunk& chunk, FileView& view) {
  const bool right = chunk.found ? chunk.found->start == position : position >= chunk.end;
  judge_guess(chunk, right);
  if (right && chunk.found) return true;
  chunk.found.emplace(position);
  do {
    chunk.block.clear();
  } while (walk_on(*chunk.found, chunk.at_once, chunk.end, chunk.block, view));
  return right;
}

void ChunkedPcap::judge_guess(const TraceChunk& chunk, bool right) {
  const bool misled = chunk.guessed && !right;
  const int distrust = distrust_.load(std::memory_order_relaxed) + (misled ? kMisled : -1);
  distrust_.store(std::clamp(distrust, 0, kMostDistrust + kMisled), std::memory_order_relaxed);
}

// From here on the chunk's pcap records are known to be the file's.
void ChunkedPcap::learn_from(TraceChunk& chunk) {
  const ChunkWalk& walk = *chunk.found;
  position_.store(walk.reached, std::memory_order_relaxed);
  chunk.cut_off = !walk.unreadable.empty();
  if (chunk.cut_off) chunk.unreadable.push_back({name_, walk.unreadable});
  if (!walk.damage.empty()) chunk.damage.push_back({name_, walk.reached, walk.damage});
  if (walk.over) ended_.store(true, std::memory_order_relaxed);
  before_last_ = {.resync = resync_, .near = near_, .odd_fraction = odd_fraction_met_};
  near_.append(walk.near);
  if (walk.odd_fraction != PcapWalk::kNone && !std::exchange(odd_fraction_met_, true)) {
    chunk.odd_fractions.push_back({name_, walk.odd_fraction});
  }
  if (walk.frames == 0) return;
  record_bytes_.store((walk.reached - walk.start) / walk.frames, std::memory_order_relaxed);
  seconds_.store(seconds_of(walk.last_ns), std::memory_order_relaxed);
}

}  // namespace warpmeter::inline packet
