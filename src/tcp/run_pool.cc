#include "tcp/run_pool.h"

#include <array>
#include <iterator>
#include <utility>

namespace warpmeter {
namespace {

// Steps from the highest run down before an index is made, or asked.
constexpr int kSteps = 16, kStepsBeforeIndex = 2;

// With its last run goes what is joined. It is that of the lowest runs.
void drop_joined(RareStream& rare, RunNumber run) {
  const auto lowest = rare.joined.begin();
  if (lowest != rare.joined.end() && lowest->second.last == run) rare.joined.erase(lowest);
}

std::size_t index_of(StreamSide side) { return static_cast<std::size_t>(side); }

}  // namespace

RunNumber RunPool::at_or_below(Tcb& c, StreamSide side, std::int64_t number) {
  Stream& stream = stream_of(c, side);
  RunNumber at = stream.highest_run;
  if (at && number < runs_[stream.lowest_run].start) return 0;
  const int steps = stream.rare && stream.rare->is_indexed ? kStepsBeforeIndex : kSteps;
  for (int i = 0; i < steps; ++i) {
    if (!at || runs_[at].start <= number) return at;
    at = runs_[at].below;
  }
  if (!at) return 0;
  RareStream& rare = rare_of(stream, memory_);
  if (!rare.is_indexed) {
    for (RunNumber run = stream.lowest_run; run; run = runs_[run].above) {
      rare.runs.emplace_hint(rare.runs.end(), runs_[run].start, run);
    }
    rare.is_indexed = true;
  }
  const auto above = rare.runs.upper_bound(number);
  return above == rare.runs.begin() ? 0 : std::prev(above)->second;
}

RunNumber RunPool::next_above(const Tcb& c, StreamSide side, RunNumber below) const {
  return below ? runs_[below].above : stream_of(c, side).lowest_run;
}

void RunPool::insert(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
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
      return;
    }
  }
  if (may_join && above && runs_[above].start == start + length && data + length == runs_[above].data) {
    return grow_down(c, above, start, data);
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
                   .side = side,
                   .is_behind_gap = false};
  link(c, number, below, above);
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
                   .side = run.side,
                   .is_behind_gap = false};
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
                     .side = piece.side,
                     .is_behind_gap = false};
    link(c, number, below[side], above[side]);
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

void RunPool::drop_first(Tcb& c) {
  const RunNumber number = c.first;
  Run& run = runs_[number];
  Stream& stream = stream_of(c, run.side);
  c.first = run.behind;
  (run.behind ? runs_[run.behind].before : c.last) = 0;
  stream.lowest_run = run.above;
  (run.above ? runs_[run.above].below : stream.highest_run) = 0;
  if (run.above) see_gap_below(stream, run.above);
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

}  // namespace warpmeter
