// The meter's side of a ring that a feeder fills (warpmeter/feeder_ring.h), and its memory. The feeder is not trusted:
// what lies in shared memory is copied once, and then checked.
//
// Threads: one at a time takes, another one counts; the others may be asked for by any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "packet/nic/feeder/copied_frames.h"
#include "warpmeter/feeder_ring.h"

namespace warpmeter::inline packet {

// Memory that a feeder shares with this process, so that nothing the feeder does later can make it go away: it cannot
// be made smaller (F_SEAL_SHRINK), and its pages are those of a memfd.
struct FeederMemory {
  std::shared_ptr<std::uint8_t> at;  // mapped for as long as anybody holds it
  std::size_t bytes = 0;
};

// `fd` stays the caller's. Throws Error, without the name of the feeder, where that is no sealed memfd of a fitting
// size.
FeederMemory map_feeder_memory(int fd);

class FeederQueue {
 public:
  // Goes on where the meter before ended. Throws Error, without the name of the feeder, if the header is not that of
  // ring `ring` of `rings`.
  FeederQueue(FeederMemory memory, std::uint32_t ring, std::uint32_t rings);

  std::size_t size() const { return data_bytes_; }

  // Copies what has come in, as much as there is room for, and gives its place back to the feeder.
  void take(CopiedFrames& frames);

  // What comes from now on is not taken.
  void shut();

  // What is wrong with the ring, "" if nothing: then nothing more is taken. The frames before that were given.
  const std::string& damage() const { return damage_; }  // also of its counters, once it has ended

  // All frames captured before this time have been given, if take() gave none; FrameBlock::kNothingPassed if the feeder
  // does not tell.
  std::int64_t watermark_ns() const { return watermark_ns_; }

  // Of what the feeder counts, what no meter before has told. Brings that up to date first. A feeder tells at once what
  // it dropped, and what it was offered with its next flush: of the former no more is counted than the latter, less
  // what was taken, leaves. It is all of it when the ring is empty behind a flush, and a feeder that counts wrong makes
  // no more frames of it than it was offered.
  struct Counts {
    std::uint64_t dropped = 0, times_full = 0, missed = 0;
  };
  Counts count();

  double fill() const;                 // the share of the ring that is taken, 0 to 1, as its header has it
  bool has_ended() const;              // the feeder said so
  std::uint64_t heartbeat_ns() const;  // CLOCK_MONOTONIC

 private:
  // One number that the feeder counts up.
  struct Counter {
    std::uint64_t before = 0, seen = 0;
    std::uint64_t update(std::uint64_t now);
  };

  void check_header(const wmf_header& header, std::uint32_t ring, std::uint32_t rings) const;
  void check_reserved() const;
  std::string wrong_position(std::uint64_t write) const;
  std::uint64_t written() const;
  void take_passed(std::int64_t passed);
  void check_sum();
  bool take_record(std::uint64_t write, CopiedFrames& frames);
  bool skip(const wmf_record& filler, std::uint64_t bytes, std::uint64_t left);
  bool is_fitting(const wmf_record& record, std::uint64_t most);
  bool damaged(const std::string& what);

  const FeederMemory memory_;
  wmf_header& header_;        // in shared memory
  const std::uint8_t* data_;  // too
  std::uint64_t data_bytes_ = 0;
  std::uint32_t snaplen_ = 0;
  std::uint64_t read_ = 0, taken_ = 0;
  std::uint64_t last_ = UINT64_MAX;  // position that shut() found
  std::int64_t watermark_ns_;
  std::string damage_;
  Counter dropped_, times_full_, missed_;
};

}  // namespace warpmeter::inline packet
