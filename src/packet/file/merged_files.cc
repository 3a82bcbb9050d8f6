#include "packet/file/merged_files.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "packet/file/byte_source.h"

namespace warpmeter::inline packet {
namespace {

// Frames of one file that are looked at ahead; their descriptions stay in the cache.
constexpr std::size_t kFramesAhead = 512;
constexpr std::size_t kFramesOfMany = 64;  // where very many files are open
// Fewer where they are large: bytes that one file, and a block of all of them, may hold in memory.
constexpr std::uint64_t kBytesAhead = 1 << 20, kBytesOfBlock = 64 << 20;

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
  lent_bytes_ = 0;
  if (auto open = std::move(resumed_); open && (!open->block.frames.empty() || refill(*open, found))) {
    push(std::move(open));
    look_at_next();
  }
  while (block.frames.size() < limit && (lent_bytes_ < kBytesOfBlock || block.frames.empty()) &&
         !stop_.load(std::memory_order_relaxed) && begin_files(found)) {
    if (heads_.size() != 2 || !take_of_two(block, limit, found, order)) take(block, limit, found, order);
  }
  return !block.frames.empty();
}

CaptureFacts MergedFiles::facts() const { return heads_.empty() ? facts_ : heads_.first().open->reader->facts(); }

// Opens all files whose turn it is. False: all have ended.
bool MergedFiles::begin_files(Found& found) {
  while (heads_.empty() || next_place_ < heads_.first().place) {
    if (next_ == files_.size()) return false;
    begin_next(found);
    look_at_next();
  }
  return true;
}

void MergedFiles::look_at_next() {
  next_place_ = {std::numeric_limits<std::int64_t>::max(), kNone};
  if (next_ == files_.size() || heads_.empty()) return;
  const TraceFile& next = files_[next_];
  if (merges_with(files_[heads_.first().place.file], next)) next_place_ = {*next.first_ns, next_};
}

void MergedFiles::begin_next(Found& found) {
  const std::size_t file = next_++;
  auto open = std::make_unique<Open>(Open{.file = file, .reader = nullptr});
  try {
    open->reader = open_capture(files_[file].path, stop_, options_);
  } catch (const Error& error) {
    found.unreadable.push_back(unreadable_file(name_of_input(files_[file].path), error));
    return;
  }
  if (heads_.size() >= kMostOpen) open->reader->park();  // before it takes threads or much memory
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
      open.block.leases.clear();
      open.ended = !open.reader->read(open.block, std::min(open.frames_ahead, many ? kFramesOfMany : kFramesAhead));
    }
  } catch (const Error& error) {
    found.unreadable.push_back(unreadable_file(name_of_input(files_[open.file].path), error));
    found.cut_off |= is_read_error(error);
    open.ended = true;
  }
  found.bytes_read += open.reader->offset() - std::exchange(open.counted, open.reader->offset());
  if (many) open.reader->park();
  measure(open);
  if (!open.block.frames.empty()) return true;
  end(open, found);
  return false;
}

void MergedFiles::measure(Open& open) {
  open.bytes = 0;
  for (const Frame& frame : open.block.frames) open.bytes += frame.captured;
  const std::uint64_t fit = kBytesAhead * open.block.frames.size() / std::max<std::uint64_t>(open.bytes, 1);
  open.frames_ahead = std::clamp<std::uint64_t>(fit, 1, kFramesAhead);
}

void MergedFiles::end(Open& open, Found& found) {
  note_findings(*open.reader, name_of_input(files_[open.file].path), found);
  facts_ = open.reader->facts();
}

void MergedFiles::lend(Open& open, FrameBlock& block) {
  if (open.lent_in == reads_) return;
  block.leases.insert(block.leases.end(), open.block.leases.begin(), open.block.leases.end());
  open.lent_in = reads_;
  lent_bytes_ += open.bytes;
}

// The head's packet is taken. False: its file has ended.
bool MergedFiles::to_next(Head& head, Found& found) {
  Open& open = *head.open;
  if (open.at == open.block.frames.size() && !refill(open, found)) return false;
  head.place.time_ns = open.block.frames[open.at].time_ns;
  return true;
}

// The frames of the first file up to the next packet of any other.
void MergedFiles::take(FrameBlock& block, std::size_t limit, Found& found, TimeOrder& order) {
  Open& first = *heads_.first().open;
  lend(first, block);
  Place until = next_place_;
  for (std::size_t i = 1; i < 3 && i < heads_.size(); ++i) until = std::min(until, heads_[i].place);
  // Of packets at one time the earlier file's come first.
  const std::int64_t last_ns = first.file < until.file ? until.time_ns : until.time_ns - 1;
  const Frame* const begin = first.block.frames.data() + first.at;
  const Frame* const most = begin + std::min(first.block.frames.size() - first.at, limit - block.frames.size());
  const Frame* end = begin;
  std::int64_t latest_ns = begin->time_ns;
  do {
    latest_ns = std::max(latest_ns, end->time_ns);
  } while (++end != most && end->time_ns <= last_ns);
  block.frames.insert(block.frames.end(), begin, end);
  first.at += static_cast<std::size_t>(end - begin);
  order.add(first.file, begin->time_ns, latest_ns);
  if (!to_next(heads_.first(), found)) drop(0);
  heads_.first_changed();
}

// The same for two files, as of two taps whose packets alternate: a quarter of the instructions of take(). False: the
// next packet is one for take(), because time runs back or another file's turn has come.
bool MergedFiles::take_of_two(FrameBlock& block, std::size_t limit, Found& found, TimeOrder& order) {
  if (heads_[1].open->file < heads_[0].open->file) std::swap(heads_[0], heads_[1]);
  Open &earlier = *heads_[0].open, &later = *heads_[1].open;
  lend(earlier, block);
  lend(later, block);
  const Frame* a = earlier.block.frames.data() + earlier.at;
  const Frame* b = later.block.frames.data() + later.at;
  const Frame* const a_end = earlier.block.frames.data() + earlier.block.frames.size();
  const Frame* const b_end = later.block.frames.data() + later.block.frames.size();
  const std::size_t before = block.frames.size();
  std::int64_t floor_ns = order.floor_ns(), latest_ns = floor_ns;
  bool of_later = false;
  for (std::size_t left = limit - before; left > 0 && a != a_end && b != b_end; --left) {
    const bool next_of_later = b->time_ns < a->time_ns;
    const Frame* const next = next_of_later ? b : a;
    if (next->time_ns < floor_ns || next->time_ns >= next_place_.time_ns) break;
    latest_ns = std::max(latest_ns, next->time_ns);
    floor_ns = std::max(floor_ns, next->time_ns - TimeOrder::kMuch);
    block.frames.push_back(*next);
    a += !next_of_later;
    b += next_of_later;
    of_later = next_of_later;
  }
  const bool taken = block.frames.size() > before;
  if (taken) order.add_in_order(of_later ? later.file : earlier.file, latest_ns);
  earlier.at = static_cast<std::size_t>(a - earlier.block.frames.data());
  later.at = static_cast<std::size_t>(b - later.block.frames.data());
  const bool more_of_earlier = to_next(heads_[0], found), more_of_later = to_next(heads_[1], found);
  if (!more_of_later) drop(1);
  if (!more_of_earlier) drop(0);
  heads_.first_changed();
  return taken;
}

void MergedFiles::push(std::unique_ptr<Open> open) {
  heads_.add({{open->block.frames.front().time_ns, open->file}, open.get()});
  open_.push_back(std::move(open));
}

// Its file has ended.
void MergedFiles::drop(std::size_t head) {
  std::erase_if(open_, [ended = heads_[head].open](const auto& open) { return open.get() == ended; });
  heads_.drop(head);
}

}  // namespace warpmeter::inline packet
