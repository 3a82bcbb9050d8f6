#include "stream/reassembly/run_pool.h"

#include <array>
#include <iterator>
#include <utility>

namespace warpmeter::inline stream {
namespace {

// From where the one before was, before an index is made, or asked.
constexpr int kSteps = 16;

// With its last run goes what is joined. It is that of the lowest runs.
void drop_joined(RareStream& rare, RunNumber run) {
  const auto lowest = rare.joined.begin();
  if (lowest != rare.joined.end() && lowest->second.last == run) rare.joined.erase(lowest);
}

std::size_t index_of(StreamSide side) { return static_cast<std::size_t>(side); }

}  // namespace

RunNumber RunPool::at_or_below(Tcb& c, StreamSide side, std::int64_t number) {
  Stream& stream = stream_of(c, side);
  if (!stream.highest_run || runs_[stream.highest_run].start <= number) return stream.highest_run;
  if (number < runs_[stream.lowest_run].start) return 0;
  if (const RunNumber near = near_recent(stream, number)) return stream.recent_run = near;
  RareStream& rare = rare_of(stream, memory_);
  if (!rare.is_indexed) {
    for (RunNumber run = stream.lowest_run; run; run = runs_[run].above) {
      rare.runs.emplace_hint(rare.runs.end(), runs_[run].start, run);
    }
    rare.is_indexed = true;
  }
  return stream.recent_run = std::prev(rare.runs.upper_bound(number))->second;
}

// The same where it is a few steps from where the one before was; else 0. REQUIRES: it is neither the highest nor none.
RunNumber RunPool::near_recent(const Stream& stream, std::int64_t number) const {
  RunNumber at = stream.recent_run ? stream.recent_run : stream.highest_run;
  int steps = kSteps;
  while (runs_[at].start > number) {
    if (steps-- == 0) return 0;
    at = runs_[at].below;
  }
  while (runs_[runs_[at].above].start <= number) {
    if (steps-- == 0) return 0;
    at = runs_[at].above;
  }
  return at;
}

RunNumber RunPool::next_above(const Tcb& c, StreamSide side, RunNumber below) const {
  return below ? runs_[below].above : stream_of(c, side).lowest_run;
}

RunNumber RunPool::insert(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                          RunNumber below, bool may_join) {
  const RunNumber above = next_above(c, side, below);
  const RunNumber before = above ? runs_[above].before : c.last;
  ++c.run_entries;
  c.buffered += length;
  if (may_join && below && before == below) {
    Run& run = runs_[below];
    if (run.end() == start && run.data + run.length == data) {
      run.length += length;
      ++run.entries;
      if (above) see_gap_below(stream_of(c, side), above);
      return below;
    }
  }
  if (may_join && above && runs_[above].start == start + length && data + length == runs_[above].data) {
    grow_down(c, above, start, data);
    return above;
  }
  const RunNumber number = make();
  runs_[number] = {.data = data,
                   .start = start,
                   .length = length,
                   .entries = 1,
                   .before = before,
                   .behind = above,
                   .below = below,
                   .above = above,
                   .side = side};
  link(c, number, below, above);
  stream_of(c, side).recent_run = number;
  return number;
}

void RunPool::grow_down(Tcb& c, RunNumber number, std::int64_t start, const std::uint8_t* data) {
  Run& run = runs_[number];
  Stream& stream = stream_of(c, run.side);
  if (stream.rare && stream.rare->is_indexed) {
    auto entry = stream.rare->runs.extract(run.start);
    entry.key() = start;
    stream.rare->runs.insert(std::move(entry));
  }
  run.length += static_cast<std::uint32_t>(run.start - start);
  run.start = start;
  run.data = data;
  ++run.entries;
  see_gap_below(stream, number);
}

void RunPool::link(Tcb& c, RunNumber number, RunNumber below, RunNumber above) {
  const Run& run = runs_[number];
  Stream& stream = stream_of(c, run.side);
  (run.before ? runs_[run.before].behind : c.first) = number;
  (run.behind ? runs_[run.behind].before : c.last) = number;
  (below ? runs_[below].above : stream.lowest_run) = number;
  (above ? runs_[above].below : stream.highest_run) = number;
  if (stream.rare && stream.rare->is_indexed) stream.rare->runs.emplace(run.start, number);
  see_gap_below(stream, number);
  if (above) see_gap_below(stream, above);
}

void RunPool::see_gap_below(Stream& stream, RunNumber number) {
  Run& run = runs_[number];
  const std::int64_t begin = run.below ? runs_[run.below].end() : run.start;
  const bool is_gap = begin < run.start && !(stream.rare && stream.rare->cut.covers(begin, run.start));
  stream.open_gaps += static_cast<std::uint32_t>(is_gap) - static_cast<std::uint32_t>(run.is_behind_gap);
  run.is_behind_gap = is_gap;
}

void RunPool::see_cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end) {
  RunNumber at = next_above(c, side, at_or_below(c, side, begin));
  for (; at; at = runs_[at].above) {
    const RunNumber below = runs_[at].below;
    if (below && runs_[below].end() >= end) return;
    see_gap_below(stream_of(c, side), at);
  }
}

RunNumber RunPool::split(Tcb& c, RunNumber number, std::int64_t at) {
  const RunNumber second = make();
  Run& run = runs_[number];
  const auto kept = static_cast<std::uint32_t>(at - run.start);
  runs_[second] = {.data = run.data + kept,
                   .start = at,
                   .length = run.length - kept,
                   .entries = 0,
                   .before = number,
                   .behind = run.behind,
                   .below = number,
                   .above = run.above,
                   .side = run.side};
  run.length = kept;
  link(c, second, number, run.above);
  return second;
}

void RunPool::make_runs(Tcb& c, std::span<const PlainPiece> plain) {
  const RunNumber behind = c.first;
  const std::array<RunNumber, 2> above{c.streams[0].lowest_run, c.streams[1].lowest_run};
  std::array<std::int64_t, 2> start{c.streams[0].next, c.streams[1].next};
  std::array<RunNumber, 2> below{};
  RunNumber before = 0;
  for (const PlainPiece& piece : plain) start[index_of(piece.side)] -= piece.length;
  for (const PlainPiece& piece : plain) {
    const std::size_t side = index_of(piece.side);
    const RunNumber number = make();
    runs_[number] = {.data = piece.data,
                     .start = start[side],
                     .length = piece.length,
                     .entries = piece.entries,
                     .before = before,
                     .behind = behind,
                     .below = below[side],
                     .above = above[side],
                     .side = piece.side};
    link(c, number, below[side], above[side]);
    if (piece.is_in_frame) enter_frame(c, number);
    before = below[side] = number;
    start[side] += piece.length;
    c.run_entries += piece.entries;
  }
  c.forget_plain();
}

RunNumber RunPool::make() {
  ++in_use_;
  if (!free_) {
    runs_.emplace_back();
    return static_cast<RunNumber>(runs_.size() - 1);
  }
  const RunNumber number = free_;
  free_ = runs_[number].behind;
  return number;
}

void RunPool::enter_frame(Tcb& c, RunNumber number) {
  Run& run = runs_[number];
  RunNumber& latest = stream_of(c, run.side).latest_in_frame;
  run.is_in_frame = true;
  run.newer_in_frame = 0;
  run.older_in_frame = latest;
  if (latest) runs_[latest].newer_in_frame = number;
  latest = number;
}

void RunPool::leave_frame(Stream& stream, RunNumber number) {
  Run& run = runs_[number];
  run.is_in_frame = false;
  (run.newer_in_frame ? runs_[run.newer_in_frame].older_in_frame : stream.latest_in_frame) = run.older_in_frame;
  if (run.older_in_frame) runs_[run.older_in_frame].newer_in_frame = run.newer_in_frame;
}

void RunPool::leave_frames(Tcb& c) {
  for (Stream& stream : c.streams) {
    while (stream.latest_in_frame) leave_frame(stream, stream.latest_in_frame);
  }
}

void RunPool::drop_first(Tcb& c) {
  const RunNumber number = c.first;
  Run& run = runs_[number];
  Stream& stream = stream_of(c, run.side);
  if (run.is_in_frame) leave_frame(stream, number);
  c.first = run.behind;
  (run.behind ? runs_[run.behind].before : c.last) = 0;
  stream.lowest_run = run.above;
  (run.above ? runs_[run.above].below : stream.highest_run) = 0;
  if (run.above) see_gap_below(stream, run.above);
  if (stream.recent_run == number) stream.recent_run = 0;
  if (stream.rare) drop_joined(*stream.rare, number);
  c.run_entries -= run.entries;
  c.buffered -= run.length;
  if (stream.rare && stream.rare->is_indexed) {
    stream.rare->runs.erase(stream.rare->runs.begin());
    stream.rare->is_indexed = !stream.rare->runs.empty();
  }
  run.behind = free_;
  free_ = number;
  --in_use_;
}

}  // namespace warpmeter::inline stream
