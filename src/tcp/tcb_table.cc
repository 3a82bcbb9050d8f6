#include "tcp/tcb_table.h"

#include "core/flow_hash.h"

namespace warpmeter {
namespace {

constexpr std::size_t kFirstIndex = 256;

bool is_other_way(const FlowKey& a, const FlowKey& b) {
  const HashedKey x = hashed_key(a), y = hashed_key(b);
  constexpr std::uint64_t kPorts = 0xffffffff;
  const std::uint64_t rest = (y.rest & ~kPorts) | (y.rest & 0xffff) << 16 | (y.rest >> 16 & 0xffff);
  return ((x.source_high ^ y.destination_high) | (x.source_low ^ y.destination_low) |
          (x.destination_high ^ y.source_high) | (x.destination_low ^ y.source_low) | (x.rest ^ rest)) == 0;
}

}  // namespace

TcbTable::TcbTable() : index_(kFirstIndex), mask_(kFirstIndex - 1) {}
TcbTable::~TcbTable() = default;

Tcb* TcbTable::find(const FlowKey& key, std::uint64_t hash, StreamSide& side) {
  for (std::uint64_t i = hash & mask_; index_[i]; i = (i + 1) & mask_) {
    if (!may_be(index_[i], hash)) continue;
    Tcb& found = at(number_in(index_[i]));
    side = StreamSide::client;
    if (found.key == key) return &found;
    side = StreamSide::server;
    if (is_other_way(found.key, key)) return &found;
  }
  return nullptr;
}

const Tcb* TcbTable::likely(std::uint64_t hash) const {
  for (std::uint64_t i = hash & mask_; index_[i]; i = (i + 1) & mask_) {
    if (!may_be(index_[i], hash)) continue;
    const std::size_t number = number_in(index_[i]);
    return &slabs_[number / kSlab][number % kSlab];
  }
  return nullptr;
}

void TcbTable::enter(std::uint64_t hash, std::uint64_t entry) {
  std::uint64_t i = hash & mask_;
  while (index_[i]) i = (i + 1) & mask_;
  index_[i] = entry;
}

void TcbTable::grow() {
  index_.assign(2 * index_.size(), 0);
  mask_ = index_.size() - 1;
  for (std::size_t number = 0; number < slots_; ++number) {
    if (at(number).in_use) enter(at(number).hash, entry_of(at(number).hash, number));
  }
}

Tcb& TcbTable::insert(const FlowKey& client, std::uint64_t hash) {
  if (2 * (live_ + 1) > index_.size()) grow();
  std::size_t number = slots_;
  if (!free_.empty()) {
    number = free_.back();
    free_.pop_back();
  } else {
    if (number % kSlab == 0) slabs_.push_back(std::make_unique<Tcb[]>(kSlab));
    ++slots_;
  }
  Tcb& made = at(number);
  made.key = client;
  made.hash = hash;
  made.number = static_cast<std::uint32_t>(number);
  made.in_use = true;
  enter(hash, entry_of(hash, number));
  ++live_;
  return made;
}

// What would no longer be found behind the hole moves into it.
void TcbTable::erase(Tcb& connection) {
  std::uint64_t hole = connection.hash & mask_;
  while (index_[hole] != entry_of(connection.hash, connection.number)) hole = (hole + 1) & mask_;
  for (std::uint64_t i = (hole + 1) & mask_; index_[i]; i = (i + 1) & mask_) {
    const std::uint64_t home = at(number_in(index_[i])).hash & mask_;
    if (((i - home) & mask_) < ((i - hole) & mask_)) continue;
    index_[hole] = index_[i];
    hole = i;
  }
  index_[hole] = 0;
  const std::uint32_t number = connection.number;
  connection = Tcb();
  free_.push_back(number);
  --live_;
}

}  // namespace warpmeter
