// Which connection is next. A 4-ary min-heap: half the levels of a binary one, and the four children share a cache
// line. Of two events at the same time the lower slot comes first, so the order never depends on the heap's shape.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace traffic_gen {

struct Event {
  uint64_t time;
  uint64_t slot;
  friend bool operator<(const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.slot < b.slot; }
};

class EventHeap {
 public:
  explicit EventHeap(std::vector<Event> events) : events_(std::move(events)) {
    std::sort(events_.begin(), events_.end());  // a sorted array is a heap
  }

  const Event& top() const { return events_[0]; }

  // The connection on top has its next event at `time`.
  void postpone_top(uint64_t time) {
    const Event moving{time, events_[0].slot};
    size_t hole = 0;
    for (size_t first = 1; first < events_.size(); first = 4 * hole + 1) {
      const size_t end = std::min(first + 4, events_.size());
      size_t least = first;
      for (size_t child = first + 1; child < end; child++)
        if (events_[child] < events_[least]) least = child;
      if (!(events_[least] < moving)) break;
      events_[hole] = events_[least];
      hole = least;
    }
    events_[hole] = moving;
  }

 private:
  std::vector<Event> events_;
};

}  // namespace traffic_gen
