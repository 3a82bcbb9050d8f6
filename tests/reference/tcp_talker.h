// One sender that breaks every habit of TCP: it overlaps, reorders, leaves holes, fills them partly, jumps, restarts.
// It keeps just enough of its past to hit the interesting numbers again.
#pragma once

#include <cstdint>
#include <vector>

#include "reference_random.h"
#include "traffic_shape.h"

namespace reference {

struct SegmentDraft {
  uint32_t sequence = 0;
  uint8_t flags = 0x10;
  uint16_t window = 0;
  uint32_t payload = 0;
  uint32_t acknowledgement = 0;  // of SYN+ACKs: which SYN they answer
};

class TcpTalker {
 public:
  TcpTalker(Random& random, const TrafficShape& shape);

  SegmentDraft next();

  bool in_burst() const { return burst_left_ > 0; }

 private:
  SegmentDraft data();
  SegmentDraft in_order();
  SegmentDraft overlapping();
  SegmentDraft acknowledgement();
  SegmentDraft keep_alive();
  SegmentDraft opening();
  SegmentDraft restart();
  SegmentDraft closing();
  SegmentDraft reset();
  SegmentDraft jump();
  SegmentDraft after_jump();
  SegmentDraft second_answer();
  SegmentDraft burst();
  SegmentDraft into_burst_area();

  void start_burst();
  void begin_anywhere();
  uint32_t edge();  // a number where an earlier segment began or ended
  uint32_t length();
  void remember(const SegmentDraft& segment);

  Random& random_;
  const TrafficShape& shape_;
  bool runner_ = false;  // advances in steps of about 2^26, the most that fits: wraps again and again
  uint32_t isn_ = 0;
  uint32_t lowest_ = 0;
  uint32_t highest_ = 0;  // highest end, modulo 2^32
  uint32_t fin_ = 0;
  uint32_t answered_ = 0;  // by SYN+ACKs of this incarnation
  uint32_t jump_end_ = 0;  // of the latest segment far away
  std::vector<uint32_t> edges_;

  uint32_t burst_left_ = 0;
  uint32_t burst_at_ = 0;
  uint32_t burst_step_ = 0;
  uint32_t area_begin_ = 0;  // of the latest burst
  uint32_t area_size_ = 0;
};

}  // namespace reference
