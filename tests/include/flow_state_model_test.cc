// Random segments against a plain set of seen sequence numbers, which says what section 6 of the definitions says.
// Without SYNs, below which nothing fits, and without strays (tests/flow/meter/strays_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

class SeenModel {
 public:
  void segment(std::uint8_t flags, std::int64_t start, std::int64_t length) {
    const bool fin = flags & kFin;
    if (flags & kRst) return;
    const std::int64_t end = start + length + fin;
    if (any_ && length <= 1 && !fin && start == highest_ - 1) ++keep_alives;
    else if (length > 0) classify(start, start + length);
    for (std::int64_t n = start; n < end; ++n) seen_.insert(n);
    lowest_ = any_ ? std::min(lowest_, start) : start;
    highest_ = any_ ? std::max(highest_, end) : end;
    any_ = true;
  }

  std::uint64_t missing() const { return static_cast<std::uint64_t>(highest_ - lowest_) - seen_.size(); }

  std::uint64_t keep_alives = 0, retransmitted = 0, retransmitted_bytes = 0, out_of_order = 0;

 private:
  void classify(std::int64_t begin, std::int64_t end) {
    const auto again = std::distance(seen_.lower_bound(begin), seen_.lower_bound(end));
    retransmitted += again > 0;
    retransmitted_bytes += static_cast<std::uint64_t>(again);
    out_of_order += again == 0 && any_ && begin < highest_;
  }

  std::set<std::int64_t> seen_;
  std::int64_t lowest_ = 0, highest_ = 0;
  bool any_ = false;
};

std::uint8_t random_flags(std::mt19937& random) {
  switch (random() % 20) {
    case 0: return kFin;
    case 1: return kRst;
    default: return 0x10;
  }
}

void expect_same(const SeenModel& model, const FlowRecord& r) {
  ASSERT_EQ(r.keep_alive_segments, model.keep_alives);
  ASSERT_EQ(r.retransmitted_segments, model.retransmitted);
  ASSERT_EQ(r.retransmitted_bytes, model.retransmitted_bytes);
  ASSERT_EQ(r.out_of_order_segments, model.out_of_order);
  ASSERT_EQ(r.missing_bytes, model.missing());
}

// Starts a little before 2^32, so that the flow wraps on its way.
void run(unsigned seed) {
  constexpr std::int64_t kStart = 0xffffff80;
  std::mt19937 random(seed);
  TcpFlow flow;
  SeenModel model;
  std::int64_t around = kStart;
  for (int i = 0; i < 150; ++i) {
    const std::int64_t start = around + static_cast<std::int64_t>(random() % 60) - 35;
    const auto length = static_cast<std::uint32_t>(random() % 3 ? random() % 20 : random() % 2);
    const std::uint8_t flags = i ? random_flags(random) : 0x10;
    flow.segment(flags, static_cast<std::uint32_t>(start), length);
    model.segment(flags, start, length);
    expect_same(model, flow.record());
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << ", segment " << i;
    around += static_cast<std::int64_t>(random() % 5);
  }
}

TEST(FlowStateModel, RandomSegmentsAgreeWithAPlainSet) {
  for (unsigned seed = 0; seed < 100 && !HasFatalFailure(); ++seed) run(seed);
}

}  // namespace
}  // namespace warpmeter::test
