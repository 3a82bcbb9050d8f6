#include "capture/trace.h"

#include <algorithm>
#include <utility>

#include "capture/inputs.h"
#include "capture/stretched_pcap.h"
#include "warpmeter/status.h"

namespace warpmeter {
Trace::Trace(std::vector<std::string> files, const std::atomic<bool>& stop, const TraceOptions& options)
    : inputs_(files.size()),
      stop_(stop),
      options_(options),
      files_(look_at_files(std::move(files), options.order, stop, options.capture)),
      several_(files_.files.size() > 1),
      open_ahead_(files_.files, stop_, options_.capture),
      time_order_(files_.files),
      unreadable_(files_.unreadable) {
  if (nothing_readable()) throw Error(joined(unreadable_));
  // What a pipe gave cannot be claimed again where merging turns out to be necessary later.
  const bool pipes =
      std::any_of(files_.files.begin(), files_.files.end(), [](const auto& file) { return !file.regular; });
  if (several_ && pipes) {
    merged_ = std::make_unique<MergedFiles>(files_.files, 0, stop_, options_.capture);
    merging_ = true;
  }
}

CaptureFacts Trace::facts() const {
  if (merging_) return merged_->facts();
  return current_ ? current_->facts() : facts_;
}

// ---- claim

bool Trace::claim(Stretch& stretch, const StretchOptions& options) {
  stretch.clear();
  stretch.wanted = options.frames;
  if (!claim_next(stretch, options)) return false;
  ++claimed_;
  if (stretch.file) last_stretched_ = claimed_;
  return true;
}

bool Trace::claim_next(Stretch& stretch, const StretchOptions& options) {
  while (!stop_.load(std::memory_order_relaxed)) {
    if (merging_.load(std::memory_order_acquire)) {
      close_all();
      stretch.pending = true;
      return !merged_ended_.load(std::memory_order_relaxed);
    }
    if (current_ || open_next(stretch.unreadable)) {
      if (claim_in_file(stretch, options)) return true;
    } else if (!stretch.unreadable.empty() || settled_.load(std::memory_order_acquire) < last_stretched_) {
      return true;  // without frames: settling may show that there is more
    } else if (!merging_.load(std::memory_order_acquire)) {
      return false;
    }
  }
  return !stretch.unreadable.empty();
}

// Merging opens its own.
void Trace::close_all() {
  stretched_.reset();
  if (current_) close_current();
  open_ahead_.close();
}

bool Trace::open_next(std::vector<std::string>& unreadable) {
  while (auto opened = open_ahead_.next()) {
    current_ = std::move(opened->reader);
    current_file_ = opened->file;
    if (current_) return true;
    unreadable.push_back(std::move(opened->problem));
  }
  return false;
}

bool Trace::claim_in_file(Stretch& stretch, const StretchOptions& options) {
  stretch.of_file = current_file_;
  if (!stretched_) {
    stretched_ = current_->in_stretches();
    if (stretched_ && several_) stretched_->watch_times();
  }
  if (!stretched_) return read_in_claim(stretch, options.frames);
  if (stretched_->claim(stretch, options)) return true;
  stretched_.reset();
  close_current();
  return false;
}

void Trace::close_current() {
  facts_ = current_->facts();
  current_.reset();
}

bool Trace::read_in_claim(Stretch& stretch, std::size_t frames) {
  bool more = false;
  try {
    more = current_->read(stretch.block, frames);
  } catch (const Error& error) {
    stretch.unreadable.emplace_back(error.what());
  }
  stretch.bytes_read = current_->offset() - std::exchange(claimed_bytes_, current_->offset());
  if (several_ && overlaps(stretch)) {
    merge_from_claim(stretch, !more);
    return true;
  }
  if (more) return true;
  if (current_->damage()) stretch.damage.push_back(*current_->damage());
  stretch.clamped_times = current_->clamped_times();
  claimed_bytes_ = 0;
  close_current();
  return true;
}

// The time of the next file's first packet: if all packets of this one come before, the two do not overlap.
std::optional<std::int64_t> Trace::end_alone(std::size_t file) const {
  if (file + 1 >= files_.files.size() || !merges_with(files_.files[file], files_.files[file + 1])) return std::nullopt;
  return files_.files[file + 1].first_ns;
}

bool Trace::overlaps(Stretch& stretch) const {
  const std::vector<Frame>& frames = stretch.block.frames;
  if (frames.empty()) return false;
  stretch.first_ns = stretch.latest_ns = frames.front().time_ns;
  for (const Frame& frame : frames) stretch.latest_ns = std::max(stretch.latest_ns, frame.time_ns);
  const auto end = end_alone(stretch.of_file);
  return end && stretch.latest_ns > *end;
}

// The frames that were read go first; what was read before them is not void.
void Trace::merge_from_claim(Stretch& stretch, bool ended) {
  auto merged = std::make_unique<MergedFiles>(files_.files, stretch.of_file, stop_, options_.capture);
  merged->go_on_with(std::move(current_), std::exchange(stretch.block, {}), ended);
  stretch.pending = true;
  const std::lock_guard lock(mutex_);
  if (merging_.load(std::memory_order_relaxed)) return;  // from an earlier place
  merged_ = std::move(merged);
  merging_.store(true, std::memory_order_release);
}

// ---- walk and settle

bool Trace::walk(Stretch& stretch, FileWindow& window) {
  if (stretch.file) return stretch.file->walk(stretch, window);
  return !stretch.pending && !std::exchange(stretch.shown, true);
}

bool Trace::settle(Stretch& stretch, FileWindow& window) {
  const bool right = settle_frames(stretch, window);
  stretch.first_number = frames_read() + 1;
  frames_read_.fetch_add(stretch.frames, std::memory_order_relaxed);
  bytes_read_.fetch_add(stretch.bytes_read, std::memory_order_relaxed);
  clamped_times_ += stretch.clamped_times;
  settled_.fetch_add(1, std::memory_order_release);
  // A pipe that was stopped in the middle of a record, or before it gave anything, is not damaged.
  if (stop_.load(std::memory_order_relaxed)) return right;
  for (std::string& message : stretch.unreadable) unreadable_.push_back(std::move(message));
  for (Damage& damage : stretch.damage) damage_.push_back(std::move(damage));
  return right;
}

bool Trace::settle_frames(Stretch& stretch, FileWindow& window) {
  if (voided_) {
    const std::size_t wanted = stretch.wanted;
    stretch.clear();
    stretch.wanted = wanted;
  }
  if (voided_ || stretch.pending) {
    read_merged(stretch);
    return false;
  }
  bool right = true;
  if (stretch.file) {
    right = stretch.file->settle(stretch, window);
    if (must_merge(stretch)) {
      merge_from(stretch);
      read_merged(stretch);
      return false;
    }
    stretch.first_ns = stretch.found->first_ns;
    stretch.latest_ns = stretch.found->latest_ns;
  } else {
    stretch.frames = stretch.block.frames.size();
    stretch.shown = false;
  }
  if (several_ && stretch.frames > 0) time_order_.add(stretch.of_file, stretch.first_ns, stretch.latest_ns);
  return right;
}

bool Trace::must_merge(const Stretch& stretch) const {
  if (stretch.found->next_file) return true;
  const auto end = end_alone(stretch.of_file);
  return end && stretch.frames > 0 && stretch.found->latest_ns > *end;
}

// What claims and walks have found from this stretch on is void.
void Trace::merge_from(Stretch& stretch) {
  auto merged = std::make_unique<MergedFiles>(files_.files, stretch.of_file, stop_, options_.capture);
  merged->go_on_with(stretch.file->reader_at(stretch.found->start, options_.capture), {}, false);
  stretch.bytes_read -= stretch.found->reached - stretch.found->start;
  stretch.damage.clear();
  const std::lock_guard lock(mutex_);
  merged_ = std::move(merged);
  voided_ = true;
  merging_.store(true, std::memory_order_release);
}

void Trace::read_merged(Stretch& stretch) {
  MergedFiles::Found found;
  stretch.file.reset();
  stretch.block.clear();
  stretch.pending = stretch.shown = false;
  if (!merged_->read(stretch.block, stretch.wanted, found, time_order_)) {
    merged_ended_.store(true, std::memory_order_relaxed);
  }
  stretch.frames = stretch.block.frames.size();
  stretch.bytes_read += found.bytes_read;
  stretch.clamped_times += found.clamped_times;
  for (Damage& damage : found.damage) stretch.damage.push_back(std::move(damage));
  for (std::string& message : found.unreadable) stretch.unreadable.push_back(std::move(message));
}

}  // namespace warpmeter
