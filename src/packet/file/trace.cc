#include "packet/file/trace.h"

#include <algorithm>
#include <utility>

#include "packet/file/byte_source.h"
#include "packet/file/capture_links.h"
#include "packet/file/chunked_pcap.h"
#include "packet/file/inputs.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

std::optional<OpenAhead::Opened> OpenAhead::next() {
  if (ready_.empty()) {
    if (next_file_ == files_.size()) return std::nullopt;
    ready_.push_back(open_next());
  }
  Opened opened = std::move(ready_.front());
  ready_.pop_front();
  open_ahead();
  return opened;
}

OpenAhead::Opened OpenAhead::open_next() {
  const std::size_t file = next_file_++;
  try {
    return {open_capture(files_[file].path, stop_, options_), {}, file};
  } catch (const Error& error) {
    return {nullptr, unreadable_file(name_of_input(files_[file].path), error), file};
  }
}

// Not a pipe: opening it waits for its writer, who may wait for us to read another one.
void OpenAhead::open_ahead() {
  while (ready_.size() < kAhead && next_file_ < files_.size() && files_[next_file_].regular) {
    ready_.push_back(open_next());
    if (ready_.back().reader) ready_.back().reader->read_ahead();
  }
}

namespace {

// Each trace tells for itself what it left out.
TraceOptions with_left_out(TraceOptions options) {
  options.capture.left_out = std::make_shared<LeftOut>();
  return options;
}

}  // namespace

Trace::Trace(std::vector<std::string> files, const std::atomic<bool>& stop, const TraceOptions& options)
    : inputs_(files.size()),
      stop_(stop),
      options_(with_left_out(options)),
      files_(look_at_files(std::move(files), options.order, stop, options_.capture)),
      several_(files_.files.size() > 1),
      pipes_(std::any_of(files_.files.begin(), files_.files.end(), [](const auto& file) { return !file.regular; })),
      open_ahead_(files_.files, stop_, options_.capture),
      time_order_(files_.files),
      unreadable_(files_.unreadable) {
  if (nothing_readable()) throw CaptureError(joined(messages_of(unreadable_)));
  // What a pipe gave cannot be claimed again where merging turns out to be necessary later.
  if (several_ && pipes_) {
    merged_ = std::make_unique<MergedFiles>(files_.files, 0, stop_, options_.capture);
    merging_ = true;
  }
}

CaptureFacts Trace::facts() const {
  if (merging_) return merged_->facts();
  return current_ ? current_->facts() : facts_;
}

TraceFindings Trace::findings() const {
  std::vector<std::string> unreadable = messages_of(unreadable_);
  for (std::string& line : options_.capture.left_out->lines()) unreadable.push_back(std::move(line));
  return {.damage = damage_,
          .skips = skips_,
          .unreadable = std::move(unreadable),
          .files_again = files_.again,
          .clamped_times = clamped_times_,
          .odd_fractions = odd_fractions_,
          .time_runs_back_count = time_order_.count(),
          .time_runs_back = time_order_.kept()};
}

// ---- claim

bool Trace::claim(TraceChunk& chunk, const ChunkOptions& options, const PcapCut& cut) {
  chunk.wanted = options.frames;
  if (!claim_next(chunk, options, cut)) return false;
  ++claimed_;
  if (chunk.file) last_chunked_ = claimed_;
  return true;
}

bool Trace::claim_next(TraceChunk& chunk, const ChunkOptions& options, const PcapCut& cut) {
  while (!stop_.load(std::memory_order_relaxed)) {
    if (merging_.load(std::memory_order_acquire)) {
      close_all();
      chunk.merged = true;
      return !merged_ended_.load(std::memory_order_relaxed);
    }
    if (current_ || open_next(chunk.unreadable)) {
      if (claim_in_file(chunk, options, cut)) return true;
    } else if (!chunk.unreadable.empty() || committed_.load(std::memory_order_acquire) < last_chunked_) {
      return true;  // without frames: committing may show that there is more
    } else if (!merging_.load(std::memory_order_acquire)) {
      return false;
    }
  }
  return !chunk.unreadable.empty();
}

// Merging opens its own.
void Trace::close_all() {
  chunked_.reset();
  if (current_) close_current();
  open_ahead_.close();
}

bool Trace::open_next(std::vector<UnreadableFile>& unreadable) {
  while (auto opened = open_ahead_.next()) {
    current_ = std::move(opened->reader);
    current_file_ = opened->file;
    if (current_) return true;
    unreadable.push_back(std::move(opened->problem));
  }
  return false;
}

bool Trace::claim_in_file(TraceChunk& chunk, const ChunkOptions& options, const PcapCut& cut) {
  chunk.of_file = current_file_;
  if (!chunked_) {
    chunked_ = current_->in_chunks();
    if (chunked_ && several_) chunked_->watch_times();
  }
  if (!chunked_) return read_in_claim(chunk, options.frames);
  if (chunked_->claim(chunk, options, cut)) return true;
  chunked_.reset();
  close_current();
  return false;
}

void Trace::close_current() {
  facts_ = current_->facts();
  current_.reset();
}

bool Trace::read_in_claim(TraceChunk& chunk, std::size_t frames) {
  bool more = false;
  try {
    more = current_->read(chunk.block, frames);
  } catch (const Error& error) {
    chunk.unreadable.push_back(unreadable_file(name_of_input(files_.files[chunk.of_file].path), error));
    chunk.cut_off = is_read_error(error);
  }
  chunk.bytes_read = current_->offset() - std::exchange(claimed_bytes_, current_->offset());
  if (several_ && overlaps(chunk)) {
    merge_from_claim(chunk, !more);
    return true;
  }
  if (more) return true;
  note_findings(*current_, name_of_input(files_.files[chunk.of_file].path), chunk);
  claimed_bytes_ = 0;
  close_current();
  return true;
}

// The time of the next file's first packet: if all packets of this one come before, the two do not overlap.
std::optional<std::int64_t> Trace::end_alone(std::size_t file) const {
  if (file + 1 >= files_.files.size() || !merges_with(files_.files[file], files_.files[file + 1])) return std::nullopt;
  return files_.files[file + 1].first_ns;
}

bool Trace::overlaps(TraceChunk& chunk) const {
  const std::vector<Frame>& frames = chunk.block.frames;
  if (frames.empty()) return false;
  chunk.first_ns = chunk.latest_ns = frames.front().time_ns;
  for (const Frame& frame : frames) chunk.latest_ns = std::max(chunk.latest_ns, frame.time_ns);
  const auto end = end_alone(chunk.of_file);
  return end && chunk.latest_ns > *end;
}

// The frames that were read go first; what was read before them is not void.
void Trace::merge_from_claim(TraceChunk& chunk, bool ended) {
  auto merged = std::make_unique<MergedFiles>(files_.files, chunk.of_file, stop_, options_.capture);
  merged->go_on_with(std::move(current_), std::exchange(chunk.block, {}), ended);
  chunk.merged = true;
  const std::lock_guard lock(mutex_);
  if (merging_.load(std::memory_order_relaxed)) return;  // from an earlier place
  merged_ = std::move(merged);
  merging_.store(true, std::memory_order_release);
}

// ---- read and commit

bool Trace::read(TraceChunk& chunk, FileView& view) {
  if (chunk.file) return chunk.file->read(chunk, view);
  return !chunk.merged && !std::exchange(chunk.shown, true);
}

bool Trace::commit(TraceChunk& chunk, FileView& view) {
  const bool right = commit_frames(chunk, view);
  number(chunk, chunk.frames, chunk.bytes_read);
  clamped_times_ += chunk.clamped_times;
  cut_off_ |= chunk.cut_off && frames_read() > 0;
  committed_.fetch_add(1, std::memory_order_release);
  // A pipe that was stopped in the middle of a record, or before it gave anything, is not damaged.
  if (stop_.load(std::memory_order_relaxed)) return right;
  for (UnreadableFile& file : chunk.unreadable) unreadable_.push_back(std::move(file));
  for (Damage& damage : chunk.damage) damage_.push_back(std::move(damage));
  skips_.add(chunk.skips);
  for (OddFractions& odd : chunk.odd_fractions) {
    if (odd_files_.insert(odd.file).second) odd_fractions_.push_back(std::move(odd));
  }
  return right;
}

bool Trace::commit_frames(TraceChunk& chunk, FileView& view) {
  if (voided_) {
    const std::size_t wanted = chunk.wanted;
    chunk.clear();
    chunk.wanted = wanted;
  }
  if (voided_ || chunk.merged) {
    read_merged(chunk);
    return false;
  }
  bool right = true;
  if (chunk.file) {
    right = chunk.file->commit(chunk, view);
    if (must_merge(chunk)) {
      merge_from(chunk);
      read_merged(chunk);
      return false;
    }
    chunk.first_ns = chunk.found->first_ns;
    chunk.latest_ns = chunk.found->latest_ns;
  } else {
    chunk.frames = chunk.block.frames.size();
    chunk.shown = false;
  }
  if (several_ && chunk.frames > 0) time_order_.add(chunk.of_file, chunk.first_ns, chunk.latest_ns);
  return right;
}

bool Trace::must_merge(const TraceChunk& chunk) const {
  if (chunk.found->goes_on) return true;
  const auto end = end_alone(chunk.of_file);
  return end && chunk.frames > 0 && chunk.found->latest_ns > *end;
}

// What was claimed and read from this chunk on is void.
void Trace::merge_from(TraceChunk& chunk) {
  auto merged = std::make_unique<MergedFiles>(files_.files, chunk.of_file, stop_, options_.capture);
  merged->go_on_with(chunk.file->reader_from(chunk, options_.capture), {}, false);
  chunk.bytes_read -= chunk.found->reached - chunk.found->start;
  chunk.damage.clear();
  std::erase_if(chunk.unreadable,
                [&chunk](const UnreadableFile& file) { return file.message == chunk.found->unreadable; });
  chunk.odd_fractions.clear();
  const std::lock_guard lock(mutex_);
  merged_ = std::move(merged);
  voided_ = true;
  merging_.store(true, std::memory_order_release);
}

void Trace::read_merged(TraceChunk& chunk) {
  MergedFiles::Found found;
  chunk.file.reset();
  chunk.block.clear();
  chunk.merged = chunk.shown = false;
  if (!merged_->read(chunk.block, chunk.wanted, found, time_order_)) {
    merged_ended_.store(true, std::memory_order_relaxed);
  }
  chunk.frames = chunk.block.frames.size();
  chunk.bytes_read += found.bytes_read;
  chunk.clamped_times += found.clamped_times;
  for (Damage& damage : found.damage) chunk.damage.push_back(std::move(damage));
  chunk.skips.add(found.skips);
  for (OddFractions& odd : found.odd_fractions) chunk.odd_fractions.push_back(std::move(odd));
  for (UnreadableFile& file : found.unreadable) chunk.unreadable.push_back(std::move(file));
  chunk.cut_off |= found.cut_off;
}

}  // namespace warpmeter::inline packet
