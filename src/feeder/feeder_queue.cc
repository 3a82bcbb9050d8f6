#include "feeder/feeder_queue.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "capture/limits.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

template <class Number>
Number load_shared(const Number& shared, std::memory_order order = std::memory_order_relaxed) {
  return std::atomic_ref(const_cast<Number&>(shared)).load(order);
}

template <class Number>
void store_shared(Number& shared, Number value, std::memory_order order = std::memory_order_relaxed) {
  std::atomic_ref(shared).store(value, order);
}

constexpr std::uint64_t kAlignment = 8;

}  // namespace

FeederQueue::FeederQueue(FeederMemory memory, std::uint32_t ring, std::uint32_t rings)
    : memory_(std::move(memory)),
      header_(*reinterpret_cast<wmf_header*>(memory_.at.get())),
      data_(memory_.at.get() + WMF_HEADER_BYTES),
      passed_ns_(FrameBlock::kNothingPassed) {
  wmf_header copy;
  std::memcpy(&copy, memory_.at.get(), offsetof(wmf_header, write));
  check_header(copy, ring, rings);
  data_bytes_ = copy.data_bytes;
  snaplen_ = copy.snaplen;
  read_ = load_shared(header_.read);
  taken_ = load_shared(header_.taken);
  if (read_ % kAlignment || written() - read_ > data_bytes_) {
    throw Error("it begins at byte " + std::to_string(read_) + " of " + std::to_string(written()));
  }
  dropped_.before = load_shared(header_.dropped_told);
  times_full_.before = load_shared(header_.times_full_told);
  missed_.before = load_shared(header_.missed_told);
}

void FeederQueue::check_header(const wmf_header& header, std::uint32_t ring, std::uint32_t rings) {
  if (header.magic != WMF_MAGIC) throw Error("its memory is no ring of frames");
  if (header.version != WMF_VERSION) {
    throw Error("a ring of version " + std::to_string(header.version) + ", known is version " +
                std::to_string(WMF_VERSION));
  }
  const std::uint64_t bytes = header.data_bytes;
  if (header.header_bytes != WMF_HEADER_BYTES || !std::has_single_bit(bytes) || bytes < WMF_LEAST_DATA ||
      bytes > memory_.bytes - WMF_HEADER_BYTES) {
    throw Error("a ring of " + std::to_string(bytes) + " bytes in " + std::to_string(memory_.bytes) + " of memory");
  }
  if (header.ring != ring || header.rings != rings) {
    throw Error("ring " + std::to_string(header.ring) + " of " + std::to_string(header.rings) + " in the place of " +
                std::to_string(ring) + " of " + std::to_string(rings));
  }
  if (header.snaplen == 0 || header.snaplen > WMF_MOST_CAPTURED || header.snaplen > bytes / 4) {
    throw Error("frames of " + std::to_string(header.snaplen) + " bytes");
  }
}

std::uint64_t FeederQueue::written() const { return load_shared(header_.write, std::memory_order_acquire); }
bool FeederQueue::has_ended() const { return load_shared(header_.ended, std::memory_order_acquire) == 1; }
std::uint64_t FeederQueue::heartbeat_ns() const { return load_shared(header_.heartbeat_ns); }

// By any thread: with what was taken it sees what was written before that, so that `write` is not behind.
double FeederQueue::fill() const {
  const std::uint64_t read = load_shared(header_.read, std::memory_order_acquire);
  const std::uint64_t write = load_shared(header_.write);
  return static_cast<double>(std::min(write - read, data_bytes_)) / static_cast<double>(data_bytes_);
}

void FeederQueue::shut() { last_ = written(); }

void FeederQueue::take(CopiedFrames& frames) {
  if (!damage_.empty()) return;
  const std::int64_t passed = load_shared(header_.passed_ns, std::memory_order_acquire);  // before what it speaks of
  const std::uint64_t write = last_ != UINT64_MAX ? last_ : written();
  if (write % kAlignment || write - read_ > data_bytes_) {
    damaged("written to byte " + std::to_string(write));
    return;
  }
  if (passed < -kMaxTimeNs || passed >= kMaxTimeNs) {
    damaged("the time " + std::to_string(passed) + " ns");
    return;
  }
  if (passed != 0) passed_ns_ = passed;
  const std::uint64_t before = read_;
  while (read_ != write && take_record(write, frames)) {
  }
  if (read_ == before) return;
  store_shared(header_.taken, taken_);
  store_shared(header_.read, read_, std::memory_order_release);
}

// False: no more is to be taken now.
bool FeederQueue::take_record(std::uint64_t write, CopiedFrames& frames) {
  const std::uint64_t left = write - read_, at = read_ & (data_bytes_ - 1), room = data_bytes_ - at;
  wmf_record record;
  if (room < sizeof record) return skip(room, left);
  if (left < sizeof record) return damaged("a record without an end");
  std::memcpy(&record, data_ + at, sizeof record);
  if (record.flags == WMF_FILLER) return skip(room, left);
  if (!is_fitting(record, std::min(left, room))) return false;
  if (!frames.has_room(record.captured)) return false;
  const std::uint16_t link = record.link;
  std::uint8_t* const bytes = frames.add({nullptr, record.time_ns, record.captured, record.original, link});
  std::memcpy(bytes, data_ + at + sizeof record, record.captured);
  read_ += (sizeof record + record.captured + kAlignment - 1) & ~(kAlignment - 1);
  ++taken_;
  return true;
}

// To the beginning of the data.
bool FeederQueue::skip(std::uint64_t bytes, std::uint64_t left) {
  if (left < bytes) return damaged("a filler without an end");
  read_ += bytes;
  return true;
}

bool FeederQueue::is_fitting(const wmf_record& record, std::uint64_t most) {
  if (record.flags != 0) return damaged("flags " + std::to_string(record.flags));
  if (record.captured > snaplen_ || sizeof record + record.captured > most) {
    return damaged(std::to_string(record.captured) + " captured bytes");
  }
  if (record.original < record.captured) {
    return damaged(std::to_string(record.captured) + " captured bytes of " + std::to_string(record.original));
  }
  if (record.time_ns < -kMaxTimeNs || record.time_ns >= kMaxTimeNs) {
    return damaged("the time " + std::to_string(record.time_ns) + " ns");
  }
  if (!is_known_link(record.link)) return damaged("link type " + std::to_string(record.link) + ", which is not known");
  return true;
}

bool FeederQueue::damaged(const std::string& what) {
  damage_ = what + " at byte " + std::to_string(read_);
  return false;
}

// A feeder that counts down is not believed.
std::uint64_t FeederQueue::Counter::update(std::uint64_t now) {
  seen = std::max(seen, now);
  return seen > before ? seen - before : 0;
}

FeederQueue::Counts FeederQueue::count() {
  const Counts counts{.dropped = dropped_.update(load_shared(header_.dropped)),
                      .times_full = times_full_.update(load_shared(header_.times_full)),
                      .missed = missed_.update(load_shared(header_.missed))};
  store_shared(header_.dropped_told, dropped_.before + counts.dropped);
  store_shared(header_.times_full_told, times_full_.before + counts.times_full);
  store_shared(header_.missed_told, missed_.before + counts.missed);
  return counts;
}

}  // namespace warpmeter
