#include "policy/rounds/policy_shard.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace warpmeter::inline policy {
namespace {

// The same for both directions: the lower end stands first, and there is no VLAN id.
FlowKey connection_key(const FlowKey& key) {
  const int order = std::memcmp(key.source, key.destination, sizeof key.source);
  const bool turned = order > 0 || (order == 0 && port_number(key.source_port) > port_number(key.destination_port));
  FlowKey both = turned ? swapped(key) : key;
  std::memset(both.vlan, 0, sizeof both.vlan);
  return both;
}

bool same_ends(const FlowKey& a, const FlowKey& b) {
  return std::memcmp(a.source, b.source, sizeof a.source) == 0 &&
         std::memcmp(a.destination, b.destination, sizeof a.destination) == 0 &&
         std::memcmp(a.source_port, b.source_port, sizeof a.source_port) == 0 &&
         std::memcmp(a.destination_port, b.destination_port, sizeof a.destination_port) == 0;
}

}  // namespace

PolicyShard::PolicyShard(const ShardStreams& streams, DeliveryTaker& taker)
    : silence_ns_(streams.reassembler.timeout_ns == 0 ? std::numeric_limits<std::int64_t>::max()
                                                      : streams.reassembler.timeout_ns),
      hash_seed_(streams.hash_seed),
      taker_(taker),
      others_(0, KeyHash{streams.hash_seed}),
      most_(streams.memory_for_state == 0 ? std::numeric_limits<std::size_t>::max() : streams.memory_for_state),
      reassembler_(streams.reassembler, *this, streams.memory, streams.shared) {}

PolicyShard::~PolicyShard() = default;

std::unique_ptr<PolicyConnection> PolicyShard::make() {
  auto made = std::make_unique<PolicyConnection>();
  made->number = ++connections_;
  ++live_;
  return made;
}

PolicyConnection& PolicyShard::make_for(TcpConnection& connection) {
  if (free_tags_.empty()) {
    of_tcp_.emplace_back();
    free_tags_.push_back(of_tcp_.size());
  }
  connection.tag = free_tags_.back();
  free_tags_.pop_back();
  PolicyConnection& made = *(of_tcp_[connection.tag - 1] = make());
  made.tcb = &static_cast<Tcb&>(connection);
  return made;
}

void PolicyShard::opened(TcpConnection& connection) {
  if (tcp_others_ == 0) return;
  const auto stray = others_.find(connection_key(connection.key));
  if (stray == others_.end()) return;
  end_other(*stray->second);
}

void PolicyShard::end_other(PolicyConnection& connection) {
  const auto at = others_.find(connection_key(connection.client));
  tcp_others_ -= connection.client.protocol == kProtocolTcp;
  leave(connection);
  taker_.ended(std::move(at->second));
  others_.erase(at);
}

// It ends.
void PolicyShard::leave(PolicyConnection& connection) {
  --live_;
  used_ -= connection.bytes;
  unlink(connection);
  connection.has_ended = true;
}

void PolicyShard::link(PolicyConnection& connection) {
  connection.older = newest_;
  connection.newer = nullptr;
  (newest_ ? newest_->newer : oldest_) = &connection;
  newest_ = &connection;
}

void PolicyShard::unlink(PolicyConnection& connection) {
  if (oldest_ != &connection && !connection.older) return;  // it is not in the list
  (connection.older ? connection.older->newer : oldest_) = connection.newer;
  (connection.newer ? connection.newer->older : newest_) = connection.older;
  connection.older = connection.newer = nullptr;
}

void PolicyShard::settled(PolicyConnection& connection, std::size_t bytes) {
  if (connection.has_ended) return;
  bytes += sizeof connection;
  used_ += bytes - connection.bytes;
  connection.bytes = bytes;
  if (newest_ != &connection || connection.has_nothing_to_lose()) {
    unlink(connection);
    if (!connection.has_nothing_to_lose()) link(connection);
  }
  if (used_ > most_) make_room();
}

// It ends now, though it may go on: who comes then without the beginning of a connection may be its rest.
void PolicyShard::push_out(PolicyConnection& connection) {
  ++forgotten_;
  connection.is_pushed_out = has_pushed_out_ = true;
}

// Down to seven eighths, so that it is seldom.
void PolicyShard::make_room() {
  while (used_ > most_ - most_ / 8 && oldest_) {
    PolicyConnection& connection = *oldest_;
    const auto other = others_.find(connection_key(connection.client));
    if (other != others_.end() && other->second.get() == &connection) {
      push_out(connection);
      end_other(connection);
      continue;
    }
    ++forgotten_;
    unlink(connection);
    connection.forget_state();
    used_ -= connection.bytes - sizeof connection;
    connection.bytes = sizeof connection;
  }
}

// Blocks that no packet causes are not scanned: those of a timeout, of another connection on the ports, of the end.
void PolicyShard::take(TcpConnection& connection, const StreamBlock& block) {
  if (connection.tag != 0 && !of_tcp_[connection.tag - 1]->needs_bytes) return;
  if (block.reason != StreamReason::size && block.reason != StreamReason::fin && block.reason != StreamReason::rst)
    return;
  for (const SubBlock& sub_block : block.sub_blocks) {
    std::uint64_t offset = sub_block.offset;
    for (const StreamPiece& piece : sub_block.pieces) {
      taker_.delivered({offset, piece, sub_block.side == StreamSide::server});
      offset += piece.size();
    }
  }
}

void PolicyShard::ended(TcpConnection& connection, const ConnectionReport& report) {
  if (report.end == StreamReason::memory && connection.tag != 0) push_out(*of_tcp_[connection.tag - 1]);
  let_go(connection);
}

void PolicyShard::let_go(TcpConnection& connection) {
  if (connection.tag == 0) return;
  free_tags_.push_back(connection.tag);
  Reassembler::mute(static_cast<Tcb&>(connection), false);  // it may go on as another one of ours
  leave(*of_tcp_[connection.tag - 1]);
  taker_.ended(std::move(of_tcp_[std::exchange(connection.tag, 0) - 1]));
}

PolicyShard::Place PolicyShard::take(const PolicyBatch& batch, std::uint32_t at, const PayloadSegment& s) {
  if (!is_tcp(batch.segment[at])) return take_other(batch, at);
  StreamSide side = StreamSide::client;
  Tcb* const tcb = reassembler_.take_and_find(s, batch.first_number + s.frame, side);
  if (!tcb) return take_other(batch, at);
  if (tcb->tag == 0) {
    opened(*tcb);
    make_for(*tcb).joins = has_pushed_out_ && !(s.flags & kSyn);
  }
  PolicyConnection& c = *of_tcp_[tcb->tag - 1];
  if (!c.needs_bytes) Reassembler::mute(*tcb);
  ++c.packets[side == StreamSide::server];
  return {&c, side == StreamSide::server};
}

PolicyShard::Place PolicyShard::take_other(const PolicyBatch& batch, std::uint32_t at) {
  const FlowKey& key = batch.key[at];
  const std::int64_t time_ns = batch.segment[at].time_ns;
  const bool tcp = key.protocol == kProtocolTcp;
  if (tcp && !is_tcp(batch.segment[at])) {  // a header that is cut, or a fragment, in a connection that is known
    StreamSide side;
    if (Tcb* const tcb = reassembler_.find(payload_segment(batch, at, hash_seed_), side)) let_go(*tcb);
  }
  end_some_silent(time_ns);
  if (const auto old = others_.find(connection_key(key)); old != others_.end()) {
    if (time_ns - old->second->last_ns > silence_ns_) end_other(*old->second);
  }
  std::unique_ptr<PolicyConnection>& place = others_[connection_key(key)];
  if (!place) {
    place = make();
    place->client = key;
    place->last_ns = time_ns;
    place->joins = has_pushed_out_;
    tcp_others_ += tcp;
  }
  PolicyConnection& c = *place;
  c.last_ns = std::max(c.last_ns, time_ns);
  const bool from_server = !same_ends(key, c.client);
  ++c.packets[from_server];
  const PacketPayload& payload = batch.payload[at];
  if (!is_tcp(batch.segment[at]) && payload.captured > 0 && c.needs_bytes) {
    taker_.delivered({0, {payload.data, payload.captured}, from_server});
  }
  return {&c, from_server};
}

// Once there are many, those that are silent for too long go: where time runs back by more than that, they would have
// gone on.
void PolicyShard::end_some_silent(std::int64_t time_ns) {
  if (others_.size() < most_others_) return;
  for (auto at = others_.begin(); at != others_.end();) {
    const auto entry = at++;
    if (time_ns - entry->second->last_ns > silence_ns_) end_other(*entry->second);
  }
  most_others_ = std::max(kFewOthers, 2 * others_.size());
}

void PolicyShard::end_all() {
  reassembler_.end_all(reassembler_.latest_ns());
  while (!others_.empty()) end_other(*others_.begin()->second);
}

}  // namespace warpmeter::inline policy
