// Which work of streams is ordered.
#include "simulator/stream_order.h"

#include <gtest/gtest.h>

namespace cuda_machine::test {
namespace {

class StreamOrdering : public testing::Test {
 protected:
  Work add(std::uint32_t stream, const std::vector<Work>& after = {}) { return order_.add(stream, after, "work"); }
  bool before(Work a, Work b) const { return order_.ordered_before(a, b); }

  StreamOrder order_;
  const std::uint32_t one_ = order_.add_stream(), two_ = order_.add_stream(), three_ = order_.add_stream();
};

TEST_F(StreamOrdering, WorkOfOneStreamIsInOrder) {
  const Work a = add(one_), b = add(one_);
  EXPECT_TRUE(before(a, b));
  EXPECT_FALSE(before(b, a));
}

TEST_F(StreamOrdering, OfTwoStreamsItIsNot) {
  const Work a = add(one_), b = add(two_);
  EXPECT_FALSE(before(a, b));
  EXPECT_FALSE(before(b, a));
}

TEST_F(StreamOrdering, WhatWaitsComesAfterWhatItWaitsForAndAllBeforeThat) {
  const Work a = add(one_), b = add(one_), later = add(one_);
  const Work unordered = add(two_), waits = add(two_, {b}), next = add(two_);
  EXPECT_TRUE(before(a, waits));
  EXPECT_TRUE(before(b, waits));
  EXPECT_TRUE(before(b, next));
  EXPECT_FALSE(before(later, next));
  EXPECT_FALSE(before(a, unordered));
}

TEST_F(StreamOrdering, ItGoesOnFromStreamToStream) {
  const Work a = add(one_), b = add(two_, {a}), unordered = add(three_), c = add(three_, {b});
  EXPECT_TRUE(before(a, c));
  EXPECT_FALSE(before(a, unordered));
}

TEST_F(StreamOrdering, WhatTheHostHasWaitedForComesBeforeWhatItAdds) {
  const Work a = add(one_), early = add(two_), b = add(one_);
  order_.host_waited_for(a);
  const Work late = add(two_);
  EXPECT_FALSE(before(a, early));
  EXPECT_TRUE(before(a, late));
  EXPECT_FALSE(before(b, late));
}

TEST_F(StreamOrdering, AStreamThatIsGoneCameBefore) {
  const Work a = add(one_), b = add(two_);
  order_.remove_stream(one_);
  EXPECT_TRUE(before(a, b));
  EXPECT_EQ(order_.what(b), "work");
}

}  // namespace
}  // namespace cuda_machine::test
