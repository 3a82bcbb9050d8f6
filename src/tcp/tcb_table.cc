#include "tcp/tcb_table.h"

namespace warpmeter {
namespace {

constexpr std::size_t kFirstIndex = 256;

}  // namespace

TcbTable::TcbTable() : index_(kFirstIndex), mask_(kFirstIndex - 1) {}
TcbTable::~TcbTable() = default;

Tcb* TcbTable::find(const FlowKey& key, std::uint64_t hash, StreamSide& side) {
  for (std::uint64_t i = hash & mask_; index_[i]; i = (i + 1) & mask_) {
    if (!may_be(index_[i], hash)) continue;
    Tcb& found = at(number_in(index_[i]));
    if (is_of(found, key, side)) return &found;
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
