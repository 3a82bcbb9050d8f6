// The holes of one flow on the device, as judge.h and apply.h want them; and whether there is room for what a segment
// may do to them.
#pragma once

#include <cstdint>

#include "core/flow_state.h"
#include "core/verdict.h"
#include "hole_pool.cuh"

namespace warpmeter {

class DeviceHoles {
 public:
  WARPMETER_HD DeviceHoles(const HolePoolRef& pool, FlowState& flow) : pool_(pool), flow_(flow) {}

  // Makes sure that the verdict on a segment of a flow that goes on can be applied. False: the flow has too many holes
  // for the device, or there is no memory left; nothing has changed.
  WARPMETER_HD bool make_room_for(const Segment& s, const Verdict& v) {
    const bool adds = v.place == SpanPlace::above || v.place == SpanPlace::below;
    if (!adds && v.place != SpanPlace::within) return true;
    if (!flow_.holes) return !adds || take_first();
    const HoleArray holes = view();
    const SequenceSpan span = v.span(s);
    return holes.count < holes.capacity || !(adds || splits_hole(holes, span.start, span.end)) || grow();
  }

  // The same for so many more holes, whatever they are.
  WARPMETER_HD bool make_room_for_holes(std::uint32_t more) {
    if (!flow_.holes) return take_first();
    const HoleArray holes = view();
    return holes.count + more <= holes.capacity || grow();
  }

  WARPMETER_HD std::int64_t missing(std::int64_t begin, std::int64_t end) const {
    return missing_between(view(), begin, end);
  }
  WARPMETER_HD std::int64_t total() const { return flow_.holes ? missing_in_all(view()) : 0; }
  WARPMETER_HD void add_highest(std::int64_t begin, std::int64_t end) {
    HoleArray holes = view();
    add_highest_hole(holes, begin, end);
    block()->count = holes.count;
  }
  WARPMETER_HD void add_lowest(std::int64_t begin, std::int64_t end) {
    HoleArray holes = view();
    add_lowest_hole(holes, begin, end);
    block()->count = holes.count;
  }
  WARPMETER_HD void fill(std::int64_t begin, std::int64_t end) {
    HoleArray holes = view();
    fill_holes(holes, begin, end);
    block()->count = holes.count;
    if (holes.count == 0) release();
  }
  // The block stays until settle(): what follows may need the room that was made.
  WARPMETER_HD void clear() {
    if (flow_.holes) block()->count = 0;
  }
  WARPMETER_HD void settle() {
    if (flow_.holes && block()->count == 0) release();
  }
  WARPMETER_HD void release() {
    if (!flow_.holes) return;
    pool_.give_back(flow_.holes - 1);
    flow_.holes = 0;
  }

  // REQUIRES: the flow has holes.
  WARPMETER_HD HoleBlock* block() const { return pool_.block(flow_.holes - 1); }

 private:
  WARPMETER_HD HoleArray view() const {
    HoleBlock* b = block();
    return {b->holes(), b->count, holes_of_class(b->size_class)};
  }

  WARPMETER_HD bool take_first() {
    const std::uint32_t place = pool_.take(0);
    if (place == HolePoolRef::kNone) return false;
    flow_.holes = place + 1;
    return true;
  }

  WARPMETER_HD bool grow() {
    HoleBlock* old = block();
    if (old->size_class + 1 == kHoleClasses) return false;
    const std::uint32_t place = pool_.take(old->size_class + 1);
    if (place == HolePoolRef::kNone) return false;
    HoleBlock* larger = pool_.block(place);
    for (std::uint32_t i = 0; i < old->count; ++i) larger->holes()[i] = old->holes()[i];
    larger->count = old->count;
    release();
    flow_.holes = place + 1;
    return true;
  }

  const HolePoolRef& pool_;
  FlowState& flow_;
};

}  // namespace warpmeter
