// What leaves a connection's list: blocks, and when a direction is finished.
#include <algorithm>
#include <cstring>

#include "tcp/stream_lists.h"

namespace warpmeter {
namespace {

// Where the next byte of a direction would be, if nothing were missing; nothing: anywhere.
struct Expected {
  std::int64_t number = 0;
  bool is_known = false;
};

Expected expected_of(const Stream& stream) { return {stream.position, stream.has_position}; }

}  // namespace

// Was all that is missing cut off by the capture?
bool StreamLists::is_certain(const Stream& stream, std::int64_t begin, std::int64_t end) const {
  return stream.rare && stream.rare->cut.covers(begin, end);
}

// The run behind the first gap that is worth waiting for; 0: there is none.
RunNumber StreamLists::first_to_wait(const Tcb& c) const {
  std::array<Expected, 2> expected{expected_of(c.streams[0]), expected_of(c.streams[1])};
  std::uint32_t left = c.entries;
  for (RunNumber at = c.first; at; at = runs_[at].behind) {
    const Run& run = runs_[at];
    const int side = static_cast<int>(run.side);
    Expected& next = expected[side];
    if (next.is_known && run.start > next.number && left <= options_.gap_packets &&
        !is_certain(c.streams[side], next.number, run.start)) {
      return at;
    }
    next = {run.end(), true};
    left -= run.entries;
  }
  return 0;
}

void StreamLists::submit(Tcb& c, StreamReason reason, std::uint64_t packet, bool wait) {
  const RunNumber stop = wait ? first_to_wait(c) : 0;
  if (c.first == stop) return;
  list_sub_blocks(c, stop);
  set_pieces();
  consumer_.take(c, {reason, packet, sub_blocks_});
  ++blocks_;
  drop_runs(c, stop);
}

void StreamLists::list_sub_blocks(Tcb& c, RunNumber stop) {
  sub_blocks_.clear();
  first_piece_.clear();
  pieces_.clear();
  for (RunNumber at = c.first; at != stop; at = runs_[at].behind) {
    add_to_sub_blocks(c.streams[static_cast<int>(runs_[at].side)], runs_[at]);
  }
  for (Stream& stream : c.streams) {
    if (stream.rare) {
      cuts_ -= stream.rare->cut.size();
      if (stream.has_position) stream.rare->cut.drop_below(stream.position);
      cuts_ += stream.rare->cut.size();
    }
    if (stream.has_position && stream.reached < stream.position) stream.is_blocked = false;
  }
}

void StreamLists::add_to_sub_blocks(Stream& stream, const Run& run) {
  if (!stream.has_position) {
    stream.base = stream.position = run.start;
    stream.has_position = true;
  }
  const auto gap = static_cast<std::uint64_t>(run.start - stream.position);
  if (gap > 0) {
    rare_of(stream, memory_).gaps.push_back({static_cast<std::uint64_t>(stream.position - stream.base), gap});
    ++gaps_;
    stream.counters.gap_bytes += gap;
  }
  if (sub_blocks_.empty() || sub_blocks_.back().side != run.side || gap > 0) {
    sub_blocks_.push_back({run.side, static_cast<std::uint64_t>(run.start - stream.base), gap, 0, {}});
    first_piece_.push_back(pieces_.size());
  }
  sub_blocks_.back().length += run.length;
  if (first_piece_.back() < pieces_.size() && pieces_.back().data() + pieces_.back().size() == run.data) {
    pieces_.back() = {pieces_.back().data(), pieces_.back().size() + run.length};
  } else {
    pieces_.emplace_back(run.data, run.length);
  }
  stream.position = run.end();
  stream.counters.submitted_bytes += run.length;
}

void StreamLists::set_pieces() {
  first_piece_.push_back(pieces_.size());
  if (!options_.spans && pieces_.size() > sub_blocks_.size()) {
    std::uint64_t bytes = 0;
    for (const SubBlock& sub_block : sub_blocks_) bytes += sub_block.length;
    gathered_.resize(std::max<std::size_t>(gathered_.size(), bytes));
  }
  std::uint8_t* to = gathered_.data();
  for (std::size_t i = 0; i < sub_blocks_.size(); ++i) {
    std::span<StreamPiece> pieces(pieces_.data() + first_piece_[i], pieces_.data() + first_piece_[i + 1]);
    if (!options_.spans && pieces.size() > 1) {
      const std::uint8_t* const begin = to;
      for (const StreamPiece& piece : pieces) to = std::copy(piece.begin(), piece.end(), to);
      pieces.front() = {begin, to};
      pieces = pieces.first(1);
    }
    sub_blocks_[i].pieces = pieces;
  }
}

void StreamLists::drop_runs(Tcb& c, RunNumber stop) {
  while (c.first != stop) runs_.drop_first(c);
  if (!c.buffer) return;
  if (c.first) return move_buffer(c, buffers_.room_for(c.buffered));
  buffers_.give_back(c.buffer, c.capacity);
  c.buffer = nullptr;
  c.used = c.capacity = 0;
}

bool StreamLists::reaches_fin(Tcb& c, StreamSide side) {
  Stream& stream = c.streams[static_cast<int>(side)];
  if (stream.is_blocked) return false;
  RunNumber at = stream.lowest_run;
  if (!stream.has_position && !at) return true;
  std::int64_t& reached = stream.reached;
  const std::int64_t start = stream.has_position ? stream.position : runs_[at].start;
  if (!stream.knows_reached || reached < start) reached = start;
  stream.knows_reached = true;
  if (const RunNumber below = runs_.at_or_below(c, side, reached)) at = below;
  while (true) {
    for (; at && runs_[at].start <= reached; at = runs_[at].above) reached = std::max(reached, runs_[at].end());
    if (!at && reached >= stream.fin) return true;
    const std::int64_t next = at ? runs_[at].start : stream.fin;
    if (stream.rare) reached = stream.rare->cut.first_missing(reached, next);
    if (reached < next) {
      stream.is_blocked = true;
      return false;
    }
    if (!at) return true;
  }
}

void StreamLists::count_last_gap(Stream& stream) {
  if (!stream.has_fin || !stream.has_position || stream.fin <= stream.position) return;
  const auto gap = static_cast<std::uint64_t>(stream.fin - stream.position);
  rare_of(stream, memory_).gaps.push_back({static_cast<std::uint64_t>(stream.position - stream.base), gap});
  ++gaps_;
  stream.counters.gap_bytes += gap;
}

void StreamLists::drop(Tcb& c) {
  drop_runs(c, 0);
  for (Stream& stream : c.streams) {
    if (!stream.rare) continue;
    gaps_ -= stream.rare->gaps.size();
    cuts_ -= stream.rare->cut.size();
    stream.rare.reset();
  }
}

}  // namespace warpmeter
