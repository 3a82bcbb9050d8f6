#include "command/memory/stream_memory.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "core/flow_hash.h"

namespace warpmeter::inline command {
namespace {

// Connections are asked for in memory so many packets ahead, the index that names them so many more.
constexpr std::size_t kAhead = 8;
constexpr std::uint64_t kLargestBlockSize = block_bytes(kBlockSizes - 1);

std::size_t ages_memory_of(const ConnectionState& state) {
  return state.older ? sizeof *state.older + state.older->capacity() * sizeof(HeldBytes) : 0;
}

// From the first packet on; both within +-2^62.
std::uint64_t since(std::int64_t first, std::int64_t time) { return static_cast<std::uint64_t>(time - first); }

// Calls `each(age, begin)` for all ages that are alive.
template <class Each>
void each_age(ConnectionState& state, const Each& each) {
  std::uint32_t begin = state.alive_from;
  each(state.youngest, begin);
  if (!state.older) return;
  begin = state.youngest.end;
  for (auto age = state.older->rbegin(); age != state.older->rend(); ++age) {
    each(*age, begin);
    begin = age->end;
  }
}

constexpr std::uint64_t kPort = 0xffff, kVlan = kPort << 40;

// Exchanges the ends if the source is not the smaller one, by any order that is always the same. Returns whether it
// did.
bool put_in_order(HashedKey& key) {
  key.rest &= ~kVlan;
  const std::uint64_t source_port = key.rest & kPort, destination_port = key.rest >> 16 & kPort;
  const std::tuple source(key.source_high, key.source_low, source_port);
  const std::tuple destination(key.destination_high, key.destination_low, destination_port);
  if (source <= destination) return false;
  std::swap(key.source_high, key.destination_high);
  std::swap(key.source_low, key.destination_low);
  key.rest = (key.rest & ~(kPort << 16 | kPort)) | source_port << 16 | destination_port;
  return true;
}

}  // namespace

void StreamMemory::take(const TcpPackets& batch) {
  if (batch.packets == 0) return;
  if (packets_ == 0) first_ns_ = latest_ns_ = batch.first_ns;
  packets_ += batch.packets;
  ip_bytes_ += batch.ip_bytes;
  const std::vector<TcpPacket>& tcp = batch.tcp;
  for (std::size_t i = 0; i < tcp.size(); ++i) {
    if (i + 2 * kAhead < tcp.size()) {
      table_.prefetch_index(tcp[i + 2 * kAhead].hash);
      prefetch_all(batch.ends(tcp[i + 2 * kAhead]));
    }
    if (i + kAhead < tcp.size()) table_.prefetch_state(tcp[i + kAhead].hash);
    latest_ns_ = std::max(latest_ns_, tcp[i].time_ns);
    take(tcp[i], batch.ends(tcp[i]), since(first_ns_, latest_ns_));
  }
  latest_ns_ = std::max(latest_ns_, batch.latest_ns);
  keep_within_memory();
}

void StreamMemory::take(const TcpPacket& packet, const FlowKey& ends, std::uint64_t now) {
  end_what_is_due(now);
  const std::uint32_t number = number_of(packet, ends);
  if (number == ConnectionTable::kNone) return;
  ConnectionState& state = table_[number];
  const std::uint64_t bytes = new_bytes(state, packet);
  if (bytes > 0 && state.alive_from > 0) live_under_all(state, now);
  if (state.is_dead()) return;
  state.latest = now;
  if (bytes > 0) buffer(state, bytes, now);
  if (packet.flags & (kFin | kRst)) end(state, now);
  else if (bytes > 0) look_again(number);
}

// kNone: there is none, and the packet makes none.
std::uint32_t StreamMemory::number_of(const TcpPacket& packet, const FlowKey& ends) {
  const std::uint32_t number = table_.find(ends, packet.hash);
  if (number != ConnectionTable::kNone || packet.payload == 0 || packet.flags & kRst) return number;
  const std::size_t more = table_.memory_for_another();
  if (more > 0 && table_.memory() + more > memory_ / 2) make_room();
  return table_.insert(ends, packet.hash);
}

// A SYN's payload begins the direction anew.
std::uint64_t StreamMemory::new_bytes(ConnectionState& state, const TcpPacket& packet) {
  if (packet.payload == 0 || packet.flags & kRst) return 0;
  SeenBytes& seen = state.seen[packet.way];
  if (!(packet.flags & kSyn)) return seen.see(packet.sequence, packet.payload, seen_);
  seen.begin(std::uint64_t{packet.sequence} + 1, packet.payload, seen_);
  return packet.payload;
}

// Timeouts under which the connection is dead begin with this packet.
void StreamMemory::live_under_all(ConnectionState& state, std::uint64_t now) {
  if (!state.is_dead()) {
    ages_memory_ -= ages_memory_of(state);
    if (!state.older) state.older = std::make_unique<std::vector<HeldBytes>>();
    state.older->push_back(state.youngest);
    ages_memory_ += ages_memory_of(state);
  }
  state.youngest = {.bytes = {}, .end = state.alive_from};
  for (std::size_t timeout = 0; timeout < state.alive_from; ++timeout) streams_.begin(timeout, now);
  state.alive_from = 0;
}

// The packet is in memory before a block leaves.
void StreamMemory::buffer(ConnectionState& state, std::uint64_t bytes, std::uint64_t now) {
  buffered_.add(bytes, now);
  each_age(state, [&](HeldBytes& age, std::uint32_t begin) { buffer(age, begin, bytes, now); });
}

void StreamMemory::buffer(HeldBytes& held, std::uint32_t begin, std::uint64_t bytes, std::uint64_t now) {
  std::uint32_t full = (1u << kBlockSizes) - 1;
  if (bytes < kLargestBlockSize) {
    full = 0;
    const auto more = static_cast<std::uint32_t>(bytes);
    for (std::size_t block = 0; block < kBlockSizes; ++block) {
      held.bytes[block] += more;
      full |= static_cast<std::uint32_t>(held.bytes[block] >= block_bytes(block)) << block;
    }
    bytes = 0;
  }
  const bool under_all = begin == 0 && held.end == kTimeouts;
  for (; full; full &= full - 1) {
    const auto block = static_cast<std::size_t>(std::countr_zero(full));
    const std::uint64_t leaving = held.bytes[block] + bytes;
    held.bytes[block] = 0;
    if (under_all) buffered_.remove(block, leaving, now);
    else
      for (std::size_t timeout = begin; timeout < held.end; ++timeout) buffered_.remove(block, timeout, leaving, now);
  }
}

void StreamMemory::end(ConnectionState& state, std::uint64_t now) {
  each_age(state, [&](const HeldBytes& age, std::uint32_t begin) {
    const bool under_all = begin == 0 && age.end == kTimeouts;
    for (std::size_t block = 0; block < kBlockSizes; ++block) {
      if (under_all) buffered_.remove(block, age.bytes[block], now);
      else if (age.bytes[block] > 0) {
        for (std::size_t timeout = begin; timeout < age.end; ++timeout)
          buffered_.remove(block, timeout, age.bytes[block], now);
      }
    }
    for (std::size_t timeout = begin; timeout < age.end; ++timeout) streams_.end(timeout, now);
  });
  state.alive_from = kTimeouts;
  ages_memory_ -= ages_memory_of(state);
  state.older.reset();
}

// Under the shortest timeout that is alive.
void StreamMemory::end_shortest(ConnectionState& state) {
  const std::size_t timeout = state.alive_from++;
  const std::uint64_t then = state.latest + timeout_ns(timeout);
  for (std::size_t block = 0; block < kBlockSizes; ++block) {
    if (const std::uint64_t bytes = state.youngest.bytes[block]) buffered_.remove(block, timeout, bytes, then);
  }
  streams_.end(timeout, then);
  if (state.alive_from < state.youngest.end || !state.older || state.older->empty()) return;
  state.youngest = state.older->back();
  state.older->pop_back();
}

void StreamMemory::end_what_is_due(std::uint64_t now) {
  while (due_.is_due(now)) {
    const DueTimes::Entry entry = due_.take();
    ConnectionState& state = table_[entry.number];
    if (state.due != entry.time) continue;  // it is to be looked at earlier, or not at all
    state.due = ConnectionState::kNotDue;
    while (!state.is_dead() && state.latest + timeout_ns(state.alive_from) < now) end_shortest(state);
    look_again(entry.number);
  }
}

// When its shortest timeout may have passed, if not before.
void StreamMemory::look_again(std::uint32_t number) {
  ConnectionState& state = table_[number];
  if (state.is_dead()) return;
  const std::uint64_t when = state.latest + timeout_ns(state.alive_from);
  if (when >= state.due) return;
  state.due = when;
  due_.put(when, number);
}

// What is beside the table grows with it, and is looked at less often.
void StreamMemory::keep_within_memory() {
  if (due_.memory() + ages_memory_ > memory_ / 4) make_room();
  if (seen_.memory <= memory_ / 4) return;
  for (std::uint32_t number = 0; number < table_.numbers(); ++number) {
    for (SeenBytes& seen : table_[number].seen) seen.join(seen_);
  }
}

void StreamMemory::let_go(ConnectionState& state) {
  for (SeenBytes& seen : state.seen) seen.let_go(seen_);
  ages_memory_ -= ages_memory_of(state);
}

void StreamMemory::make_room() {
  const std::size_t before = table_.size();
  table_.remove_if([&](std::uint32_t number) {
    if (!table_[number].is_dead()) return false;
    let_go(table_[number]);
    return true;
  });
  const std::size_t gone = before - table_.size();
  forgotten_ += gone;
  if (table_.size() > 0 && gone <= before / 8) end_longest_silent();
  due_.remove_if([&](const DueTimes::Entry& entry) { return table_[entry.number].due != entry.time; });
}

// An eighth of all, so that this is not done too often.
void StreamMemory::end_longest_silent() {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
  all.reserve(table_.size());
  for (std::uint32_t number = 0; number < table_.numbers(); ++number) {
    if (table_[number].in_use) all.emplace_back(table_[number].latest, number);
  }
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 8);
  std::ranges::nth_element(all, last);
  const std::uint64_t now = since(first_ns_, latest_ns_);
  table_.remove_if([&](std::uint32_t number) {
    ConnectionState& state = table_[number];
    if (std::pair(state.latest, number) > *last) return false;
    end(state, now);
    let_go(state);
    ++ended_early_;
    return true;
  });
}

MemoryTables StreamMemory::tables() {
  MemoryTables tables;
  tables.packets = packets_;
  tables.ip_bytes = ip_bytes_;
  if (packets_ == 0) return tables;
  tables.length_ns = since(first_ns_, latest_ns_);
  end_what_is_due(tables.length_ns);
  for (std::size_t timeout = 0; timeout < kTimeouts; ++timeout) {
    tables.streams[timeout] = streams_.over_time(timeout, tables.length_ns);
    for (std::size_t block = 0; block < kBlockSizes; ++block)
      tables.buffered[timeout][block] = buffered_.over_time(timeout, block, tables.length_ns);
  }
  tables.joined_ranges = seen_.joined;
  tables.forgotten = forgotten_;
  tables.ended_early = ended_early_;
  return tables;
}

void TcpPackets::take(SegmentBatch& batch, const HashSeed& hash_seed) {
  batch_ = &batch;
  packets = batch.count;
  ip_bytes = 0;
  tcp.clear();
  if (batch.count == 0) return;
  first_ns = latest_ns = batch.segment[0].time_ns;
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const Segment& segment = batch.segment[i];
    ip_bytes += segment.length;
    latest_ns = std::max(latest_ns, segment.time_ns);
    if (!is_tcp(segment)) continue;
    HashedKey key = hashed_key(batch.key[i]);
    const bool has_vlan = key.rest & kVlan;
    const bool exchanged = put_in_order(key);
    set_key(key, batch.key[i]);
    tcp.push_back({.hash = exchanged || has_vlan ? seeded_hash_of(key, hash_seed) : batch.hash[i],
                   .time_ns = latest_ns,
                   .at = i,
                   .sequence = segment.sequence,
                   .payload = segment.payload_length,
                   .flags = segment.flags,
                   .way = exchanged});
  }
}

}  // namespace warpmeter::inline command
