// Interfaces that come and go, in a network namespace of the test's own.
#include "packet/nic/ring/followed_interfaces.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "support/numbered_datagrams.h"

namespace warpmeter::test {
namespace {

using Lines = std::vector<std::string>;

bool ip(const std::string& words) { return std::system(("ip link " + words + " 2>/dev/null").c_str()) == 0; }

class FollowedInterfacesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (unshare(CLONE_NEWNET) != 0) {
      GTEST_SKIP() << "the right to make a network namespace (root has it) runs this: " << std::strerror(errno);
    }
    if (!ip("add before index 90 type veth peer name other")) GTEST_SKIP() << "iproute2 with veth runs this";
  }
};

TEST_F(FollowedInterfacesTest, KnowsWhatIsThere) {
  FollowedInterfaces followed({"bef*"});
  const auto now = followed.now();
  EXPECT_EQ(now->size(), 3u);  // lo, too
  EXPECT_EQ(now->at(90).name, "before");
  EXPECT_TRUE(now->at(90).is_followed);
  EXPECT_FALSE(now->at(1).is_followed);
  EXPECT_EQ(followed.take_news(), Lines{});
}

TEST_F(FollowedInterfacesTest, FollowsThemAsTheyComeAndGo) {
  FollowedInterfaces followed({"v*"});
  ObservedPoints points;
  followed.observe_as(points);
  EXPECT_EQ(followed.own_point(), 1u);
  ASSERT_TRUE(ip("add v1 index 91 type veth peer name p1") && ip("delete v1"));
  EXPECT_EQ(followed.now()->at(91).name, "v1");  // packets of it may be in rings
  EXPECT_FALSE(followed.now()->at(91).is_there);
  EXPECT_EQ(followed.now()->at(91).point, 2u);
  EXPECT_EQ(followed.take_news(), (Lines{"v1 appeared", "v1 is gone"}));

  ASSERT_TRUE(ip("add v2 index 91 type veth peer name p2"));  // the same number
  EXPECT_EQ(followed.now()->at(91).point, 3u);
  EXPECT_EQ(points.of(observed_number(1, place_of(3, false))).point->name(), "v2");
  ASSERT_TRUE(ip("set v2 name w2"));
  EXPECT_FALSE(followed.now()->at(91).is_followed);
  EXPECT_EQ(followed.take_news(), (Lines{"v2 appeared", "v2 is gone"}));
}

TEST_F(FollowedInterfacesTest, AsksAgainWhereMessagesWereLost) {
  FollowedInterfaces followed({"v*"}, 1);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(ip("add v" + std::to_string(i) + " type veth peer name p" + std::to_string(i)));
  }
  ASSERT_TRUE(ip("delete before"));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(ip("delete v" + std::to_string(i)));
  int there = 0;
  for (const auto& [index, interface] : *followed.now()) there += interface.is_there && interface.is_followed;
  EXPECT_EQ(there, 10);
  EXPECT_FALSE(followed.now()->at(90).is_there);
}

TEST_F(FollowedInterfacesTest, APortThatLeavesItsBridgeIsThereStill) {
  FollowedInterfaces followed({"before"});
  ASSERT_TRUE(ip("add name bridge type bridge") && ip("set before master bridge") && ip("set before nomaster"));
  EXPECT_TRUE(followed.now()->at(90).is_there);
  EXPECT_EQ(followed.take_news(), Lines{});
}

TEST_F(FollowedInterfacesTest, KnowsHowLongFramesMayBe) {
  ASSERT_TRUE(ip("set before mtu 2000"));
  FollowedInterfaces followed({"before"});
  EXPECT_EQ(followed.now()->at(90).longest_frame, 2022u);
  ASSERT_TRUE(ip("set before mtu 5000"));
  EXPECT_EQ(followed.now()->at(90).longest_frame, 5022u);
  ASSERT_TRUE(ip("set before mtu 1500"));
  EXPECT_EQ(followed.now()->at(90).longest_frame, 5022u);  // such frames may be in rings
}

TEST_F(FollowedInterfacesTest, TellsOnceOfEachWithLongFrames) {
  FollowedInterfaces followed({"before"});
  EXPECT_TRUE(followed.take_those_with_long_frames().empty());
  followed.count_long_frame(90);
  followed.count_long_frame(90);
  followed.count_long_frame(4711);  // there is none
  const auto told = followed.take_those_with_long_frames();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().name, "before");
  followed.count_long_frame(90);
  EXPECT_TRUE(followed.take_those_with_long_frames().empty());
}

TEST_F(FollowedInterfacesTest, CountsForEachForItself) {
  FollowedInterfaces followed({"v*"});
  ASSERT_TRUE(ip("add v2 index 92 type veth peer name p2") && ip("add v1 index 91 type veth peer name p1"));
  followed.now();
  followed.count({{91, 5}, {92, 1}, {91, 2}});
  followed.count_long_frame(91);
  followed.count_lost(92, 3);
  const auto is = [&](std::size_t i, const char* name, std::uint64_t frames, std::uint64_t long_frames,
                      std::uint64_t lost, bool gone) {
    const auto counts = followed.counts();
    ASSERT_LT(i, counts.size());
    EXPECT_EQ(counts[i].interface, name);
    EXPECT_EQ(counts[i].frames, frames);
    EXPECT_EQ(counts[i].long_frames, long_frames);
    EXPECT_EQ(counts[i].lost, lost);
    EXPECT_EQ(counts[i].gone, gone);
  };
  is(0, "v1", 7, 1, 0, false);
  is(1, "v2", 1, 0, 3, false);
  ASSERT_TRUE(ip("delete v1"));
  followed.now();
  is(0, "v1", 7, 1, 0, true);
  ASSERT_TRUE(ip("add v3 index 91 type veth peer name p3"));  // another one
  followed.now();
  EXPECT_EQ(followed.counts().size(), 3u);
  is(0, "v1", 7, 1, 0, true);
  is(2, "v3", 0, 0, 0, false);
  followed.count({{91, 4}});
  ASSERT_TRUE(ip("set v3 name v4") && ip("set v4 name v3"));  // another one, and the first again: by name both are one
  followed.now();
  EXPECT_EQ(followed.counts().size(), 4u);
  is(3, "v3", 4, 0, 0, true);
}

TEST_F(FollowedInterfacesTest, WhatFindsNoRoomAmongPointsIsThePattern) {
  FollowedInterfaces followed({"v*"});
  ObservedPoints points;
  for (std::uint32_t i = 1; i < kMostObservedPoints; ++i) points.add("x", 0);
  followed.observe_as(points);
  ASSERT_TRUE(ip("add v1 index 91 type veth peer name p1"));
  EXPECT_EQ(followed.now()->at(91).point, kMostObservedPoints);
}

}  // namespace
}  // namespace warpmeter::test
