// What is known of a direction, as one value: where its numbers begin, and how far its end has come.
//
// It says which numbers of a Stream are valid. Every change is a step that has a name; a step that the state has taken
// before changes nothing.
//
// Source: docs/streams.md.
//
// Threads: one owner.
#pragma once

#include <cstdint>

namespace warpmeter::inline stream {

class StreamState {
 public:
  // Were there segments?
  bool has_segments() const { return start_ >= Start::unplaced; }
  // Is it known where the bytes begin that were neither submitted nor given up?
  bool has_position() const { return start_ >= Start::placed; }
  bool has_isn() const { return start_ == Start::isn; }
  // Was its SYN answered with several ISNs before any byte?
  bool is_ambiguous() const {
    return start_ == Start::ambiguous || start_ == Start::ambiguous_unplaced || start_ == Start::ambiguous_placed;
  }
  bool has_fin() const { return end_ != End::open; }
  bool is_finished() const { return end_ == End::finished; }

  void see_segment() {
    if (!has_segments()) start_ = is_ambiguous() ? Start::ambiguous_unplaced : Start::unplaced;
  }
  // REQUIRES: has_segments().
  void place() {
    if (!has_position()) start_ = is_ambiguous() ? Start::ambiguous_placed : Start::placed;
  }
  // REQUIRES: has_position(), and is_ambiguous() does not hold.
  void see_isn() { start_ = Start::isn; }
  // The ISN was one of several. REQUIRES: no byte has come, and no FIN.
  void forget_start() { start_ = Start::ambiguous; }
  void see_fin() {
    if (end_ == End::open) end_ = End::fin;
  }
  // All bytes up to the FIN have come. REQUIRES: has_fin().
  void finish() { end_ = End::finished; }

 private:
  // By how much is known; of what is ambiguous the same is known as of the one before.
  enum class Start : std::uint8_t {
    silent,  // no segment
    ambiguous,
    unplaced,  // segments, but neither an ISN nor a position
    ambiguous_unplaced,
    placed,  // by what was submitted first
    ambiguous_placed,
    isn
  };
  enum class End : std::uint8_t { open, fin, finished };

  Start start_ = Start::silent;
  End end_ = End::open;
};

}  // namespace warpmeter::inline stream
