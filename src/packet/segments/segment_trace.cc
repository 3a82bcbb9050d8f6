#include "packet/segments/segment_trace.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/merge/merge_heap.h"
#include "packet/file/trace_files.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

// What is counted where none of the segments are.
DecodeCounters beside_segments(const SegmentSet& set) {
  DecodeCounters counters;
  if (!set.has_first) return counters;
  counters = set.facts.counters;
  counters.frames -= counters.metered - counters.sharing_frame;
  counters.metered = counters.sharing_frame = 0;
  return counters;
}

}  // namespace

void SegmentRows::add(const SegmentFile& file, const SegmentFile::Block& block, std::uint64_t row_frames) {
  if (used_ == blocks_.size()) blocks_.emplace_back();
  Block& to = blocks_[used_];
  file.read(block, buffer_, to.decoder);
  to.file = &file;
  to.row = block.header.row;
  if (to.decoder.frames() > row_frames) file.fail_in_block(to.row, "frames lie beyond the last of the set");
  ++used_;
}

// Calls `take(decoder)` for the block with the next segment, until there are none: over all blocks in the order of
// their frames, so that it does not show that there are several. Segments of one frame in two blocks are of flows that
// have nothing to do with each other.
template <class Take>
void SegmentRows::each_in_order(const Take& take) {
  using Next = std::pair<std::uint32_t, std::size_t>;  // a block's next frame, and its place
  MergeHeap<Next, std::less<>> next;
  for (std::size_t i = 0; i < used_; ++i) {
    if (!blocks_[i].decoder.at_end()) next.add({blocks_[i].decoder.next_frame(), i});
  }
  Block* block = nullptr;
  try {
    while (!next.empty()) {
      block = &blocks_[next.first().second];
      do {  // the only one left, as where there is but one, is taken to its end
        take(block->decoder);
      } while (next.size() == 1 && !block->decoder.at_end());
      if (block->decoder.at_end()) {
        next.drop_first();
      } else {
        next.first().first = block->decoder.next_frame();
        next.first_changed();
      }
    }
  } catch (const Error& error) {
    block->file->fail_in_block(block->row, error.what());
  }
}

// Room and numbers for the segments, behind what is in the batches.
template <class Batch>
void SegmentRows::prepare(std::span<Batch> batches, const HashSeed& hash_seed, DecodeCounters& counters) {
  first_ = batches.front().frames;
  std::size_t segments = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    blocks_[i].decoder.hash_flows(hash_seed);
    segments += blocks_[i].decoder.size();
    counters.frames += blocks_[i].decoder.first_in_frames();
    counters.sharing_frame += blocks_[i].decoder.size() - blocks_[i].decoder.first_in_frames();
  }
  for (Batch& batch : batches) {
    batch.make_room(segments);
    batch.frames += static_cast<std::uint32_t>(frames_);
  }
  counters.add(counters_);
  counters.metered += segments;
}

void SegmentRows::append_to(std::span<SegmentBatch> batches, const HashSeed& hash_seed, DecodeCounters& counters) {
  prepare(batches, hash_seed, counters);
  SegmentAppender appender(batches.front());  // the only one
  each_in_order([&](BlockDecoder& block) {
    const std::uint32_t frame = first_ + block.next_frame();
    BlockDecoder::Flow& flow = block.next_flow();
    const SegmentBatch::Place place = appender.push(flow.hash);
    place.key = flow.key;
    place.segment.frame = frame;
    block.next(flow, place.segment);
  });
}

void SegmentRows::append_to(std::span<PackedBatch> batches, const HashSeed& hash_seed, DecodeCounters& counters) {
  prepare(batches, hash_seed, counters);
  PackedAppender appender(batches);
  each_in_order([&](BlockDecoder& block) {
    KeyedSegment segment;
    segment.segment.frame = first_ + block.next_frame();
    BlockDecoder::Flow& flow = block.next_flow();
    segment.key = hashed_key(flow.key);
    block.next(flow, segment.segment);
    appender.push(segment);
  });
}

SegmentTrace::SegmentTrace(SegmentSets sets, const std::atomic<bool>& stop) : sets_(std::move(sets)), stop_(stop) {
  for (const SegmentSet& set : sets_.sets) {
    bytes_ += set.bytes;
    if (set.facts.counters.metered > 0) watermark_ns_ = std::max(watermark_ns_, set.facts.latest_segment_ns);
  }
}

void SegmentTrace::advance(OpenFile& file) {
  SegmentFile::Block block;
  file.next.reset();
  if (file.file->next(block)) file.next = block;
}

void SegmentTrace::open_files(const SegmentSet& set) {
  files_.clear();
  for (const std::string& path : set.files) {
    files_.push_back({std::make_shared<SegmentFile>(path), std::nullopt});
    if (files_.back().file->set() != set.set) throw Error(path + ": was replaced by a file of another set");
    advance(files_.back());
  }
  row_frames_ = files_.front().file->header().row_frames;
}

bool SegmentTrace::open_set() {
  if (next_set_ == sets_.sets.size()) return false;
  const SegmentSet& set = sets_.sets[next_set_++];
  open_files(set);
  frames_ = set.facts.counters.frames;
  rows_ = std::max<std::uint64_t>(1, (frames_ + row_frames_ - 1) / row_frames_);
  row_ = at_file_ = row_segments_ = 0;
  counters_ = beside_segments(set);
  return true;
}

std::uint64_t SegmentTrace::frames_from(std::uint64_t row) const {
  return frames_ - std::min(frames_, row * row_frames_);
}

// If the file has a block of the row, it becomes a part of the chunk. More segments than frames can have are none of
// one set, and would take memory without end: of every file as for a whole row.
bool SegmentTrace::take(OpenFile& file, SegmentChunk& chunk) {
  if (!file.next || file.next->header.row != row_) return false;
  const std::uint64_t frames = std::min<std::uint64_t>(row_frames_, frames_from(row_));
  row_segments_ += file.next->header.segments;
  if (row_segments_ > most_row_segments(frames)) {
    file.file->fail_in_block(row_, "its set has more segments there than its frames can have");
  }
  chunk.parts.push_back({file.file, *file.next, frames});
  chunk.expected += file.next->header.segments;
  advance(file);
  return true;
}

// The row behind this one; without a segment in this one, the next that has one, or one as far away as the numbers of a
// batch reach: of frames without segments there may be any number in a file of a few bytes.
std::uint64_t SegmentTrace::next_row() const {
  std::uint64_t next = row_ + 1;
  if (row_segments_ > 0) return next;
  next = std::min(rows_, row_ + kMostSkippedFrames / row_frames_);
  for (const OpenFile& file : files_) {
    if (file.next) next = std::min(next, file.next->header.row);
  }
  return std::max(next, row_ + 1);
}

bool SegmentTrace::claim(Chunk& claimed, const ChunkOptions& options) {
  auto& chunk = static_cast<SegmentChunk&>(claimed);
  if (stop_.load(std::memory_order_relaxed)) return false;
  if (row_ == rows_ && !open_set()) return false;
  while (at_file_ < files_.size()) {
    if (take(files_[at_file_++], chunk) && !options.in_order) break;
  }
  if (counters_) chunk.counters = *std::exchange(counters_, std::nullopt);
  const auto is_of_row = [this](const OpenFile& file) { return file.next && file.next->header.row == row_; };
  if (std::any_of(files_.begin() + static_cast<std::ptrdiff_t>(at_file_), files_.end(), is_of_row)) return true;
  const std::uint64_t next = next_row();
  chunk.row_frames = std::min((next - row_) * row_frames_, frames_from(row_));
  if (next > row_ + 1) chunk.expected += chunk.row_frames;  // they fill a batch
  row_ = next;
  at_file_ = row_segments_ = 0;
  if (row_ < rows_) return true;
  for (const OpenFile& file : files_) {
    if (file.next) throw Error(file.file->name() + ": segment file is damaged: more rows than frames");
  }
  return true;
}

bool SegmentTrace::read(Chunk& claimed, FileView&) {
  auto& chunk = static_cast<SegmentChunk&>(claimed);
  if (std::exchange(chunk.shown, true)) return false;
  chunk.rows->begin(chunk.row_frames);
  chunk.rows->count(chunk.counters);
  for (const SegmentChunk::Part& part : chunk.parts) chunk.rows->add(*part.file, part.block, part.row_frames);
  chunk.block.decoded = chunk.rows;
  return true;
}

bool SegmentTrace::commit(Chunk& claimed, FileView&) {
  auto& chunk = static_cast<SegmentChunk&>(claimed);
  std::uint64_t bytes = 0;
  for (const SegmentChunk::Part& part : chunk.parts) {
    bytes += part.block.header.payload_bytes + sizeof part.block.header;
  }
  number(chunk, chunk.row_frames, bytes);
  chunk.parts.clear();  // files are closed as soon as they have been read
  return true;
}

TraceFindings SegmentTrace::findings() const {
  TraceFindings all;
  all.files_again = sets_.files_again;
  std::vector<TraceFile> names;
  for (const SegmentSet& set : sets_.sets) names.push_back({.path = set.name});
  TimeOrder between(names);
  for (std::size_t i = 0; i < sets_.sets.size(); ++i) {
    const SetFacts& facts = sets_.sets[i].facts;
    const TraceFindings& one = facts.findings;
    all.damage.insert(all.damage.end(), one.damage.begin(), one.damage.end());
    all.skips.add(one.skips);
    all.odd_fractions.insert(all.odd_fractions.end(), one.odd_fractions.begin(), one.odd_fractions.end());
    all.unreadable.insert(all.unreadable.end(), one.unreadable.begin(), one.unreadable.end());
    all.files_again += one.files_again;
    all.clamped_times += one.clamped_times;
    all.time_runs_back_count += one.time_runs_back_count;
    all.time_runs_back.insert(all.time_runs_back.end(), one.time_runs_back.begin(), one.time_runs_back.end());
    if (facts.counters.frames > 0) between.add(i, facts.first_ns, facts.latest_ns);
  }
  all.time_runs_back_count += between.count();
  all.time_runs_back.insert(all.time_runs_back.end(), between.kept().begin(), between.kept().end());
  return all;
}

}  // namespace warpmeter::inline packet
