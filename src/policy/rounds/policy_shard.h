// The connections of one shard, and what each of its packets delivers of them: where policies meet streams.
//
// A packet of TCP goes through the shard's Reassembler, which tells its connection and which bytes are in order now;
// any other packet, and a segment that belongs to no connection, is a stream of its own, and its connection is that of
// its 5-tuple up to a silence.
//
// Source: docs/policies.md, "Connections" and "Streams".
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/policy_batch.h"
#include "policy/rounds/policy_connection.h"
#include "stream/reassembly/reassembler.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline policy {

// Bytes that a packet delivers.
struct DeliveredPiece {
  std::uint64_t offset;  // in their direction
  std::span<const std::uint8_t> bytes;
  bool from_server;
};

// Whom a shard tells; the memory of what it delivers is theirs to keep.
class DeliveryTaker {
 public:
  virtual ~DeliveryTaker() = default;
  // Bytes in order, which stay until this returns, or, if they are the packet's own, with the frame.
  virtual void delivered(const DeliveredPiece& piece) = 0;
  // There are no more packets of it. It is theirs to delete.
  virtual void ended(std::unique_ptr<PolicyConnection> connection) = 0;
};

struct ShardStreams {
  ReassemblerOptions reassembler;
  std::size_t memory_for_state;  // of its connections, bytes; 0: no limit
  const HashSeed& hash_seed;
  std::pmr::memory_resource& memory;
  std::shared_ptr<SharedBuffers> shared;
};

class PolicyShard : private StreamConsumer {
 public:
  // What is referred to must outlive it, `hash_seed` excepted.
  PolicyShard(const ShardStreams& streams, DeliveryTaker& taker);
  ~PolicyShard() override;

  struct Place {
    PolicyConnection* connection;
    bool from_server;
  };
  // The connection of the packet at this place, which is one packet longer now. Tells what it delivers, if that is
  // needed.
  Place take(const PolicyBatch& batch, std::uint32_t at) {
    PayloadSegment s;
    if (is_tcp(batch.segment[at])) prepare(batch, at, s);
    return take(batch, at, s);
  }
  // The same. `s`: what prepare() gave, or, of a packet that is not TCP, any.
  Place take(const PolicyBatch& batch, std::uint32_t at, const PayloadSegment& s);

  // The same of a packet of this flow if it is what comes next of it. False: does nothing, and the others say.
  bool pass(const SettledFlow& flow, const Segment& s, const PacketPayload& payload, std::uint64_t number) {
    return is_tcp(s) && payload.captured == payload.payload_length &&
           reassembler_.pass_muted(*flow.tcb, flow.from_server ? StreamSide::server : StreamSide::client, s,
                                   payload.captured, number);
  }

  // For packets of TCP that will come soon, to be called in this order with something else between: each asks for what
  // the next one looks at, and at last take(). The connections are those that it is likely to be, or null.
  void prepare(const PolicyBatch& batch, std::uint32_t at, PayloadSegment& s) const {
    set_payload_segment(batch, at, hash_seed_, s);
    reassembler_.prefetch_index(s.hash);
  }
  Tcb* prefetch_connection(const PayloadSegment& s) {
    Tcb* const likely = reassembler_.prefetch_connection(s.hash);
    if (likely) prefetch(&likely->tag);
    return likely;
  }
  void prefetch_state(const Tcb& likely) const {
    if (likely.tag != 0) of_tcp_[likely.tag - 1]->prefetch_all();
  }
  const HashSeed& hash_seed() const { return hash_seed_; }

  // The rounds of its latest packet have been settled: `bytes` are what it takes now beside the connection itself. When
  // that is too much, connections that had no packet for longest lose their state, and those that are none of the
  // reassembler end.
  void settled(PolicyConnection& connection, std::size_t bytes);
  std::size_t room() const { return most_ > used_ ? most_ - used_ : 0; }
  std::uint64_t forgotten() const { return forgotten_; }  // connections, each time

  // The frames of packets up to this number are about to go.
  void detach_from_frames(std::uint64_t number) { reassembler_.detach_from_frames(number); }
  // There are no more packets: all connections end.
  void end_all();

  std::size_t live() const { return live_; }

  template <class Do>
  void for_each_connection(Do&& what) {
    for (const auto& [key, connection] : others_) what(*connection);
    for (const auto& connection : of_tcp_) {
      if (connection) what(*connection);
    }
  }

 private:
  static constexpr std::size_t kFewOthers = 4096;
  struct KeyHash {
    HashSeed seed;
    std::size_t operator()(const FlowKey& key) const { return seeded_hash_of(hashed_key(key), seed); }
  };

  void opened(TcpConnection& connection) override;
  void take(TcpConnection& connection, const StreamBlock& block) override;
  void ended(TcpConnection& connection, const ConnectionReport& report) override;

  Place take_other(const PolicyBatch& batch, std::uint32_t at);
  std::unique_ptr<PolicyConnection> make();
  PolicyConnection& make_for(TcpConnection& connection);
  void let_go(TcpConnection& connection);
  void end_some_silent(std::int64_t time_ns);
  void end_other(PolicyConnection& connection);
  void link(PolicyConnection& connection);
  void unlink(PolicyConnection& connection);
  void leave(PolicyConnection& connection);
  void push_out(PolicyConnection& connection);
  void make_room();

  const std::int64_t silence_ns_;
  const HashSeed hash_seed_;
  DeliveryTaker& taker_;
  std::unordered_map<FlowKey, std::unique_ptr<PolicyConnection>, KeyHash> others_;  // by the lower end
  std::vector<std::unique_ptr<PolicyConnection>> of_tcp_;  // a connection's tag is its place here + 1
  std::vector<std::uint64_t> free_tags_;
  std::size_t tcp_others_ = 0;            // of these, of TCP
  std::size_t most_others_ = kFewOthers;  // before silent ones are looked for
  std::uint64_t connections_ = 0;
  std::size_t live_ = 0;
  const std::size_t most_;              // bytes of connections; those of the reassembler beside it
  std::size_t used_ = 0;                // of these
  PolicyConnection* oldest_ = nullptr;  // of the list
  PolicyConnection* newest_ = nullptr;
  std::uint64_t forgotten_ = 0;
  bool has_pushed_out_ = false;  // connections
  Reassembler reassembler_;      // last: it ends its connections
};

}  // namespace warpmeter::inline policy
