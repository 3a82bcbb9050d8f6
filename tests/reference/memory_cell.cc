#include "reference/memory_cell.h"

#include <algorithm>

namespace reference {

uint64_t NewBytes::of(const MemoryPacket& packet) {
  if (!packet.tcp || packet.rst || packet.payload == 0) return 0;
  Direction& d = directions_[{packet.connection, packet.way}];
  int64_t first = int64_t{packet.sequence} + (packet.syn ? 1 : 0);
  if (d.known) {  // the number that is nearest to the highest, 2^31 away is below
    constexpr int64_t kAll = int64_t{1} << 32;
    while (first - d.highest >= kAll / 2) first -= kAll;
    while (first - d.highest < -kAll / 2) first += kAll;
  }
  if (packet.syn) d.seen = {};
  const int64_t end = first + packet.payload;
  const int64_t fresh = packet.payload - d.seen.count(first, end);
  d.seen.insert(first, end);
  d.highest = !d.known || packet.syn ? end : std::max(d.highest, end);
  d.known = true;
  return static_cast<uint64_t>(fresh);
}

void MemoryCell::end_silent(int64_t before) {
  for (auto it = alive_.begin(); it != alive_.end();) {
    const int64_t end = it->second.latest + timeout_;
    if (end >= before) {
      ++it;
      continue;
    }
    streams_.emplace_back(end, -1);
    buffered_.emplace_back(end, -static_cast<int64_t>(it->second.held));
    it = alive_.erase(it);
  }
}

void MemoryCell::take(const MemoryPacket& packet, uint64_t fresh) {
  if (!any_) first_ = now_ = packet.time_ns;
  any_ = true;
  now_ = std::max(now_, packet.time_ns);
  end_silent(now_);
  if (!packet.tcp) return;
  auto found = alive_.find(packet.connection);
  if (found == alive_.end()) {
    if (fresh == 0) return;
    found = alive_.emplace(packet.connection, Stream()).first;
    streams_.emplace_back(now_, 1);
  }
  Stream& stream = found->second;
  stream.latest = now_;
  stream.held += fresh;
  buffered_.emplace_back(now_, static_cast<int64_t>(fresh));
  const bool ends = packet.fin || packet.rst;
  if (stream.held >= block_ || ends) {
    buffered_.emplace_back(now_, -static_cast<int64_t>(stream.held));
    stream.held = 0;
  }
  if (!ends) return;
  streams_.emplace_back(now_, -1);
  alive_.erase(found);
}

Integrated MemoryCell::integrate(Changes changes) const {
  std::ranges::stable_sort(changes, {}, &std::pair<int64_t, int64_t>::first);
  Integrated sum;
  int64_t value = 0, since = first_;
  for (const auto& [when, by] : changes) {
    sum.integral += static_cast<__int128>(value) * (when - since);
    since = when;
    value += by;
    sum.peak = std::max(sum.peak, value);
  }
  sum.integral += static_cast<__int128>(value) * (now_ - since);
  return sum;
}

}  // namespace reference
