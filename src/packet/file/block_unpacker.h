// Unpackers whose library goes by blocks and says how many bytes it wants next: zstd and lz4.
//
// The library forgets what it has given in a call that fails. So every call gets what was wanted and no more, however
// the bytes are cut, and nothing while an earlier call may still have something to give: what fails gives nothing.
#pragma once

#include <algorithm>
#include <vector>

#include "packet/file/unpacker.h"

namespace warpmeter::inline packet {

class BlockUnpacker : public Unpacker {
 public:
  Step unpack(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) final;

 protected:
  // `wanted`: bytes that the first call gets.
  explicit BlockUnpacker(std::size_t wanted) : wanted_(wanted) {}

  // One call of the library: wanted_ bytes, fewer at the end or where more than kMostHeld are wanted, or none. Sets
  // wanted_ (at least 1), full_ and perhaps problem_.
  virtual Step call(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) = 0;

  std::size_t wanted_;
  bool full_ = false;  // the call used all its room: there may be more

 private:
  // More than any block has; what wants more is skipped and gives nothing.
  static constexpr std::size_t kMostHeld = 5 << 20;

  Step hold(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

  std::vector<std::uint8_t> held_;  // came in pieces, and is less than wanted
};

inline Unpacker::Step BlockUnpacker::unpack(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  if (full_) {
    const Step held_back = call({}, out);
    if (held_back.given || !problem_.empty()) return held_back;
  }
  if (!held_.empty() || in.size() < std::min(wanted_, kMostHeld)) return hold(in, out);
  return call(in.first(std::min(in.size(), wanted_)), out);
}

inline Unpacker::Step BlockUnpacker::hold(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const bool at_end = in.empty();
  Step all;
  do {
    const std::size_t more = std::min(in.size(), wanted_ > held_.size() ? wanted_ - held_.size() : 0);
    held_.insert(held_.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(more));
    in = in.subspan(more);
    all.taken += more;
    if (held_.empty() || (held_.size() < wanted_ && !at_end)) return all;
    const Step step = call(std::span(held_).first(std::min(held_.size(), wanted_)), out);
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(step.taken));
    all.given = step.given;
    if (step.taken == 0) return all;
  } while (all.given == 0 && problem_.empty());
  return all;
}

}  // namespace warpmeter::inline packet
