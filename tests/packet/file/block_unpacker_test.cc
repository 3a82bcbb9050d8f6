// How bytes are handed to a library that goes by blocks: as it wants them, however they come.
#include "packet/file/block_unpacker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/byte_writer.h"

namespace warpmeter::test {
namespace {

// A block is a byte that tells its size, and so many bytes. Wants the size alone, then the block alone; a size of 255
// is bad. Notes what every call got.
class Blocks : public BlockUnpacker {
 public:
  Blocks() : BlockUnpacker(1) {}
  bool at_border() const override { return size_ == 0; }
  std::vector<std::size_t> calls;

 private:
  Step call(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) override {
    calls.push_back(in.size());
    Step step;
    if (!in.empty() && size_ == 0) {
      size_ = in.front();
      if (size_ == 255) problem_ = "bad block";
      wanted_ = std::max<std::size_t>(size_, 1);
      return {1, 0};
    }
    held_back_.insert(held_back_.end(), in.begin(), in.end());
    size_ -= in.size();
    wanted_ = std::max<std::size_t>(size_, 1);
    step.taken = in.size();
    step.given = std::min(held_back_.size(), out.size());
    std::copy_n(held_back_.begin(), step.given, out.begin());
    held_back_.erase(held_back_.begin(), held_back_.begin() + static_cast<std::ptrdiff_t>(step.given));
    full_ = step.given == out.size();
    return step;
  }

  std::size_t size_ = 0;  // of the block, left
  Bytes held_back_;
};

const Bytes kTwoAndABadOne = {3, 'a', 'b', 'c', 5, 'd', 'e', 'f', 'g', 'h', 255, 'x'};

Bytes unpack(Blocks& blocks, const Bytes& file, std::size_t in_piece, std::size_t out_piece) {
  Bytes all;
  std::span<const std::uint8_t> in(file);
  for (;;) {
    Bytes out(out_piece);
    const Unpacker::Step step = blocks.unpack(in.first(std::min(in.size(), in_piece)), out);
    all.insert(all.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(step.given));
    if (!blocks.problem().empty() || (in.empty() && step.given == 0)) return all;
    in = in.subspan(step.taken);
  }
}

TEST(BlockUnpacker, WhatIsUnpackedDoesNotDependOnThePieces) {
  for (const std::size_t in_piece : {1, 2, 3, 4, 100}) {
    for (const std::size_t out_piece : {1, 2, 100}) {
      Blocks blocks;
      const Bytes all = unpack(blocks, kTwoAndABadOne, in_piece, out_piece);
      EXPECT_EQ(std::string(all.begin(), all.end()), "abcdefgh") << in_piece << " " << out_piece;
      EXPECT_EQ(blocks.problem(), "bad block");
      std::erase(blocks.calls, 0);  // for what was held back
      EXPECT_EQ(blocks.calls, (std::vector<std::size_t>{1, 3, 1, 5, 1})) << in_piece << " " << out_piece;
    }
  }
}

TEST(BlockUnpacker, AtTheEndComesWhatThereIs) {
  Blocks blocks;
  EXPECT_EQ(unpack(blocks, {3, 'a', 'b'}, 1, 100), (Bytes{'a', 'b'}));
  EXPECT_FALSE(blocks.at_border());
}

}  // namespace
}  // namespace warpmeter::test
