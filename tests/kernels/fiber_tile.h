// A tile on the CPU: each lane is a fiber, and between two collective calls the lanes run one after the other, in an
// order that a seed shuffles anew every time. What depends on the order in which lanes run shows as a different result.
//
// Lanes that leave the kernel, or call collectives, a different number of times than the others, or at the same time
// different ones, would hang or misbehave on a GPU; here it throws.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/tile.h"
#include "kernels/fiber.h"

namespace warpmeter::test {

enum class Collective : std::uint8_t { none, ballot, shfl, sync };

// Runs the lanes of tiles, one tile at a time.
class LaneScheduler {
 public:
  LaneScheduler(unsigned lanes, std::uint64_t seed) : random_(seed), called_(lanes), calls_(lanes) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      order_.push_back(lane);
      fibers_.push_back(std::make_unique<Fiber>([this, lane] { body_(lane); }));
    }
  }

  // Calls body(lane) in every lane. The lanes call meet().
  void run(std::function<void(unsigned)> body) {
    start(std::move(body));
    while (step()) {
    }
  }

  // The same, but nothing happens before step(). REQUIRES: !running(), and nothing was thrown before.
  void start(std::function<void(unsigned)> body) {
    body_ = std::move(body);
    std::fill(calls_.begin(), calls_.end(), 0);
    running_ = true;
  }

  bool running() const { return running_; }

  // Lets every lane come to its next collective call. False when all have left instead. REQUIRES: running().
  bool step() {
    std::shuffle(order_.begin(), order_.end(), random_);
    std::fill(called_.begin(), called_.end(), Collective::none);
    for (unsigned lane : order_) fibers_[lane]->resume();
    for (Collective called : called_) {
      if (called != called_[0]) throw std::logic_error("lanes of a tile do not meet");
    }
    return running_ = called_[0] != Collective::none;
  }

  // Called by a lane: waits until all lanes are here.
  void meet(unsigned lane, Collective what) {
    ++calls_[lane];
    called_[lane] = what;
    fibers_[lane]->pause();
  }

  // What the lanes exchange: two places in turn, since a lane may be at its next call before another has read.
  static constexpr std::size_t kMostBytes = 16;
  using Values = std::array<std::array<unsigned char, kMostBytes>, 32>;
  Values& values(unsigned lane) { return values_[calls_[lane] % 2]; }

 private:
  std::mt19937_64 random_;
  std::vector<unsigned> order_;
  std::vector<Collective> called_;  // in this step
  std::vector<std::uint64_t> calls_;
  Values values_[2];
  std::function<void(unsigned)> body_;
  bool running_ = false;
  std::vector<std::unique_ptr<Fiber>> fibers_;
};

template <unsigned kLanes>
class FiberTile {
 public:
  static constexpr unsigned kSize = kLanes;
  FiberTile(LaneScheduler& scheduler, unsigned rank) : scheduler_(scheduler), rank_(rank) {}

  unsigned rank() const { return rank_; }

  std::uint32_t ballot(bool said) {
    const auto& all = exchange(said, Collective::ballot);
    std::uint32_t bits = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) bits |= std::uint32_t{all[lane][0]} << lane;
    return bits;
  }

  template <class T>
  T shfl(T value, unsigned lane) {
    static_assert(sizeof(T) <= LaneScheduler::kMostBytes);
    const auto& all = exchange(value, Collective::shfl);
    T other;
    std::memcpy(&other, all[lane % kLanes].data(), sizeof other);
    return other;
  }

  void sync() { scheduler_.meet(rank_, Collective::sync); }

 private:
  template <class T>
  const LaneScheduler::Values& exchange(T value, Collective what) {
    LaneScheduler::Values& values = scheduler_.values(rank_);
    std::memcpy(values[rank_].data(), &value, sizeof value);
    scheduler_.meet(rank_, what);
    return values;
  }

  LaneScheduler& scheduler_;
  const unsigned rank_;
};

// Calls kernel(tile, i) for every i below `count`, with `tiles` tiles under way at a time, as on a GPU: which of them
// goes on to its next collective call is drawn every time.
template <unsigned kLanes, class Kernel>
void run_in_fibers(const Kernel& kernel, std::uint32_t count, unsigned tiles, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::unique_ptr<LaneScheduler>> schedulers;
  for (unsigned t = 0; t < tiles; ++t) schedulers.push_back(std::make_unique<LaneScheduler>(kLanes, random()));
  std::uint32_t next = 0, in_flight = 0;
  while (next < count || in_flight > 0) {
    LaneScheduler& scheduler = *schedulers[random() % tiles];
    if (scheduler.running()) {
      if (!scheduler.step()) --in_flight;
    } else if (next < count) {
      scheduler.start([&kernel, &scheduler, i = next++](unsigned lane) {
        FiberTile<kLanes> tile(scheduler, lane);
        kernel(tile, i);
      });
      ++in_flight;
    }
  }
}

}  // namespace warpmeter::test
