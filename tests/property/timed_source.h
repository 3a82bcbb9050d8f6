// A capture as a live link would give it: a few packets at a time, in memory that goes with its lease, and now and then
// none, because time has passed.
//
// Threads: see PacketSource.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "packet/file/packet_source.h"
#include "support/read_capture.h"

namespace warpmeter::test {

class TimedSource : public PacketSource {
 public:
  // `at_once` packets; behind each, `looks` at the time until the next is there. Behind the last, it is silent for so
  // long.
  TimedSource(std::vector<ReadFrame> frames, std::size_t at_once, unsigned looks, std::int64_t silence_ns)
      : frames_(std::move(frames)), at_once_(at_once), looks_(looks), silence_ns_(silence_ns) {}

  bool ends() const override { return true; }
  bool repeatable() const override { return false; }

 private:
  bool claim(Chunk& chunk, const ChunkOptions&) override {
    if (next_ == frames_.size() && looked_ == looks_) return false;
    if (looked_ < looks_) look(chunk);
    else give(chunk);
    return true;
  }

  void look(Chunk& chunk) {
    ++looked_;
    const std::int64_t from = next_ ? frames_[next_ - 1].time_ns : frames_[0].time_ns;
    const std::int64_t to = next_ < frames_.size() ? frames_[next_].time_ns : from + silence_ns_;
    chunk.block.watermark_ns = from + (to - from) / looks_ * looked_;
  }

  void give(Chunk& chunk) {
    const std::size_t end = std::min(frames_.size(), next_ + at_once_);
    const auto given = std::make_shared<std::vector<ReadFrame>>(frames_.begin() + static_cast<std::ptrdiff_t>(next_),
                                                                frames_.begin() + static_cast<std::ptrdiff_t>(end));
    for (const ReadFrame& f : *given) {
      chunk.block.frames.push_back(
          {f.bytes.data(), f.time_ns, static_cast<std::uint32_t>(f.bytes.size()), f.original, f.link});
    }
    chunk.block.leases.push_back(given);
    chunk.block.watermark_ns = given->back().time_ns;
    next_ = end;
    looked_ = 0;
  }

  const std::vector<ReadFrame> frames_;
  const std::size_t at_once_;
  const unsigned looks_;
  const std::int64_t silence_ns_;
  std::size_t next_ = 0;
  unsigned looked_ = 0;
};

}  // namespace warpmeter::test
