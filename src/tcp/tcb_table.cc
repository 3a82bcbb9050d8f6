#include "tcp/tcb_table.h"

#include <bit>
#include <memory>

namespace warpmeter {
namespace {

constexpr std::size_t kFirstIndex = 256;

}  // namespace

TcbTable::TcbTable(std::pmr::memory_resource& memory)
    : mask_(kFirstIndex - 1), memory_(memory), index_(kFirstIndex, &memory) {}
TcbTable::~TcbTable() { clear(); }

void TcbTable::clear() {
  for (Tcb* const slab : slabs_) {
    std::destroy_n(slab, kSlab);
    memory_.deallocate(slab, kSlab * sizeof(Tcb), alignof(Tcb));
  }
  slabs_.clear();
}

Tcb* TcbTable::find(const PayloadSegment& s, StreamSide& side) {
  for (std::uint64_t i = s.hash & mask_; index_[i]; i = (i + 1) & mask_) {
    if (!may_be(index_[i], s.hash)) continue;
    Tcb* const found = connection_in(index_[i]);
    if (found->is_of(s, side)) return found;
  }
  return nullptr;
}

Tcb* TcbTable::likely_behind(std::uint64_t i, std::uint64_t hash) const {
  for (i &= mask_; index_[i]; i = (i + 1) & mask_) {
    if (may_be(index_[i], hash)) return connection_in(index_[i]);
  }
  return nullptr;
}

void TcbTable::enter(const Tcb& c) {
  std::uint64_t i = c.hash & mask_;
  while (index_[i]) i = (i + 1) & mask_;
  index_[i] = entry_of(c);
}

void TcbTable::grow() {
  index_.assign(2 * index_.size(), 0);
  mask_ = index_.size() - 1;
  for (std::size_t number = 0; number < slots_; ++number) {
    if (at(number).in_use()) enter(at(number));
  }
}

void TcbTable::add_slab() {
  if (slabs_.size() == slabs_.capacity()) slabs_.reserve(2 * slabs_.size() + 1);
  auto* const slab = static_cast<Tcb*>(memory_.allocate(kSlab * sizeof(Tcb), alignof(Tcb)));
  std::uninitialized_value_construct_n(slab, kSlab);
  slabs_.push_back(slab);
}

Tcb& TcbTable::insert(const PayloadSegment& s, bool turned) {
  if (2 * (live_ + 1) > index_.size()) grow();
  std::size_t number = slots_;
  if (!free_.empty()) {
    number = free_.back();
    free_.pop_back();
  } else {
    if (number % kSlab == 0) add_slab();
    ++slots_;
  }
  Tcb& made = at(number);
  made.key = turned ? swapped(flow_key(s)) : flow_key(s);
  if (s.version == 4) made.addresses4 = turned ? std::rotl(s.addresses4, 32) : s.addresses4;
  made.ports = turned ? std::rotl(s.ports, 16) : s.ports;
  made.version = s.version;
  made.hash = s.hash;
  made.number = static_cast<std::uint32_t>(number);
  enter(made);
  ++live_;
  return made;
}

// What would no longer be found behind the hole moves into it.
void TcbTable::erase(Tcb& connection) {
  std::uint64_t hole = connection.hash & mask_;
  while (index_[hole] != entry_of(connection)) hole = (hole + 1) & mask_;
  for (std::uint64_t i = (hole + 1) & mask_; index_[i]; i = (i + 1) & mask_) {
    const std::uint64_t home = connection_in(index_[i])->hash & mask_;
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
