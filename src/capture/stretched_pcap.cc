#include "capture/stretched_pcap.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warpmeter {
namespace {

// Of the first pcap records; enough to tell what size to begin with.
constexpr std::size_t kFirstRecords = 64;

// A stretch holds at most this many bytes a wanted frame: bounds what small pcap records after large ones may cost.
constexpr std::uint64_t kMostBytesPerFrame = 1024;

// More cursors than this gain nothing; and each must have enough records to make up for its guess.
constexpr unsigned kMostCursors = 8;
constexpr std::uint64_t kRecordsPerCursor = 128;

// A wrong guess costs a second walk, and one that finds nothing a look at every byte. In a file that is made to
// mislead, or whose headers look like nothing, guessing stops after a few stretches and is tried again every kMisled
// stretches.
constexpr int kMisled = 64;
constexpr int kMostDistrust = 4 * kMisled;

// How far a guess looks: this many bytes or pcap records, whichever is more.
constexpr std::uint64_t kLookFor = 64 << 10;
constexpr std::uint64_t kLookForRecords = 32;

std::uint32_t seconds_of(const Frame& frame) { return static_cast<std::uint32_t>(frame.time_ns / 1'000'000'000); }

}  // namespace

StretchedPcap::StretchedPcap(std::string name, std::shared_ptr<const FileMapping> mapping, const PcapFormat& format,
                             std::uint64_t begin)
    : name_(std::move(name)),
      mapping_(std::move(mapping)),
      format_(format),
      claimed_(begin),
      size_(mapping_->size()),
      position_(begin),
      record_bytes_(format.record_header) {
  look_at_first_records();
}

void StretchedPcap::look_at_first_records() {
  FrameBlock block;
  std::array<PcapCursor, 1> cursor{{{claimed_, claimed_ + 1, &block}}};
  for (std::size_t i = 0; i < kFirstRecords; ++i) {
    cursor[0].end = std::min(cursor[0].at + 1, mapping_->size());
    warpmeter::walk(bytes(), cursor);
  }
  if (block.frames.empty()) return;
  record_bytes_ = (cursor[0].at - claimed_) / block.frames.size();
  seconds_ = seconds_of(block.frames.back());
  long_captured_ =
      std::any_of(block.frames.begin(), block.frames.end(), [](const Frame& f) { return f.captured > f.original; });
}

std::uint64_t StretchedPcap::wanted_bytes(const StretchOptions& options) const {
  if (options.bytes) return options.bytes;
  return options.frames * std::min(record_bytes_.load(std::memory_order_relaxed), kMostBytesPerFrame);
}

unsigned StretchedPcap::suitable_cursors(std::uint64_t stretch_bytes) const {
  const std::uint64_t records = stretch_bytes / record_bytes_.load(std::memory_order_relaxed);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(records / kRecordsPerCursor, 1, kMostCursors));
}

bool StretchedPcap::claim(Stretch& stretch, const StretchOptions& options) {
  const std::uint64_t size = mapping_->size();
  if (next_index_ > 0 && (claimed_ == size || ended_.load(std::memory_order_relaxed))) return false;
  stretch.file = shared_from_this();
  stretch.index = next_index_++;
  stretch.begin = claimed_;
  stretch.end = claimed_ + std::min(size - claimed_, wanted_bytes(options));
  stretch.cursors = options.cursors ? options.cursors : suitable_cursors(stretch.end - stretch.begin);
  claimed_ = stretch.end;
  return true;
}

bool StretchedPcap::may_guess() const { return distrust_.load(std::memory_order_relaxed) < kMostDistrust; }

// Looks only so far: where nothing is found within many pcap records nothing will be.
std::optional<std::uint64_t> StretchedPcap::guess(const PcapBytes& bytes, std::uint64_t begin,
                                                  std::uint64_t end) const {
  const std::uint64_t most = std::max(kLookFor, kLookForRecords * record_bytes_.load(std::memory_order_relaxed));
  const PcapGuess guess(format_, bytes.data, bytes.size, seconds_.load(std::memory_order_relaxed), long_captured_);
  return guess.find(begin, begin + std::min(most, end - begin));
}

void StretchedPcap::walk(Stretch& stretch) const {
  if (ended_.load(std::memory_order_relaxed)) return;
  if (settled_.load(std::memory_order_acquire) == stretch.index) {
    walk_from(stretch, position_.load(std::memory_order_relaxed));  // it stays there until this stretch is settled
  } else if (may_guess()) {
    stretch.guessed = true;
    if (const auto start = guess(bytes(), stretch.begin, stretch.end)) walk_from(stretch, *start);
  }
}

void StretchedPcap::walk_from(Stretch& stretch, std::uint64_t start) const {
  const PcapBytes bytes = this->bytes();
  if (stretch.parts.size() < stretch.cursors) stretch.parts.resize(stretch.cursors);
  stretch.clear_frames();
  if (start > bytes.size) {  // the file shrank
    stretch.walked = Walked{start, start};
    return;
  }
  const std::uint64_t end = std::min(stretch.end, bytes.size);
  std::vector<PcapCursor> cursors = {{start, end, &stretch.parts[0]}};
  const unsigned guesses = may_guess() && end == stretch.end ? add_guessed_cursors(bytes, stretch, cursors) : 0;
  const unsigned found_nothing = guesses - static_cast<unsigned>(cursors.size() - 1);
  warpmeter::walk(bytes, cursors);
  const unsigned wrong = stitch(bytes, cursors);
  const PcapCursor& last = cursors.back();
  stretch.walked = Walked{start, last.at, last.fault, guesses, found_nothing + wrong};
}

// Returns how many places were looked at. A cursor goes on through the parts where nothing looks like a pcap record.
unsigned StretchedPcap::add_guessed_cursors(const PcapBytes& bytes, Stretch& stretch,
                                            std::vector<PcapCursor>& cursors) const {
  const std::uint64_t part = (stretch.end - stretch.begin) / stretch.cursors;
  unsigned guesses = 0;
  for (unsigned i = 1; i < stretch.cursors; ++i) {
    const std::uint64_t begin = stretch.begin + part * i;
    if (begin <= cursors.front().start) continue;
    ++guesses;
    const auto start = guess(bytes, begin, begin + part);
    if (!start) continue;
    cursors.back().end = begin;
    cursors.push_back({*start, stretch.end, &stretch.parts[cursors.size()]});
  }
  return guesses;
}

bool StretchedPcap::settle(Stretch& stretch) {
  size_.store(std::min(size_.load(std::memory_order_relaxed), mapping_->intact()), std::memory_order_relaxed);
  const std::uint64_t position = position_.load(std::memory_order_relaxed);
  const bool right = ended_.load(std::memory_order_relaxed) ? nothing_left_for(stretch) : began_at(position, stretch);
  stretch.bytes_read = position_.load(std::memory_order_relaxed) - told_;
  told_ += stretch.bytes_read;
  stretch.behind = behind_.passed(position);
  settled_.fetch_add(1, std::memory_order_release);
  return right;
}

void StretchedPcap::drop_pages(const Stretch& stretch) const {
  if (stretch.behind.until > stretch.behind.from) mapping_->drop_pages(stretch.behind.from, stretch.behind.until);
}

bool StretchedPcap::nothing_left_for(Stretch& stretch) const {
  const bool right = stretch.frames() == 0;
  stretch.clear_frames();
  return right;
}

bool StretchedPcap::began_at(std::uint64_t position, Stretch& stretch) {
  const bool right = stretch.walked ? stretch.walked->start == position : position >= stretch.end;
  judge_guesses(stretch, right);
  const bool cut_off = stretch.walked && was_cut_off(stretch);
  if (!right || cut_off || !stretch.walked) walk_from(stretch, position);
  learn_from(stretch);
  return right && !cut_off;
}

// The file has lost bytes since, some of those that the walk came over.
bool StretchedPcap::was_cut_off(const Stretch& stretch) const {
  return size_.load(std::memory_order_relaxed) < std::max(stretch.end, stretch.walked->reached);
}

void StretchedPcap::judge_guesses(const Stretch& stretch, bool right) {
  const bool misled =
      (stretch.guessed && !right) || (stretch.walked && 2 * stretch.walked->mistakes > stretch.walked->guesses);
  const int distrust = distrust_.load(std::memory_order_relaxed) + (misled ? kMisled : -1);
  distrust_.store(std::clamp(distrust, 0, kMostDistrust + kMisled), std::memory_order_relaxed);
}

// From here on the stretch's pcap records are known to be the file's.
void StretchedPcap::learn_from(Stretch& stretch) {
  const Walked& walked = *stretch.walked;
  position_.store(walked.reached, std::memory_order_relaxed);
  const bool shrank = size_.load(std::memory_order_relaxed) < stretch.end;
  if (walked.fault != PcapFault::none || shrank) {
    stretch.damage.push_back({name_, walked.reached, damage_text(walked)});
    ended_.store(true, std::memory_order_relaxed);
  }
  const std::size_t frames = stretch.frames();
  if (frames == 0) return;
  record_bytes_.store((walked.reached - walked.start) / frames, std::memory_order_relaxed);
  for (const FrameBlock& part : stretch.parts) {
    if (!part.frames.empty()) seconds_.store(seconds_of(part.frames.back()), std::memory_order_relaxed);
  }
}

std::string StretchedPcap::damage_text(const Walked& walked) const {
  if (walked.fault == PcapFault::none) return kShrank;
  const std::string text = fault_text(walked.fault, captured_at(walked.reached));
  if (walked.fault == PcapFault::too_long) return text;
  if (size_.load(std::memory_order_relaxed) < mapping_->size()) return text + " (" + kShrank + ")";
  return mapping_->grew() ? text + " (" + kStillWritten + ")" : text;
}

// Of the pcap record at `offset`; 0 where there is no whole header.
std::uint32_t StretchedPcap::captured_at(std::uint64_t offset) const {
  if (size_.load(std::memory_order_relaxed) - offset < format_.record_header) return 0;
  const std::uint8_t* p = mapping_->data() + offset;
  return (format_.swapped ? read_pcap_record<true>(format_, p) : read_pcap_record<false>(format_, p)).captured;
}

}  // namespace warpmeter
