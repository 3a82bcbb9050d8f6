// What every ring counts of the frames that it gave.
#include "packet/nic/ring/ring.h"

#include <gtest/gtest.h>

#include "packet/nic/ring/fake_ring.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {
namespace {

std::vector<Frame> frames_of_lengths(std::initializer_list<std::uint32_t> lengths) {
  std::vector<Frame> frames;
  for (const std::uint32_t length : lengths) frames.push_back({nullptr, 0, 100, length, kLinkEthernet});
  return frames;
}

TEST(Ring, CountsFramesLongerThanThoseOfItsInterface) {
  FakeRing ring;
  EXPECT_EQ(ring.measure(frames_of_lengths({1500, 60'000})), 200u);
  EXPECT_EQ(ring.uncut(), 0u) << "nobody knows how long they may be";
  ring.set_longest_frame(1522);
  ring.measure(frames_of_lengths({1500, 60'000, 1522, 1523}));
  EXPECT_EQ(ring.uncut(), 2u);
}

TEST(Ring, AsksAgainBeforeItCountsThem) {
  FakeRing ring;
  std::uint32_t longest = 1522;
  int asked = 0;
  ring.ask_for_longest_frame([&] {
    ++asked;
    return longest;
  });
  ring.set_longest_frame(longest);
  ring.measure(frames_of_lengths({1500, 1522}));
  EXPECT_EQ(asked, 0);
  longest = 9022;  // the MTU was raised
  ring.measure(frames_of_lengths({1500, 9022}));
  EXPECT_EQ(ring.uncut(), 0u);
  ring.measure(frames_of_lengths({9022}));
  EXPECT_EQ(asked, 1);
  longest = 1522;  // it is less again: that is told, for longer ones may be on their way
  ring.measure(frames_of_lengths({9022, 9023, 60'000}));
  EXPECT_EQ(ring.uncut(), 2u);
}

}  // namespace
}  // namespace warpmeter::test
