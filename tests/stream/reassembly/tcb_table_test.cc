#include "stream/reassembly/tcb_table.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "support/stream_segments.h"

namespace warpmeter::test {
namespace {

PayloadSegment ends(std::uint16_t source, std::uint16_t destination) {
  return stream_segment(source, destination, kAck, 0, 0, 0, {}, 0);
}

class TcbTableTest : public testing::Test {
 protected:
  Tcb* find(const PayloadSegment& s) { return table_.find(s, side_); }

  TcbTable table_{*std::pmr::new_delete_resource()};
  StreamSide side_ = StreamSide::client;
};

TEST_F(TcbTableTest, EitherDirectionFindsIt) {
  EXPECT_EQ(find(ends(1, 2)), nullptr);
  Tcb& made = table_.insert(ends(1, 2), false);
  EXPECT_EQ(port_number(made.key.source_port), 1);
  EXPECT_EQ(find(ends(1, 2)), &made);
  EXPECT_EQ(side_, StreamSide::client);
  EXPECT_EQ(find(ends(2, 1)), &made);
  EXPECT_EQ(side_, StreamSide::server);
  EXPECT_EQ(table_.likely(ends(2, 1).hash), &made);
  EXPECT_EQ(find(ends(1, 3)), nullptr);
}

TEST_F(TcbTableTest, TheClientMayBeTheReceiver) {
  Tcb& made = table_.insert(ends(1, 2), true);
  EXPECT_EQ(port_number(made.key.source_port), 2);
  EXPECT_EQ(find(ends(1, 2)), &made);
  EXPECT_EQ(side_, StreamSide::server);
}

TEST_F(TcbTableTest, OfIp6Too) {
  std::array<std::uint8_t, 32> there{}, back{};
  for (std::uint8_t i = 0; i < 32; ++i) there[i] = back[(i + 16) % 32] = i;
  PayloadSegment s = ends(1, 2), answer = ends(2, 1);
  s.version = answer.version = 6;
  s.addresses6 = there.data();
  answer.addresses6 = back.data();
  s.hash = answer.hash = hash_ends(s, {});
  EXPECT_EQ(s.hash, hash_ends(answer, {}));
  Tcb& made = table_.insert(s, false);
  EXPECT_EQ(made.key.source[15], 15);
  EXPECT_EQ(find(answer), &made);
  EXPECT_EQ(side_, StreamSide::server);
  back[31] ^= 1;
  EXPECT_EQ(find(answer), nullptr);
}

TEST_F(TcbTableTest, PortsTurnedAloneAreOthers) {
  table_.insert(ends(1, 2), false);
  PayloadSegment other = ends(2, 1);
  other.addresses4 ^= 1;
  other.hash = ends(1, 2).hash;  // even so
  EXPECT_EQ(find(other), nullptr);
}

// Where none is live any more memory goes, and whoever looks there finds none; then it is there again.
TEST_F(TcbTableTest, WhatNobodyUsesGoes) {
  constexpr std::uint16_t kMany = 1000;
  const std::uint64_t before = table_.held();
  std::vector<Tcb*> made;
  for (std::uint16_t i = 0; i < kMany; ++i) made.push_back(&table_.insert(ends(i, 9), false));
  const std::uint64_t full = table_.held();
  EXPECT_GT(full, before + kMany * sizeof(Tcb));
  for (std::uint16_t i = 1; i < kMany; ++i) table_.erase(*made[i]);
  EXPECT_EQ(table_.held(), full);
  table_.trim();
  EXPECT_LT(table_.held(), full - 8 * kMany / 10 * sizeof(Tcb));
  EXPECT_EQ(find(ends(0, 9)), made[0]);
  EXPECT_FALSE(made[kMany / 2]->is_of(ends(kMany / 2, 9), side_));
  for (std::size_t i = 0; i < table_.slots(); ++i) EXPECT_EQ(table_.at(i).in_use(), &table_.at(i) == made[0]);
  for (std::uint16_t i = 1; i < kMany; ++i) table_.insert(ends(i, 9), false);
  EXPECT_EQ(table_.held(), full);
  for (std::uint16_t i = 0; i < kMany; ++i) EXPECT_NE(find(ends(i, 9)), nullptr);
}

// Against a map, with few hashes, so that all meet.
TEST_F(TcbTableTest, ManyComeAndGo) {
  std::mt19937 random(1);
  std::map<std::uint16_t, Tcb*> there;
  const auto of = [](std::uint16_t port) {
    PayloadSegment s = ends(port, 9);
    s.hash = std::uint64_t{port} % 7 << 60 | port % 5;
    return s;
  };
  for (int i = 0; i < 100'000; ++i) {
    const auto port = static_cast<std::uint16_t>(100 + random() % 400);
    const auto known = there.find(port);
    Tcb* const found = find(of(port));
    ASSERT_EQ(found, known == there.end() ? nullptr : known->second);
    if (!found) {
      there[port] = &table_.insert(of(port), false);
    } else if (random() % 2) {
      table_.erase(*found);
      there.erase(port);
    }
    ASSERT_EQ(table_.live(), there.size());
  }
}

}  // namespace
}  // namespace warpmeter::test
