// Timeout, then reuse, then the segment itself.
#include "stream_oracle.h"

#include <algorithm>
#include <utility>

namespace reference {

bool StreamOracle::is_silent(const OracleConnection& connection, int64_t time) const {
  return options_.timeout != 0 && time - connection.latest_time() > options_.timeout;
}

void StreamOracle::end(Key key, Reason reason, int64_t packet) {
  const auto found = open_.find(key);
  result_.connections.push_back(found->second.finish(reason, packet));
  open_.erase(found);
}

StreamOracle::Key StreamOracle::key_of(const OracleSegment& segment) {
  const auto [low, high] = std::minmax(segment.source, segment.destination);
  return {segment.version, low, high};
}

const StreamConnection* StreamOracle::open(const OracleSegment& segment) const {
  const auto found = open_.find(key_of(segment));
  return found == open_.end() ? nullptr : &found->second.so_far();
}

void StreamOracle::take(const OracleSegment& segment) {
  latest_time_ = std::max(latest_time_.value_or(segment.time), segment.time);
  const Key key = key_of(segment);
  auto found = open_.find(key);
  if (found != open_.end() && is_silent(found->second, segment.time)) end(key, Reason::timeout, 0);
  found = open_.find(key);
  const bool is_syn = segment.syn() && !segment.rst();
  if (found != open_.end() && is_syn && found->second.is_foreign(segment)) end(key, Reason::reuse, segment.number);
  found = open_.find(key);
  if (found == open_.end()) {
    if (segment.rst() || !(segment.syn() || segment.payload > 0)) {
      result_.stray_segments += 1;
      return;
    }
    found = open_.emplace(key, OracleConnection(segment, options_)).first;
  }
  found->second.take(segment);
}

Streams StreamOracle::finish() {
  while (!open_.empty()) {
    const auto& [key, connection] = *open_.begin();
    end(key, is_silent(connection, *latest_time_) ? Reason::timeout : Reason::end, 0);
  }
  std::sort(result_.connections.begin(), result_.connections.end(),
            [](const StreamConnection& a, const StreamConnection& b) {
              return std::pair(a.opened_packet, a.opened_in_frame) < std::pair(b.opened_packet, b.opened_in_frame);
            });
  return std::exchange(result_, {});
}

Streams reassemble(std::span<const std::vector<uint8_t>> captures, const StreamOptions& options,
                   std::vector<Damage>* damage) {
  StreamOracle oracle(options);
  int64_t number = 0;
  for (const auto& file : captures) {
    const Capture capture = read_capture(file);
    for (const Frame& frame : capture.frames) {
      ++number;
      for (const OracleSegment& segment : segments_of(frame, options.decapsulate, number)) oracle.take(segment);
    }
    if (capture.damage && damage) damage->push_back(*capture.damage);
  }
  return oracle.finish();
}

}  // namespace reference
