// Turns come in the order of their numbers, whoever asks first; where somebody fails, nobody waits for ever.
#include "base/threads/sequencer.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/threads/in_threads.h"

namespace warpmeter {
namespace {

TEST(Sequencer, GivesTurnsInTheirOrder) {
  Sequencer turns;
  std::vector<unsigned> order;  // by whose turn it is
  constexpr unsigned kTurns = 8;
  in_threads(kTurns, [&](unsigned i) {
    const unsigned number = kTurns - 1 - i;
    ASSERT_TRUE(turns.wait_for(number));
    order.push_back(number);
    turns.end();
  });
  EXPECT_EQ(order, (std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Sequencer, WaitsForNobodyBehindAFailure) {
  Sequencer turns;
  bool came = true;
  {
    const std::jthread waits([&] { came = turns.wait_for(1); });
    turns.fail();
  }
  EXPECT_FALSE(came);
  EXPECT_FALSE(turns.wait_for(0));
}

}  // namespace
}  // namespace warpmeter
