// Where records seem to be, in formats whose records have no mark: at the beginning of a file, and behind damage.
//
// Goes on after damage (--resync): looks for the next place where records seem to be, and counts what is skipped.
//
// The next place is the first one behind the damage where two record headers in a row look right, or one whose record
// ends exactly where the file does. Their times lie within a day of that of the last record before the damage; so that
// a record whose own time is damaged misleads nobody, that is the last one whose time lay itself within a day of the
// one before it (the first of a file is one). Where there is none, the two lie within a day of each other. So the
// next place depends on the file alone, not on how it is read.
//
// Only what lies behind the last such place is looked at, and each byte once: time is linear, whatever is in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "packet/file/byte_source.h"
#include "packet/file/limits.h"
#include "packet/file/trace_findings.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// Formats without a magic number are recognised by their first records: each must look right, and the next one begin
// where it ends. Chance does not do that several times in a row, nor end exactly where the file does.
//
// What a format makes of the bytes where a record may begin.
struct RecordLook {
  std::size_t size;                     // of the whole record, in bytes
  std::optional<std::int64_t> time_ns;  // since 1970; nothing for padding, which proves nothing
};

inline constexpr int kChainPackets = 4;                       // so many are enough
inline constexpr std::size_t kChainBytes = 1 << 20;           // nobody looks further
inline constexpr std::int64_t kChainNs = 86'400'000'000'000;  // from the first packet's time
// 1990: no capture is older, much of what is none seems so.
inline constexpr std::int64_t kChainEarliest = 631'152'000'000'000'000;

// `look(p, left)` returns a RecordLook for the record at `p`, of which `left` bytes are there (at least `header`), or
// nothing if it is none. Fewer packets than kChainPackets do if they fill the file, but for less than a header. None is
// from before `earliest_ns`.
template <class Look>
bool begins_record_chain(ByteSource& source, std::size_t header, Look look, std::int64_t earliest_ns = kChainEarliest) {
  std::optional<std::int64_t> first;
  int packets = 0;
  for (std::size_t at = 0; at < kChainBytes && packets < kChainPackets;) {
    if (!source.need(at + header)) return packets > 0;
    const std::optional<RecordLook> record = look(source.at() + at, source.left() - at);
    if (!record || !source.need(at + record->size)) return false;
    if (!look(source.at() + at, source.left() - at)) return false;  // now that all of it is there
    at += record->size;
    if (!record->time_ns) continue;
    if (!first) first = record->time_ns;
    if (*record->time_ns < earliest_ns || std::abs(*record->time_ns - *first) > kChainNs) return false;
    ++packets;
  }
  return packets > 0;
}

inline constexpr std::int64_t kNearNs = std::int64_t{86'400} * 1'000'000'000;
inline bool is_near(std::int64_t a_ns, std::int64_t b_ns) { return std::abs(a_ns - b_ns) <= kNearNs; }

inline bool has_likely_length(const Frame& frame) { return frame.original - 1 < kMaxCaptured; }

// The time that what follows damage must be near to, from the times of all records before it.
class NearTime {
 public:
  void add(std::int64_t time_ns) {
    if (!last_) first_ = time_ns;
    else if (is_near(time_ns, *last_)) confirmed_ = time_ns;
    last_ = time_ns;
  }
  // Of records with a likely length: zeros and what was read at a wrong place are none.
  void add(const std::vector<Frame>& frames, std::size_t from) {
    for (; from < frames.size(); ++from) {
      if (has_likely_length(frames[from])) add(frames[from].time_ns);
    }
  }
  // What came right behind.
  void append(const NearTime& later) {
    if (!later.last_) return;
    if (later.confirmed_) confirmed_ = later.confirmed_;
    else if (last_ && is_near(*later.first_, *last_)) confirmed_ = later.first_;
    if (!last_) first_ = later.first_;
    last_ = later.last_;
  }
  std::optional<std::int64_t> ns() const { return confirmed_ ? confirmed_ : first_; }

 private:
  std::optional<std::int64_t> first_, last_;
  std::optional<std::int64_t> confirmed_;  // the last that is near the one before it
};

// Do two headers in a row begin here, or one at the end? `look` as of begins_record_chain(). May move the source's
// window. REQUIRES: `header` bytes are there.
template <class Look>
bool goes_on_here(ByteSource& source, std::size_t header, std::optional<std::int64_t> near_ns, const Look& look) {
  const auto first = look(source.at(), source.left());
  if (!first || !first->time_ns || (near_ns && !is_near(*first->time_ns, *near_ns))) return false;
  if (!source.need(first->size + header)) {
    return source.left() == first->size && look(source.at(), source.left()) && source.broken().empty();
  }
  if (!look(source.at(), first->size)) return false;            // now that all of it is there
  const auto second = look(source.at() + first->size, header);  // how much more the window shows makes no difference
  return second && second->time_ns && is_near(*second->time_ns, near_ns ? *near_ns : *first->time_ns);
}

// The search of one reader.
class Resync {
 public:
  explicit Resync(bool wanted) : wanted_(wanted) {}

  bool is_wanted() const { return wanted_; }
  bool is_searching() const { return damage_.has_value(); }

  // Damage ends where the source stands, or behind. REQUIRES: is_wanted().
  void begin(ByteSource& source, Damage damage) {
    damage_ = std::move(damage);
    if (source.left() > 0) source.advance(1);
  }

  // Looks on, until(offset) at most, for a place where goes_on(). Where one is found, or the file has ended, the search
  // is over, and what was skipped is told. The source lends its bytes to nobody after this.
  template <class GoesOn>
  void search(ByteSource& source, std::size_t header, std::uint64_t until, const GoesOn& goes_on) {
    source.lend_to(nullptr);
    for (; source.offset() < until; source.advance(1)) {
      if (source.left() < header && !source.need(header)) {
        source.advance(source.left());
        return end(source);
      }
      if (goes_on()) return end(source);
    }
  }

  // Nothing more will be found.
  void skip_all(ByteSource& source) {
    while (source.skip(kSkipAtOnce)) {
    }
    end(source);
  }

  const Skips& skips() const { return skips_; }
  const std::vector<Damage>& told() const { return told_; }

 private:
  static constexpr std::uint64_t kSkipAtOnce = std::uint64_t{1} << 40;

  void end(const ByteSource& source) {
    damage_->skipped = source.offset() - damage_->offset;
    ++skips_.places;
    skips_.bytes += damage_->skipped;
    if (told_.size() < Skips::kMostTold) told_.push_back(*std::move(damage_));
    else ++skips_.untold;
    damage_.reset();
  }

  bool wanted_;
  std::optional<Damage> damage_;  // behind which is searched
  Skips skips_;
  std::vector<Damage> told_;
};

}  // namespace warpmeter::inline packet
