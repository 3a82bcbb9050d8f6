#include "command/live/core_exchange.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "warpmeter/frame.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

CoreExchange::CoreExchange(unsigned owners, std::size_t most, std::size_t payload_bytes) : going_(owners) {
  for (unsigned i = 0; i < owners; ++i) {
    places_.push_back(std::make_unique<Place>());
    Place& place = *places_.back();
    place.watermark_ns = FrameBlock::kNothingPassed;
    place.wake.reset(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!place.wake) throw Error(std::string("no eventfd: ") + std::strerror(errno));
  }
  for (unsigned from = 0; from < owners; ++from) {
    for (unsigned to = 0; to < owners; ++to) {
      queues_.push_back(from == to ? nullptr : std::make_unique<SegmentQueue>(most));
      if (payload_bytes == 0) continue;
      payloads_.push_back(from == to ? nullptr : std::make_unique<PayloadQueue>(payload_bytes));
    }
  }
}

// Either this sees that `to` waits, or `to` sees before it waits what was published: each tells before it looks, and
// all agree on the order in which that happened (memory_order_seq_cst).
void CoreExchange::publish(unsigned from, unsigned to) {
  queue(from, to).publish();
  if (!payloads_.empty()) payload(from, to).publish();
  wake(*places_[to]);
}

void CoreExchange::wake(Place& place) {
  if (!place.waits || !place.waits.exchange(false)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(place.wake.get(), &one, sizeof one);  // full: it is awake
}

bool CoreExchange::has_some_for(unsigned to) const {
  for (unsigned from = 0; from < owners(); ++from) {
    if (from == to) continue;
    const std::size_t pair = from * owners() + to;
    if (!queues_[pair]->is_empty() || (!payloads_.empty() && !payloads_[pair]->is_empty())) return true;
  }
  return false;
}

void CoreExchange::begin_wait(unsigned to) { places_[to]->waits = true; }

void CoreExchange::end_wait(unsigned to) {
  places_[to]->waits.store(false, std::memory_order_relaxed);
  std::uint64_t count;
  [[maybe_unused]] const auto taken = read(wake_fd(to), &count, sizeof count);
}

void CoreExchange::has_passed(unsigned from, std::int64_t time_ns) {
  places_[from]->watermark_ns.store(time_ns, std::memory_order_release);
}

std::int64_t CoreExchange::passed_by_others(unsigned to) const {
  std::int64_t passed = std::numeric_limits<std::int64_t>::max();
  for (unsigned from = 0; from < owners(); ++from) {
    if (from != to) passed = std::min(passed, places_[from]->watermark_ns.load(std::memory_order_acquire));
  }
  return passed;
}

void CoreExchange::end(unsigned from) {
  has_passed(from, std::numeric_limits<std::int64_t>::max());
  --going_;
  for (const auto& place : places_) wake(*place);
}

}  // namespace warpmeter::inline command
