#include "capture/merged_files.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

// Frames of one file that are looked at ahead; their descriptions stay in the cache.
constexpr std::size_t kAhead = 512;
constexpr std::size_t kAheadOfMany = 64;  // where very many files are open

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

void MergedFiles::go_on_with(std::unique_ptr<CaptureReader> reader, FrameBlock frames, bool ended) {
  resumed_ = std::make_unique<Open>(Open{.file = next_++, .reader = std::move(reader)});
  resumed_->counted = resumed_->reader->offset();
  resumed_->block = std::move(frames);
  resumed_->ended = ended;
}

bool MergedFiles::read(FrameBlock& block, std::size_t limit, Found& found, TimeOrder& order) {
  ++reads_;
  if (auto open = std::move(resumed_); open && (!open->block.frames.empty() || refill(*open, found))) {
    push(std::move(open));
  }
  while (block.frames.size() < limit && !stop_.load(std::memory_order_relaxed) && begin_files(found)) {
    take(block, limit, order);
    Open& first = *heads_.front().open;
    if (first.at < first.block.frames.size()) {
      heads_.front().place.time_ns = first.block.frames[first.at].time_ns;
      sink_first();
    } else if (refill(first, found)) {
      heads_.front().place.time_ns = first.block.frames.front().time_ns;
      sink_first();
    } else {
      drop_first();
    }
  }
  return !block.frames.empty();
}

CaptureFacts MergedFiles::facts() const { return heads_.empty() ? facts_ : heads_.front().open->reader->facts(); }

// Opens all files whose turn it is. False: all have ended.
bool MergedFiles::begin_files(Found& found) {
  while (next_ < files_.size() && is_turn_of_next()) begin_next(found);
  return !heads_.empty();
}

bool MergedFiles::is_turn_of_next() const { return heads_.empty() || next_place() < heads_.front().place; }

// Of the next file's first packet, if the file may be merged with those that are open.
MergedFiles::Place MergedFiles::next_place() const {
  const Place never{std::numeric_limits<std::int64_t>::max(), kNone};
  if (next_ == files_.size() || heads_.empty()) return never;
  const TraceFile& next = files_[next_];
  return merges_with(files_[heads_.front().place.file], next) ? Place{*next.first_ns, next_} : never;
}

void MergedFiles::begin_next(Found& found) {
  const std::size_t file = next_++;
  auto open = std::make_unique<Open>(Open{.file = file, .reader = nullptr});
  try {
    open->reader = open_capture(files_[file].path, stop_, options_);
  } catch (const Error& error) {
    found.unreadable.emplace_back(error.what());
    return;
  }
  if (refill(*open, found)) push(std::move(open));
}

// False: the file has ended.
bool MergedFiles::refill(Open& open, Found& found) {
  const bool many = heads_.size() >= kMostOpen;
  open.block.clear();
  open.at = 0;
  open.lent_in = 0;
  try {
    while (!open.ended && open.block.frames.empty()) {
      open.block.bytes.clear();
      open.ended = !open.reader->read(open.block, many ? kAheadOfMany : kAhead);
    }
  } catch (const Error& error) {
    found.unreadable.emplace_back(error.what());
    open.ended = true;
  }
  found.bytes_read += open.reader->offset() - std::exchange(open.counted, open.reader->offset());
  if (many) open.reader->park();
  if (!open.block.frames.empty()) return true;
  end(open, found);
  return false;
}

void MergedFiles::end(Open& open, Found& found) {
  if (open.reader->damage()) found.damage.push_back(*open.reader->damage());
  found.clamped_times += open.reader->clamped_times();
  facts_ = open.reader->facts();
}

// The frames of the first file up to the next packet of any other.
void MergedFiles::take(FrameBlock& block, std::size_t limit, TimeOrder& order) {
  Open& first = *heads_.front().open;
  if (first.lent_in != reads_) {
    block.bytes.insert(block.bytes.end(), first.block.bytes.begin(), first.block.bytes.end());
    first.lent_in = reads_;
  }
  Place until = next_place();
  for (std::size_t i = 1; i < std::min<std::size_t>(heads_.size(), 3); ++i) until = std::min(until, heads_[i].place);
  // In its own file, of alike packets the earlier file's come first.
  const std::int64_t last = first.file < until.file ? until.time_ns : until.time_ns - 1;
  const std::vector<Frame>& frames = first.block.frames;
  const std::int64_t first_ns = frames[first.at].time_ns;
  std::int64_t latest_ns = first_ns;
  const std::size_t most = std::min(frames.size(), first.at + (limit - block.frames.size()));
  do {
    latest_ns = std::max(latest_ns, frames[first.at].time_ns);
    block.frames.push_back(frames[first.at]);
  } while (++first.at < most && frames[first.at].time_ns <= last);
  order.add(first.file, first_ns, latest_ns);
}

void MergedFiles::push(std::unique_ptr<Open> open) {
  const Place place{open->block.frames.front().time_ns, open->file};
  heads_.push_back({place, std::move(open)});
  std::push_heap(heads_.begin(), heads_.end(), [](const Head& a, const Head& b) { return b.place < a.place; });
}

// The first head's packet is later now: it sinks to where it belongs.
void MergedFiles::sink_first() {
  for (std::size_t at = 0;;) {
    std::size_t earliest = at;
    for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heads_.size(); ++child) {
      if (heads_[child].place < heads_[earliest].place) earliest = child;
    }
    if (earliest == at) return;
    std::swap(heads_[at], heads_[earliest]);
    at = earliest;
  }
}

void MergedFiles::drop_first() {
  std::swap(heads_.front(), heads_.back());
  heads_.pop_back();
  if (!heads_.empty()) sink_first();
}

}  // namespace warpmeter
