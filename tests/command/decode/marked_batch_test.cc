// What a set says of its frames: times and link types, of batches one after the other.
#include "command/decode/marked_batch.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

Frame frame_at(std::int64_t time_ns, std::uint16_t link = 1) { return {nullptr, time_ns, 0, 0, link}; }

TEST(FrameMarks, AreOfAllFrames) {
  FrameMarks marks;
  FrameBlock block;
  marks.add(block);
  EXPECT_FALSE(marks.any);
  block.frames = {frame_at(5), frame_at(9, 113), frame_at(7)};
  marks.add(block);
  block.frames = {frame_at(-3, 101)};
  marks.add(block);
  EXPECT_TRUE(marks.any);
  EXPECT_EQ(marks.first_ns, 5);
  EXPECT_EQ(marks.latest_ns, 9);
  EXPECT_EQ(marks.links, (std::set<std::uint16_t>{1, 101, 113}));
}

TEST(FrameMarks, OfBatchesAreAsOfOne) {
  FrameMarks all, one, other;
  FrameBlock block;
  block.frames = {frame_at(-8, 7)};
  one.add(block);
  one.latest_segment_ns = -8;
  block.frames = {frame_at(-9, 1)};
  other.add(block);
  all.add(FrameMarks{});
  EXPECT_FALSE(all.any);
  all.add(one);
  all.add(FrameMarks{});
  all.add(other);
  EXPECT_EQ(all.first_ns, -8);
  EXPECT_EQ(all.latest_ns, -8);
  EXPECT_EQ(all.latest_segment_ns, -8);
  EXPECT_EQ(all.links, (std::set<std::uint16_t>{1, 7}));
}

}  // namespace
}  // namespace warpmeter
