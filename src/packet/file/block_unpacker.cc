#include "packet/file/block_unpacker.h"

#include <algorithm>

namespace warpmeter::inline packet {

Unpacker::Step BlockUnpacker::unpack(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  if (full_) {
    const Step held_back = call({}, out);
    if (held_back.given || !problem_.empty()) return held_back;
  }
  if (!held_.empty() || in.size() < std::min(wanted_, kMostHeld)) return hold(in, out);
  return call(in.first(std::min(in.size(), wanted_)), out);
}

Unpacker::Step BlockUnpacker::hold(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
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
