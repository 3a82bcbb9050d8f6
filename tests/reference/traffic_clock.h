// Time of random traffic: mostly forwards in small steps, now and then to a border of a timeout, and backwards where
// the shape wants it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "reference_random.h"
#include "traffic_shape.h"

namespace reference {

// When a key's current flow began and was last seen, as far as its timeouts go.
struct KeyTimes {
  int64_t start = 0;
  int64_t end = 0;
};

class TrafficClock {
 public:
  TrafficClock(Random& random, const TrafficShape& shape) : random_(random), shape_(shape) {
    now_ = random_.pick<int64_t>({1'700'000'000'123'456'789, 1'000'000'000'000'000'000, 86'400'000'000'000, 0});
  }

  int64_t now() const { return now_; }

  void set(int64_t time) { now_ = std::clamp<int64_t>(time, 0, last_time); }

  // Later than now, unless time may run back.
  void move_to(int64_t time) {
    if (time >= now_ || shape_.time_runs_back) set(time);
  }

  // Where the end of the input decides whether a flow was idle.
  void to_idle_border(const KeyTimes& key) { move_to(key.end + idle() + random_.pick<int64_t>({-1, 0, 0, 1})); }

  // The time of the next packet of a key.
  int64_t next(const KeyTimes& key) {
    const int64_t before = now_;
    if (random_.percent(shape_.gap_percent)) to_border(key);
    else set(now_ + random_.pick<int64_t>({0, 0, 1, 999, 1000, 5000, 12'345, 100'000, 1'000'000, 1'000'001}));
    if (!shape_.time_runs_back || !random_.percent(6)) return now_;
    set(now_ - random_.pick<int64_t>({1, 1000, 1'000'000, 1'000'001, 100'000'000, 100'000'001, idle(), idle() + 1,
                                      active(), 10 * active(), int64_t(random_.below(5'000'000'000))}));
    const int64_t back = now_;
    if (random_.percent(60)) set(before);  // only this packet is early
    return back;
  }

 private:
  static constexpr int64_t last_time = 4'294'967'295'999'999'999;  // what a pcap record can say

  int64_t idle() const { return shape_.idle_timeout ? shape_.idle_timeout : 300'000'000'000; }
  int64_t active() const { return shape_.active_timeout ? shape_.active_timeout : 1'800'000'000'000; }

  void to_border(const KeyTimes& key) {
    const int64_t offset = random_.pick<int64_t>({-1, 0, 0, 1, 1});
    const int64_t idle_end = key.end + idle() + offset;
    const int64_t active_end = key.start + active() + offset;
    const int64_t between = now_ + int64_t(random_.below(uint64_t(idle())));
    move_to(random_.pick({idle_end, active_end, active_end, between, between}));
  }

  Random& random_;
  const TrafficShape& shape_;
  int64_t now_ = 0;
};

}  // namespace reference
