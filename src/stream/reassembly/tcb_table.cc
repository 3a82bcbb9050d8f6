#include "stream/reassembly/tcb_table.h"

#include <sys/mman.h>

#include <bit>
#include <cstring>
#include <memory>

namespace warpmeter::inline stream {
namespace {

constexpr std::size_t kFirstIndex = 256;

}  // namespace

TcbTable::TcbTable(std::pmr::memory_resource& memory)
    : mask_(kFirstIndex - 1), memory_(memory), index_(kFirstIndex, &memory) {}
TcbTable::~TcbTable() { clear(); }

void TcbTable::clear() {
  for (const Slab& slab : slabs_) {
    if (!slab.is_gone) std::destroy_n(slab.data, kSlab);
    memory_.deallocate(slab.data, kSlab * sizeof(Tcb), kPage);
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
  auto* const slab = static_cast<Tcb*>(memory_.allocate(kSlab * sizeof(Tcb), kPage));
  std::uninitialized_value_construct_n(slab, kSlab);  // at once, as memory likes it
  slabs_.push_back({slab, 0, false});
}

std::uint64_t TcbTable::held() const {
  // What the index was before it grew is not used again.
  return (slots_ - gone_ * kSlab) * sizeof(Tcb) + 2 * index_.size() * sizeof(index_[0]);
}

void TcbTable::trim() {
  for (Slab& slab : slabs_) {
    if (slab.live > 0 || slab.is_gone || &slab == &slabs_.back()) continue;
    std::destroy_n(slab.data, kSlab);
    std::memset(static_cast<void*>(slab.data), 0, kSlab * sizeof(Tcb));  // also where pages cannot go
    madvise(slab.data, kSlab * sizeof(Tcb), MADV_DONTNEED);
    slab.is_gone = true;
    ++gone_;
  }
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
  Slab& slab = slabs_[number / kSlab];
  if (slab.is_gone) {
    std::uninitialized_value_construct_n(slab.data, kSlab);
    slab.is_gone = false;
    --gone_;
  }
  ++slab.live;
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
  --slabs_[number / kSlab].live;
  free_.push_back(number);
  --live_;
}

}  // namespace warpmeter::inline stream
