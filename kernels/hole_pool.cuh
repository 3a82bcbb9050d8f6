// Where the holes of flows lie on the device, method exact: blocks of five sizes, carved from one array and handed from
// flow to flow. A flow with holes has one block; FlowState::holes is its place in the array plus 1, 0 = no holes.
//
// Blocks are given back at the tail of a ring, one ring a size, and taken from its head. A batch takes only those that
// lay in the ring when it began (recycle()): so no thread waits for what another is writing, and the blocks of a flow
// that is handed over in one batch, even if they are given back in the next, keep their contents until the one after
// that.
//
// Shape: a Ref is passed to kernels by value; the engine owns the memory. Threads: a block belongs to whoever has the
// flow; take() and give_back() by any number.
//
// Why rings and not a lock-free list of free blocks: a list has one head on which all threads contend, and a block
// that is taken and given back meanwhile makes compare-and-swap succeed wrongly (the ABA problem). Here taking and
// giving back are one fetch_add each, of two different counters, and no thread ever tries again.
//
// Why it is right: what may be taken ends at `limit`, the tail when the batch began; all places before it were written
// by earlier kernels, hence are visible. Who asks for more than there is moves the head beyond the limit and gets
// nothing; recycle() moves it back before the next batch, when nobody takes. New blocks are carved from what was never
// used; a class's blocks stay in their class.
//
// No place is written while somebody may still read it: of N blocks that a class can have, at most N lie in the ring
// when a batch begins, so what is read has numbers from limit - N on. In a batch a block is given back at most once,
// because nobody takes it again before the next; so what is written has numbers below limit + N. These are 2 N numbers,
// and a ring has 2 N places. With N it would not do: who took a number may be overtaken, before it reads its place, by
// all others who use their blocks and give them back.
#pragma once

#include <cstdint>

#include "atomic.cuh"
#include "core/holes.h"

namespace warpmeter {

struct alignas(64) HoleUnit {
  std::uint8_t bytes[64];
};

// At the beginning of a block; the holes follow.
struct HoleBlock {
  std::uint32_t count;
  std::uint32_t size_class;
  std::uint64_t unused;

  WARPMETER_HD Hole* holes() { return reinterpret_cast<Hole*>(this + 1); }
};
static_assert(sizeof(HoleBlock) == sizeof(Hole));

inline constexpr unsigned kHoleClasses = 5;

// A block of class c takes 4^c units and has room for all the holes that fit: 3, 15, 63, 255, 1023.
WARPMETER_HD inline std::uint32_t units_of_class(std::uint32_t size_class) { return 1u << (2 * size_class); }
WARPMETER_HD inline std::uint32_t holes_of_class(std::uint32_t size_class) {
  return units_of_class(size_class) * static_cast<std::uint32_t>(sizeof(HoleUnit) / sizeof(Hole)) - 1;
}

// Rings count up for ever, modulo 2^32.
struct HolePoolCounters {
  std::uint32_t carved;  // units
  std::uint32_t head[kHoleClasses];
  std::uint32_t tail[kHoleClasses];
  std::uint32_t limit[kHoleClasses];  // may be taken from the ring: what lies before
};

struct HolePoolRef {
  HoleUnit* unit;       // [units]
  std::uint32_t* ring;  // [ring_places(units)]: a ring a class, each with two places for every block there can be
  std::uint32_t units;  // a power of two
  HolePoolCounters* counters;

  static constexpr std::uint32_t kNone = UINT32_MAX;

  WARPMETER_HD static std::uint64_t ring_places(std::uint64_t units) { return 3 * units; }

  WARPMETER_HD HoleBlock* block(std::uint32_t place) const { return reinterpret_cast<HoleBlock*>(&unit[place]); }

  // An empty block, or kNone.
  WARPMETER_HD std::uint32_t take(std::uint32_t size_class) const {
    std::uint32_t place = from_ring(size_class);
    if (place == kNone) place = carve(size_class);
    if (place == kNone) return kNone;
    block(place)->count = 0;
    block(place)->size_class = size_class;
    return place;
  }

  WARPMETER_HD void give_back(std::uint32_t place) const {
    const std::uint32_t size_class = block(place)->size_class;
    ring_of(size_class)[fetch_add(&counters->tail[size_class], 1) & mask_of(size_class)] = place;
  }

  // Before a batch, by one thread alone: what was given back so far may be taken.
  WARPMETER_HD void recycle() const {
    HolePoolCounters& c = *counters;
    if (c.carved > units) c.carved = units;
    for (unsigned i = 0; i < kHoleClasses; ++i) {
      if (static_cast<std::int32_t>(c.limit[i] - c.head[i]) < 0)
        c.head[i] = c.limit[i];  // asked for more than there was
      c.limit[i] = c.tail[i];
    }
  }

 private:
  WARPMETER_HD std::uint32_t from_ring(std::uint32_t size_class) const {
    const std::uint32_t number = fetch_add(&counters->head[size_class], 1);
    if (static_cast<std::int32_t>(counters->limit[size_class] - number) <= 0) return kNone;
    return ring_of(size_class)[number & mask_of(size_class)];
  }

  WARPMETER_HD std::uint32_t carve(std::uint32_t size_class) const {
    const std::uint32_t wanted = units_of_class(size_class);
    const std::uint32_t place = fetch_add(&counters->carved, wanted);
    return std::uint64_t{place} + wanted <= units ? place : kNone;
  }

  WARPMETER_HD std::uint32_t mask_of(std::uint32_t size_class) const {
    return 2 * (units / units_of_class(size_class)) - 1;
  }
  // The rings lie one behind the other: of 2 units, units / 2, units / 8, ... places.
  WARPMETER_HD std::uint32_t* ring_of(std::uint32_t size_class) const {
    std::uint64_t begin = 0;
    for (std::uint32_t c = 0; c < size_class; ++c) begin += 2 * (units / units_of_class(c));
    return ring + begin;
  }
};

}  // namespace warpmeter
