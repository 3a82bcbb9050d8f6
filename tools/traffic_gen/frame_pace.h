// When the next frame of a connection comes. Every connection waits an exponential time between its frames; the mean
// follows from the wanted packet rate and the number of live connections, and is corrected while running, because some
// waits have a lower bound (see kDistinct).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "seeded_random.h"

namespace traffic_gen {

constexpr uint64_t kMicrosecond = 1'000;
constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;

// No wait inside a connection is longer. With at most 14 frames between two of one direction it stays far below the
// meter's idle timeout.
constexpr uint64_t kLongestGap = 14 * kSecond;
// A mirror copy comes at most this much, and fewer than kCopyWindow frames, after what it copies.
constexpr uint64_t kCopyGap = 500 * kMicrosecond;
constexpr uint64_t kCopyWindow = 1000;
// Two equal packets without an identity of their own are two packets only if the meter's 1 ms lies between the later
// and the last copy of the earlier, of which there may be two in a row.
constexpr uint64_t kDistinct = 2 * kCopyGap + 1200 * kMicrosecond;

class Pace {
 public:
  Pace(double rate, uint64_t flows)
      : frame_ns_(kSecond / rate), mean_gap_(frame_ns_ * static_cast<double>(flows)), scale_(mean_gap_) {
    for (size_t i = 0; i < kQuantiles; i++) quantile_[i] = -std::log(1 - (static_cast<double>(i) + 0.5) / kQuantiles);
  }

  uint64_t gap(Random& random) const {
    const auto ns = static_cast<uint64_t>(scale_ * quantile_[random.bits() >> 54]);
    return std::min(ns, kLongestGap) + 1;
  }

  uint64_t copy_delay(Random& random) const {
    const auto few_frames = static_cast<uint64_t>(frame_ns_ * 40);
    return 1 + static_cast<uint64_t>(random.real() * static_cast<double>(std::min(few_frames, kCopyGap - 50'000)));
  }

  uint64_t mean_gap() const { return static_cast<uint64_t>(mean_gap_); }

  // Told now and then how far packet time has come: speeds up or slows down to meet the wanted rate.
  void observe(uint64_t frames, uint64_t elapsed) {
    const double ahead = static_cast<double>(elapsed) - static_cast<double>(frames) * frame_ns_;
    const double horizon = 20 * mean_gap_ + 1000 * frame_ns_;
    scale_ = mean_gap_ * std::clamp(1 - ahead / horizon, 0.05, 3.0);
  }

 private:
  static constexpr size_t kQuantiles = 1024;
  double frame_ns_;
  double mean_gap_;
  double scale_;
  std::array<double, kQuantiles> quantile_;
};

}  // namespace traffic_gen
