#include "simulator/warp_wide.h"

#include <algorithm>

#include "simulator/place.h"
#include "simulator/running_launch.h"

namespace cuda_machine {
namespace {

// What the lanes bring with them.
struct Brought {
  LaneMask lanes = 0;
  LaneMask votes = 0;
  Warp::Values value{}, second{}, third{};
};

// What one lane takes away.
struct Taken {
  std::uint64_t value = 0;
  bool predicate = false;
};

Brought bring(Warp& warp, LaneMask lanes, const std::array<int, kLanes>& at) {
  Brought brought{.lanes = lanes};
  for_each_lane(lanes, [&](unsigned lane) {
    const Instruction& i = warp.kernel().code[static_cast<std::size_t>(at[lane])];
    brought.value[lane] = warp.from(i.from[0])[lane];
    brought.second[lane] = warp.from(i.from[1])[lane];
    brought.third[lane] = warp.from(i.from[2])[lane];
    brought.votes |= warp.predicate(i.predicate_from[0]) & lane_bit(lane);
  });
  return brought;
}

// PTX ISA, "shfl.sync": from which lane, and whether it lies within the segment.
struct ShuffleSource {
  unsigned lane;
  bool in_range;
};
ShuffleSource shuffle_source(WarpWide kind, unsigned lane, std::uint64_t b, std::uint64_t c) {
  const unsigned by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const unsigned most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  unsigned from = 0;
  bool in_range = false;
  switch (kind) {
    case WarpWide::shfl_up:
      in_range = lane >= by && lane - by >= most;
      from = lane - by;
      break;
    case WarpWide::shfl_down: from = lane + by, in_range = from <= most; break;
    case WarpWide::shfl_bfly: from = lane ^ by, in_range = from <= most; break;
    default: from = least | (by & ~segment & 31), in_range = from <= most; break;
  }
  return {in_range ? from : lane, in_range};
}

Taken shuffle(Warp& warp, const Instruction& i, unsigned lane, const Brought& brought) {
  const ShuffleSource source = shuffle_source(i.warp_wide, lane, brought.second[lane], brought.third[lane]);
  if (!(brought.lanes & lane_bit(source.lane))) {
    note(warp, i, lane, Finding::warp_wide,
         "shfl reads lane " + std::to_string(source.lane) + ", which does not take part");
    return {static_cast<std::uint32_t>(warp.block().launch().random()()), source.in_range};
  }
  return {static_cast<std::uint32_t>(brought.value[source.lane]), source.in_range};
}

Taken match(const Instruction& i, unsigned lane, const Brought& brought) {
  const auto value = [&](unsigned of) {
    return i.size == 4 ? static_cast<std::uint32_t>(brought.value[of]) : brought.value[of];
  };
  LaneMask same = 0;
  for_each_lane(brought.lanes, [&](unsigned other) {
    if (value(other) == value(lane)) same |= lane_bit(other);
  });
  if (i.warp_wide == WarpWide::match_any) return {same, false};
  const bool all = same == brought.lanes;
  return {all ? same : 0, all};
}

std::uint32_t combine(const Instruction& i, std::uint32_t a, std::uint32_t b) {
  const bool less = i.is_signed ? static_cast<std::int32_t>(b) < static_cast<std::int32_t>(a) : b < a;
  switch (i.warp_wide) {
    case WarpWide::redux_add: return a + b;
    case WarpWide::redux_min: return less ? b : a;
    case WarpWide::redux_max: return less ? a : b;
    case WarpWide::redux_and: return a & b;
    case WarpWide::redux_or: return a | b;
    default: return a ^ b;
  }
}

Taken reduce(const Instruction& i, const Brought& brought) {
  auto result = static_cast<std::uint32_t>(brought.value[lowest_lane(brought.lanes)]);
  for_each_lane(brought.lanes & (brought.lanes - 1),
                [&](unsigned lane) { result = combine(i, result, static_cast<std::uint32_t>(brought.value[lane])); });
  return {result, false};
}

Taken take(Warp& warp, const Instruction& i, unsigned lane, const Brought& brought) {
  switch (i.warp_wide) {
    case WarpWide::sync: return {};
    case WarpWide::shfl_idx:
    case WarpWide::shfl_up:
    case WarpWide::shfl_down:
    case WarpWide::shfl_bfly: return shuffle(warp, i, lane, brought);
    case WarpWide::vote_all: return {0, brought.votes == brought.lanes};
    case WarpWide::vote_any: return {0, brought.votes != 0};
    case WarpWide::vote_uni: return {0, brought.votes == 0 || brought.votes == brought.lanes};
    case WarpWide::vote_ballot: return {brought.votes, false};
    case WarpWide::match_any:
    case WarpWide::match_all: return match(i, lane, brought);
    default: return reduce(i, brought);
  }
}

bool gives_value(WarpWide kind) {
  return kind != WarpWide::sync && kind != WarpWide::vote_all && kind != WarpWide::vote_any &&
         kind != WarpWide::vote_uni;
}

// What any of them wrote before, all see afterwards.
void share_knowledge(Warp& warp, LaneMask lanes) {
  std::array<std::uint32_t, kLanes> all{};
  for_each_lane(lanes, [&](unsigned lane) {
    for (unsigned other = 0; other < kLanes; ++other) all[other] = std::max(all[other], warp.clock[lane][other]);
  });
  for_each_lane(lanes, [&](unsigned lane) {
    warp.clock[lane] = all;
    ++warp.clock[lane][lane];
  });
}

}  // namespace

void execute_warp_wide(Warp& warp, LaneMask lanes, const std::array<int, kLanes>& at) {
  const auto instruction = [&](unsigned lane) -> const Instruction& {
    return warp.kernel().code[static_cast<std::size_t>(at[lane])];
  };
  const WarpWide kind = instruction(lowest_lane(lanes)).warp_wide;
  if (kind == WarpWide::sync) {
    if (warp.block().launch().races()) share_knowledge(warp, lanes);
    return;
  }
  const Brought brought = bring(warp, lanes, at);
  for_each_lane(lanes, [&](unsigned lane) {
    const Instruction& i = instruction(lane);
    const Taken taken = take(warp, i, lane, brought);
    if (gives_value(kind)) warp.to(i.to[0])[lane] = taken.value;
    warp.set_predicate(i.predicate_to[0], taken.predicate ? kAllLanes : 0, lane_bit(lane));
  });
}

}  // namespace cuda_machine
