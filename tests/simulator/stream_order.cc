#include "simulator/stream_order.h"

#include <algorithm>

namespace cuda_machine {

std::uint32_t StreamOrder::add_stream() {
  streams_[++last_stream_];
  return last_stream_;
}

const StreamOrder::Clock& StreamOrder::clock_of(const Stream& stream, std::uint32_t number) {
  static const Clock kNothing;
  const auto behind = std::upper_bound(stream.changes.begin(), stream.changes.end(), number,
                                       [](std::uint32_t n, const Change& change) { return n < change.number; });
  return behind == stream.changes.begin() ? kNothing : std::prev(behind)->clock;
}

void StreamOrder::join(Clock& clock, const Clock& other) const {
  for (const auto& [stream, number] : other) {
    if (streams_.contains(stream)) clock[stream] = std::max(clock[stream], number);
  }
}

void StreamOrder::join(Clock& clock, Work work) const {
  const auto stream = streams_.find(work.stream);
  if (stream == streams_.end() || work.number == 0) return;
  clock[work.stream] = std::max(clock[work.stream], work.number);
  join(clock, clock_of(stream->second, work.number));
}

Work StreamOrder::add(std::uint32_t stream, const std::vector<Work>& after, std::string_view what) {
  Stream& one = streams_.at(stream);
  one.what.push_back(what);
  const auto number = static_cast<std::uint32_t>(one.what.size());
  const Clock& before = clock_of(one, number);
  Clock clock;
  join(clock, before);
  join(clock, host_);
  for (const Work& work : after) join(clock, work);
  clock.erase(stream);  // its own work goes without saying
  if (clock != before) one.changes.push_back({number, std::move(clock)});
  return {stream, number};
}

void StreamOrder::host_waited_for(Work work) { join(host_, work); }

bool StreamOrder::ordered_before(Work earlier, Work later) const {
  if (earlier.stream == later.stream) return earlier.number <= later.number;
  if (!streams_.contains(earlier.stream)) return true;
  const Clock& clock = clock_of(streams_.at(later.stream), later.number);
  const auto known = clock.find(earlier.stream);
  return known != clock.end() && known->second >= earlier.number;
}

std::string_view StreamOrder::what(Work work) const {
  const auto stream = streams_.find(work.stream);
  return stream == streams_.end() ? "work of a stream that is gone" : stream->second.what[work.number - 1];
}

}  // namespace cuda_machine
