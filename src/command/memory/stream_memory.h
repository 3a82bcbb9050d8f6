// Which streams a reassembler would have to keep, and how many bytes of them, for each of some timeouts and block sizes
// at once: the memory tables of a trace (docs/memory.md says what is counted).
//
// Nearly nothing is done nine or eighty-one times: timeouts behave alike until a connection pauses
// (ConnectionState), and sums are taken where something ends (mean_over_time()).
//
// Threads: one at a time, batches in trace order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "command/memory/connection_table.h"
#include "command/memory/memory_cells.h"
#include "core/hash_seed.h"
#include "core/segment_batch.h"

namespace warpmeter::inline command {

// What the memory tables need of a batch of packets: of all IP packets their number, bytes and times, and each TCP
// segment, with the ends of its connection. Made beside each other, taken in order.
//
// Threads: made by one, then read by one.
struct TcpPacket {
  std::uint64_t hash;    // of the connection's ends
  std::int64_t time_ns;  // of the latest packet of the batch up to this one
  std::uint32_t at;      // its ends in the batch
  std::uint32_t sequence;
  std::uint32_t payload;  // by the IP header
  std::uint8_t flags;
  std::uint8_t way;  // 0: sent by the connection's smaller end
};

class TcpPackets {
 public:
  // Of the segments of a batch, which must stay, and whose keys become the ends of connections: the smaller end is the
  // source, and there is no VLAN id.
  void take(SegmentBatch& batch, const HashSeed& hash_seed);

  const FlowKey& ends(const TcpPacket& packet) const { return batch_->key[packet.at]; }

  std::uint64_t packets = 0, ip_bytes = 0;  // IP
  std::int64_t first_ns = 0;                // of the first IP packet, of the latest; valid if there are any
  std::int64_t latest_ns = 0;
  std::vector<TcpPacket> tcp;

 private:
  const SegmentBatch* batch_ = nullptr;
};

using WideSum = unsigned __int128;

// The mean of a quantity whose integral over `length` ns is so much; a trace of a single time has a length of 1 ns.
inline double mean_over_time(WideSum integral, std::uint64_t length_ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto whole = static_cast<double>(integral / kSecond);
  const auto rest = static_cast<double>(static_cast<std::uint64_t>(integral % kSecond)) / 1e9;
  return (whole + rest) / (static_cast<double>(length_ns == 0 ? 1 : length_ns) / 1e9);
}

// Numbers in the order of the times at which they are due, for a time that never runs back: a radix heap, whose buckets
// are by the highest bit in which a time differs from the latest that was taken out. An entry goes down a bucket at a
// time, and none is compared with others: what it costs lies in a row of memory.
class DueTimes {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  struct Entry {
    std::uint64_t time;
    std::uint32_t number;
  };

  DueTimes() { earliest_.fill(kNever); }

  // REQUIRES: not before a time that take() was asked for.
  void put(std::uint64_t time, std::uint32_t number) {
    const auto bucket = static_cast<std::size_t>(std::bit_width(time ^ taken_));
    memory_ -= memory_of(buckets_[bucket]);
    buckets_[bucket].push_back({time, number});
    memory_ += memory_of(buckets_[bucket]);
    earliest_[bucket] = std::min(earliest_[bucket], time);
    next_ = std::min(next_, time);
  }

  // Is one due before `now`?
  bool is_due(std::uint64_t now) const { return next_ < now; }

  // One of the earliest, and it is gone. REQUIRES: is_due() of some time that has come.
  Entry take() {
    if (buckets_[0].empty()) spread();
    const Entry entry = buckets_[0].back();
    buckets_[0].pop_back();
    if (buckets_[0].empty()) {
      earliest_[0] = kNever;
      next_ = earliest_[first_bucket()];
    }
    return entry;
  }

  // Forgets all entries for which `goes(entry)` is true.
  template <class Goes>
  void remove_if(const Goes& goes) {
    memory_ = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      std::erase_if(buckets_[i], goes);
      buckets_[i].shrink_to_fit();
      memory_ += memory_of(buckets_[i]);
      earliest_[i] = kNever;
      for (const Entry& entry : buckets_[i]) earliest_[i] = std::min(earliest_[i], entry.time);
    }
    next_ = earliest_[first_bucket()];
  }

  std::size_t memory() const { return memory_; }

 private:
  using Bucket = std::vector<Entry>;
  static std::size_t memory_of(const Bucket& bucket) { return bucket.capacity() * sizeof(Entry); }

  // The first that is not empty, or the last: the earliest times are in it.
  std::size_t first_bucket() const {
    std::size_t bucket = 0;
    while (bucket + 1 < buckets_.size() && buckets_[bucket].empty()) ++bucket;
    return bucket;
  }

  // What is in the first bucket that is not empty goes to those before it.
  void spread() {
    const std::size_t from = first_bucket();
    taken_ = earliest_[from];
    earliest_[from] = kNever;
    Bucket entries;
    entries.swap(buckets_[from]);
    for (const Entry& entry : entries) put(entry.time, entry.number);
    memory_ -= memory_of(entries);
  }

  std::array<Bucket, 65> buckets_;
  std::array<std::uint64_t, 65> earliest_;
  std::uint64_t taken_ = 0;      // a time that was taken out; none that is left is before it
  std::uint64_t next_ = kNever;  // the earliest
  std::size_t memory_ = 0;
};

// Quantities over time, one for each timeout and block size, all of which nearly every packet changes: their integrals
// and their peaks, exactly, without touching each of them for each packet.
//
// Integrals are sums of products of a change and its time, in 128 bits, so that no order of the changes matters. Bytes
// are added to all cells at once, and only one common sum is told. What a cell loses it loses with others, or alone;
// between two losses it grows, so its peak is looked for before each loss. What all timeouts lose at once is in a
// common sum, too: a cell is `added - lost by all - lost by itself`. The highest of the first two, ever, will do for
// the peak of each cell: what a cell loses by itself only grows, so an older highest never makes the peak of later too
// large. Times are ns since the first packet.
class BufferedBytes {
 public:
  // To all cells.
  void add(std::uint64_t bytes, std::uint64_t time) {
    added_ += bytes;
    added_times_ += WideSum{bytes} * time;
  }

  // From a block size, of all timeouts.
  void remove(std::size_t block, std::uint64_t bytes, std::uint64_t time) {
    Column& column = columns_[block];
    column.highest = std::max(column.highest, added_ - column.lost);
    column.lost += bytes;
    column.lost_times += WideSum{bytes} * time;
  }

  // Of one timeout.
  void remove(std::size_t block, std::size_t timeout, std::uint64_t bytes, std::uint64_t time) {
    Column& column = columns_[block];
    column.look_at(timeout, added_);
    column.cells[timeout].lost += bytes;
    column.cells[timeout].lost_times += WideSum{bytes} * time;
  }

  // What there was until then. REQUIRES: no change is later.
  OverTime over_time(std::size_t timeout, std::size_t block, std::uint64_t length_ns) const {
    Column column = columns_[block];
    column.look_at(timeout, added_);
    const Cell& cell = column.cells[timeout];
    const std::uint64_t there = added_ - column.lost - cell.lost;
    const WideSum integral = WideSum{there} * length_ns + column.lost_times + cell.lost_times - added_times_;
    return {mean_over_time(integral, length_ns), cell.peak};
  }

 private:
  struct Cell {
    std::uint64_t lost = 0, peak = 0;
    WideSum lost_times = 0;
  };
  struct Column {
    void look_at(std::size_t timeout, std::uint64_t added) {
      highest = std::max(highest, added - lost);
      Cell& cell = cells[timeout];
      if (highest > cell.lost) cell.peak = std::max(cell.peak, highest - cell.lost);
    }
    std::uint64_t lost = 0, highest = 0;
    WideSum lost_times = 0;
    std::array<Cell, kTimeouts> cells;
  };

  std::uint64_t added_ = 0;
  WideSum added_times_ = 0;
  std::array<Column, kBlockSizes> columns_;
};

class LivingStreams {
 public:
  void begin(std::size_t timeout, std::uint64_t time) {
    Count& count = counts_[timeout];
    count.peak = std::max(count.peak, ++count.alive);
    count.begun_times += time;
  }
  void end(std::size_t timeout, std::uint64_t time) {
    --counts_[timeout].alive;
    counts_[timeout].ended_times += time;
  }

  // As that of BufferedBytes.
  OverTime over_time(std::size_t timeout, std::uint64_t length_ns) const {
    const Count& count = counts_[timeout];
    const WideSum integral = WideSum{count.alive} * length_ns + count.ended_times - count.begun_times;
    return {mean_over_time(integral, length_ns), count.peak};
  }

 private:
  struct Count {
    std::uint64_t alive = 0, peak = 0;
    WideSum begun_times = 0, ended_times = 0;
  };
  std::array<Count, kTimeouts> counts_;
};

class StreamMemory {
 public:
  // `memory`: bytes. If connections need more than half of it, those that are dead are forgotten, then the longest
  // silent ones end; if gaps between bytes need more than a quarter, all gaps are closed.
  StreamMemory(const HashSeed& hash_seed, std::uint64_t memory) : memory_(memory), table_(hash_seed) {}

  void take(const TcpPackets& packets);

  // Of all that was taken.
  MemoryTables tables();

 private:
  void take(const TcpPacket& packet, const FlowKey& ends, std::uint64_t now);
  std::uint32_t number_of(const TcpPacket& packet, const FlowKey& ends);
  std::uint64_t new_bytes(ConnectionState& state, const TcpPacket& packet);

  void live_under_all(ConnectionState& state, std::uint64_t now);
  void buffer(ConnectionState& state, std::uint64_t bytes, std::uint64_t now);
  void buffer(HeldBytes& held, std::uint32_t begin, std::uint64_t bytes, std::uint64_t now);
  void end(ConnectionState& state, std::uint64_t now);
  void end_shortest(ConnectionState& state);
  void end_what_is_due(std::uint64_t now);
  void look_again(std::uint32_t number);

  void keep_within_memory();
  void make_room();
  void end_longest_silent();
  void let_go(ConnectionState& state);

  const std::uint64_t memory_;
  ConnectionTable table_;
  DueTimes due_;
  LivingStreams streams_;
  BufferedBytes buffered_;
  SeenTotals seen_;
  std::uint64_t ages_memory_ = 0;
  std::uint64_t packets_ = 0, ip_bytes_ = 0;
  std::int64_t first_ns_ = 0, latest_ns_ = 0;
  std::uint64_t forgotten_ = 0, ended_early_ = 0;
};

}  // namespace warpmeter::inline command
