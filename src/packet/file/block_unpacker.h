// Unpackers whose library goes by blocks and says how many bytes it wants next: zstd and lz4.
//
// The library forgets what it has given in a call that fails. So every call gets what was wanted and no more, however
// the bytes are cut, and nothing while an earlier call may still have something to give: what fails gives nothing.
#pragma once

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

}  // namespace warpmeter::inline packet
