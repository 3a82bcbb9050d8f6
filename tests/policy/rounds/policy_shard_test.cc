// Which connection a packet belongs to, when it ends, and what the packet delivers of it.
#include "policy/rounds/policy_shard.h"

#include <gtest/gtest.h>

#include <map>

#include "policy/rounds/policy_talk.h"
#include "stream/reassembly/reassembler_options.h"

namespace warpmeter {
namespace {

using test::back;
using test::kPolicySecond;
using test::TalkedPacket;
using test::udp;

class ShardTalk : private DeliveryTaker {
 public:
  explicit ShardTalk(std::int64_t timeout_ns = 64 * kPolicySecond, std::size_t memory = 0) {
    ReassemblerOptions options;
    options.timeout_ns = timeout_ns;
    options.spans = options.each_packet = true;
    auto& resource = *std::pmr::new_delete_resource();
    const auto shared = std::make_shared<SharedBuffers>(options.block_size, resource, most_free_of(options, 1));
    DeliveryTaker& taker = *this;
    shard_ = std::make_unique<PolicyShard>(ShardStreams{options, memory, seed_, resource, shared}, taker);
  }

  // What has come of it: "end 1, c0 'abc', 2 server 3" - the connections that ended, what is delivered, its connection,
  // who sent it if that is the server, and how many packets it has of that direction.
  std::string say(const TalkedPacket& packet, std::size_t bytes = 0) {
    log_.clear();
    const PolicyBatch& batch = batch_.fill({packet});
    const PolicyShard::Place place = shard_->take(batch, 0);
    log_ += std::to_string(place.connection->number) + (place.from_server ? " server " : " ") +
            std::to_string(place.connection->packets[place.from_server]);
    settle(place, bytes);
    latest_ = place.connection;
    return log_;
  }
  std::string end() {
    log_.clear();
    shard_->end_all();
    return log_;
  }
  // Of the connection of the latest packet: it has its verdict, and no field is waited for.
  void want_nothing() { latest_->needs_bytes = false; }
  PolicyShard& shard() { return *shard_; }
  void overwrite_seed() { std::ranges::fill(seed_.word, 47); }

 private:
  void settle(const PolicyShard::Place& place, std::size_t bytes) {
    const std::string before = std::exchange(log_, {});
    shard_->settled(*place.connection, bytes);
    log_ = before + (log_.empty() ? "" : ", " + log_.substr(0, log_.size() - 2));
  }
  void delivered(const DeliveredPiece& piece) override {
    log_ += (piece.from_server ? "s" : "c") + std::to_string(piece.offset) + " '" +
            std::string(piece.bytes.begin(), piece.bytes.end()) + "', ";
  }
  void ended(std::unique_ptr<PolicyConnection> connection) override {
    log_ += "end " + std::to_string(connection->number) + ", ";
    ended_.push_back(std::move(connection));
  }

  HashSeed seed_{};
  test::TalkedBatch batch_;
  PolicyConnection* latest_ = nullptr;
  std::unique_ptr<PolicyShard> shard_;
  std::vector<std::unique_ptr<PolicyConnection>> ended_;
  std::string log_;
};

TalkedPacket at(std::int64_t seconds, TalkedPacket packet) {
  packet.time_ns = seconds * kPolicySecond;
  return packet;
}
TalkedPacket tcp(std::uint32_t sequence, const std::string& text, std::uint8_t flags = kAck) {
  return {.text = text, .sequence = sequence, .flags = flags};
}
// The TCP header was cut off, but for its ports.
TalkedPacket headless(const std::string& text) { return {.text = text, .has_header = false}; }

TEST(PolicyShard, ConnectionsAreThoseOfTheReassembler) {
  ShardTalk talk;
  EXPECT_EQ(talk.say(tcp(100, "", kSyn)), "1 1");
  TalkedPacket answer = back(tcp(500, "", kSyn | kAck));
  answer.acknowledged = 101;
  EXPECT_EQ(talk.say(answer), "1 server 1");
  EXPECT_EQ(talk.say(tcp(101, "ab")), "c0 'ab', 1 2");
  EXPECT_EQ(talk.say(back(tcp(501, "xy"))), "s0 'xy', 1 server 2");
  EXPECT_EQ(talk.say(tcp(9000, "", kSyn)), "end 1, 2 1") << "another on the same ports";
  EXPECT_EQ(talk.shard().live(), 1u);
  EXPECT_EQ(talk.end(), "end 2, ");
  EXPECT_EQ(talk.shard().live(), 0u);
}

TEST(PolicyShard, TheServerIsWhoAnswers) {
  ShardTalk talk;
  EXPECT_EQ(talk.say(back(tcp(500, "", kSyn | kAck))), "1 server 1");
  EXPECT_EQ(talk.say(tcp(101, "ab")), "c0 'ab', 1 1");
  ShardTalk midway;
  EXPECT_EQ(midway.say(back(tcp(500, "xy"))), "c0 'xy', 1 1") << "else the client is whoever is met first";
}

TEST(PolicyShard, OfOtherProtocolsEndWithASilence) {
  ShardTalk talk;
  EXPECT_EQ(talk.say(at(0, udp("a"))), "c0 'a', 1 1");
  EXPECT_EQ(talk.say(at(64, back(udp("b")))), "s0 'b', 1 server 1");
  EXPECT_EQ(talk.say(at(20, udp(""))), "1 2") << "time may run back, and nothing is delivered of no payload";
  EXPECT_EQ(talk.say(at(128, udp("c"))), "c0 'c', 1 3") << "the latest packet counts";
  EXPECT_EQ(talk.say(at(193, back(udp("d")))), "end 1, c0 'd', 2 1");
  ShardTalk never(0);
  never.say(at(0, udp("a")));
  EXPECT_EQ(never.say(at(1'000'000, udp("b"))), "c0 'b', 1 2");
}

TEST(PolicyShard, ProtocolsHaveConnectionsOfTheirOwn) {
  ShardTalk talk;
  EXPECT_EQ(talk.say(udp("a")), "c0 'a', 1 1");
  TalkedPacket other = udp("b");
  other.protocol = 132;
  EXPECT_EQ(talk.say(other), "c0 'b', 2 1");
  EXPECT_EQ(talk.say(tcp(1, "c")), "c0 'c', 3 1");
  EXPECT_EQ(talk.say(back(udp("d"))), "s0 'd', 1 server 1");
}

TEST(PolicyShard, VlansAreNoPartOfAConnection) {
  ShardTalk talk;
  TalkedPacket tagged = udp("a");
  tagged.vlan = 7;
  EXPECT_EQ(talk.say(udp("a")), "c0 'a', 1 1");
  EXPECT_EQ(talk.say(tagged), "c0 'a', 1 2");
}

// A segment without data that belongs to no stream has a connection as a datagram has, but delivers nothing.
TEST(PolicyShard, StraysHaveOneUntilAStreamBegins) {
  ShardTalk talk;
  EXPECT_EQ(talk.say(tcp(100, "", kAck)), "1 1");
  EXPECT_EQ(talk.say(back(tcp(500, "", kRst))), "1 server 1");
  EXPECT_EQ(talk.say(back(tcp(500, "x", kRst))), "1 server 2") << "nor does an RST deliver what it says";
  EXPECT_EQ(talk.say(tcp(100, "ab")), "end 1, c0 'ab', 2 1");
  EXPECT_EQ(talk.say(tcp(102, "", kAck)), "2 2");
}

TEST(PolicyShard, AHeaderThatIsCutBeginsANewOne) {
  ShardTalk talk;
  EXPECT_EQ(talk.say(tcp(100, "ab")), "c0 'ab', 1 1");
  EXPECT_EQ(talk.say(headless("0123")), "end 1, c0 '0123', 2 1");
  EXPECT_EQ(talk.say(headless("4")), "c0 '4', 2 2");
  EXPECT_EQ(talk.say(tcp(102, "cd")), "c2 'cd', end 2, 3 1") << "the stream goes on, in another";
  EXPECT_EQ(talk.shard().live(), 1u);
  EXPECT_EQ(talk.end(), "end 3, ");
}

TEST(PolicyShard, BehindAVerdictNothingIsDeliveredUntilAnotherBegins) {
  ShardTalk talk;
  EXPECT_EQ(talk.say(tcp(100, "ab")), "c0 'ab', 1 1");
  talk.want_nothing();
  EXPECT_EQ(talk.say(tcp(102, "cd")), "1 2");
  EXPECT_EQ(talk.say(tcp(104, "ef")), "1 3");
  EXPECT_EQ(talk.say(headless("0123")), "end 1, c0 '0123', 2 1");
  EXPECT_EQ(talk.say(tcp(106, "gh")), "c6 'gh', end 2, 3 1") << "the stream goes on where it was";
  EXPECT_EQ(talk.say(tcp(108, "ij")), "c8 'ij', 3 2");
}

TEST(PolicyShard, AStreamThatIsSilentEndsWithItsNextPacket) {
  ShardTalk talk;
  EXPECT_EQ(talk.say(at(0, tcp(100, "ab"))), "c0 'ab', 1 1");
  EXPECT_EQ(talk.say(at(65, tcp(102, "cd"))), "end 1, c0 'cd', 2 1");
  EXPECT_EQ(talk.say(at(200, tcp(104, ""))), "end 2, 3 1") << "of one without data, begins none";
}

TEST(PolicyShard, DeliversWhatWaitedWithThePacketThatFillsTheHole) {
  ShardTalk talk;
  talk.say(tcp(100, "", kSyn));
  EXPECT_EQ(talk.say(tcp(103, "cd")), "1 2");
  EXPECT_EQ(talk.say(tcp(101, "ab")), "c0 'ab', c2 'cd', 1 3");
  EXPECT_EQ(talk.say(tcp(101, "abcd")), "1 4");
}

TEST(PolicyShard, KeepsTheSeedThatItWasMadeWith) {
  ShardTalk talk;
  EXPECT_EQ(talk.say(tcp(100, "ab")), "c0 'ab', 1 1");
  talk.overwrite_seed();
  EXPECT_EQ(talk.say(tcp(102, "cd")), "c2 'cd', 1 2");
}

TEST(PolicyShard, ManyThatAreSilentEnd) {
  ShardTalk talk;
  for (std::uint16_t i = 0; i < 5000; ++i) {
    TalkedPacket packet = at(i, udp("a"));
    packet.from = static_cast<std::uint16_t>(2000 + i);
    talk.say(packet);
  }
  EXPECT_LT(talk.shard().live(), 5000u);
  EXPECT_GE(talk.shard().live(), 65u);
}

// For want of memory those without packets for longest end, or, if the reassembler knows them, lose what groups keep.
TEST(PolicyShard, WithLittleMemoryForgetsTheOldest) {
  ShardTalk talk(64 * kPolicySecond, 100'000);
  EXPECT_EQ(talk.say(tcp(100, "ab"), 10'000), "c0 'ab', 1 1");
  EXPECT_EQ(talk.say(udp("a"), 40'000), "c0 'a', 2 1");
  EXPECT_EQ(talk.say(tcp(102, "cd"), 40'000), "c2 'cd', 1 2");
  EXPECT_EQ(talk.shard().forgotten(), 0u);
  TalkedPacket third = udp("b");
  third.from = 1001;
  EXPECT_EQ(talk.say(third, 30'000), "c0 'b', 3 1, end 2");
  EXPECT_EQ(talk.shard().forgotten(), 1u);
  EXPECT_EQ(talk.say(third, 70'000), "c0 'b', 3 2");
  EXPECT_EQ(talk.shard().forgotten(), 2u) << "that of TCP stays";
  EXPECT_EQ(talk.say(tcp(104, "ef"), 100), "c4 'ef', 1 3");
  EXPECT_EQ(talk.shard().live(), 2u);
}

}  // namespace
}  // namespace warpmeter
