// Flows of connections about which all is decided: a verdict, and no field that anybody waits for. Their packets need
// no more of a policy than to be passed over in order, as nearly all packets are. So they are found by the hash that
// the Metering Process has of them anyhow, and nothing is made of them.
//
// An index of {hash, address}, open-addressed, without tombstones, that grows by doubling.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/byte_order.h"
#include "core/prefetch.h"
#include "stream/reassembly/tcb.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline policy {

// That packets of a direction belong to by now, where nothing is expected of the connection any more.
struct SettledFlow {
  static constexpr std::uint32_t kNone = 0xffffffff;
  FlowKey key;
  std::uint64_t last = 0;      // number of the packet
  Tcb* tcb = nullptr;          // of the connection; null: it is not in the index
  std::uint32_t flow = kNone;  // place among the connection's
  bool from_server = false;
  bool is_dropped = false;  // all its packets are
  std::uint64_t hash = 0;   // that it has in the index

  // All but the VLAN id follows from the direction.
  bool is_of(const FlowKey& k) const {
    return flow != kNone && load<std::uint16_t>(key.vlan) == load<std::uint16_t>(k.vlan);
  }
};

class SettledFlows {
 public:
  SettledFlows() : index_(kFirstIndex) {}

  // For packets that will come soon, to be called in this order with something else between: each asks for what the
  // next one looks at. Those that follow may be called where is_likely() holds.
  void prefetch_index(std::uint64_t hash) const { prefetch(&index_[hash & mask_]); }
  bool is_likely(std::uint64_t hash) const { return index_[hash & mask_].hash == hash && index_[hash & mask_].flow; }
  void prefetch_flow(std::uint64_t hash) const { prefetch(index_[hash & mask_].flow); }
  void prefetch_connection(std::uint64_t hash) const {
    const SettledFlow* const flow = index_[hash & mask_].flow;
    if (!flow) return;  // meanwhile
    prefetch(&flow->tcb->addresses4);
    prefetch(&flow->tcb->streams[flow->from_server]);
  }

  SettledFlow* find(std::uint64_t hash, const FlowKey& key) const {
    for (std::uint64_t i = hash & mask_; index_[i].flow; i = (i + 1) & mask_) {
      if (index_[i].hash == hash && index_[i].flow->key == key) return index_[i].flow;
    }
    return nullptr;
  }

  // It stays where it is until it is removed. REQUIRES: flow.hash; it is not there.
  void add(SettledFlow& flow) {
    if (4 * ++count_ > index_.size()) grow();
    enter({flow.hash, &flow});
  }

  // What would no longer be found behind the hole moves into it. REQUIRES: it is there.
  void remove(const SettledFlow& flow) {
    std::uint64_t hole = flow.hash & mask_;
    while (index_[hole].flow != &flow) hole = (hole + 1) & mask_;
    for (std::uint64_t i = (hole + 1) & mask_; index_[i].flow; i = (i + 1) & mask_) {
      if (((i - index_[i].hash) & mask_) < ((i - hole) & mask_)) continue;
      index_[hole] = index_[i];
      hole = i;
    }
    index_[hole] = {};
    --count_;
  }

 private:
  static constexpr std::size_t kFirstIndex = 256;
  struct Entry {
    std::uint64_t hash = 0;
    SettledFlow* flow = nullptr;  // null: free
  };

  void enter(const Entry& entry) {
    std::uint64_t i = entry.hash & mask_;
    while (index_[i].flow) i = (i + 1) & mask_;
    index_[i] = entry;
  }

  void grow() {
    std::vector<Entry> before(2 * index_.size());
    before.swap(index_);
    mask_ = index_.size() - 1;
    for (const Entry& entry : before) {
      if (entry.flow) enter(entry);
    }
  }

  std::vector<Entry> index_;
  std::uint64_t mask_ = kFirstIndex - 1;
  std::size_t count_ = 0;
};

}  // namespace warpmeter::inline policy
