// The rules for one TCP segment, on unwrapped 64-bit numbers: no comparison here is modulo anything.
#include "incarnation.h"

#include <algorithm>

namespace reference {

int64_t Incarnation::unwrap(uint32_t sequence) const {
  if (!extent_) return sequence;
  const auto distance = static_cast<int32_t>(sequence - static_cast<uint32_t>(extent_->highest));
  return extent_->highest + distance;
}

Verdict Incarnation::take(const TcpSegment& segment, int64_t time) {
  Verdict verdict;
  if (segment.fin() || segment.rst()) closing_ = true;
  if (segment.rst()) return verdict;
  const int64_t start = unwrap(segment.sequence);
  const int64_t payload = start + segment.syn();
  const int64_t payload_end = payload + segment.payload;
  const int64_t end = payload_end + segment.fin();
  const bool plain = !segment.syn() && !segment.fin();
  if (plain && segment.payload <= 1 && extent_ && start == extent_->highest - 1) {
    verdict.keep_alive = true;
  } else if (segment.payload > 0) {
    verdict.bytes_again = seen_.count(payload, payload_end);
    verdict.out_of_order = verdict.bytes_again == 0 && extent_ && payload < extent_->highest;
  }
  seen_.insert(start, end);
  if (!extent_) extent_ = Extent{start, end};
  extent_->lowest = std::min(extent_->lowest, start);
  extent_->highest = std::max(extent_->highest, end);
  if (segment.syn()) syn_ = Syn{segment.sequence, start, syn_ ? syn_->first_time : time};
  if (segment.fin()) {
    verdict.first_fin = fins_.empty();
    if (verdict.first_fin) first_fin_time_ = time;
    fins_.insert(payload_end);
  }
  return verdict;
}

bool Incarnation::is_foreign_syn(const TcpSegment& segment) const {
  if (syn_) return segment.sequence != syn_->sequence;
  if (!extent_) return true;
  return segment.sequence + 1 != static_cast<uint32_t>(extent_->lowest);
}

int64_t Incarnation::missing_bytes() const { return extent_ ? extent_->highest - extent_->lowest - seen_.count() : 0; }

std::optional<ConnectionValues> Incarnation::connection() const {
  if (!syn_ || fins_.size() != 1) return {};
  const int64_t bytes = *fins_.begin() - syn_->position - 1;
  if (bytes < 0) return {};
  const auto [earlier, later] = std::minmax(first_fin_time_, syn_->first_time);
  return ConnectionValues{bytes, later - earlier};
}

}  // namespace reference
