#include "packet/nic/feeder/feeder_queue.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "packet/file/limits.h"
#include "warpmeter/feeder_ring.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

FeederMemory map_feeder_memory(int fd) {
  const int seals = fcntl(fd, F_GET_SEALS);
  struct statfs system {};
  struct stat file {};
  if (seals < 0 || fstatfs(fd, &system) != 0 || system.f_type != TMPFS_MAGIC || fstat(fd, &file) != 0) {
    throw Error("what it shares is no memfd of usual pages");
  }
  if ((seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW)) {
    throw Error("its memory is not sealed against changes of its size (F_SEAL_SHRINK, F_SEAL_GROW)");
  }
  const auto bytes = static_cast<std::uint64_t>(file.st_size);
  if (file.st_size <= 0 || bytes < WMF_HEADER_BYTES + WMF_LEAST_DATA || bytes > WMF_HEADER_BYTES + WMF_MOST_DATA) {
    throw Error("a ring of " + std::to_string(file.st_size) + " bytes");
  }
  // Its pages are there, if the feeder is any good: then they need not be asked for one by one. Else none are made.
  const bool is_there = static_cast<std::uint64_t>(file.st_blocks) * 512 >= bytes;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (is_there ? MAP_POPULATE : 0), fd, 0);
  if (at == MAP_FAILED) throw Error(std::string("its ring cannot be mapped: ") + std::strerror(errno));
  return {{static_cast<std::uint8_t*>(at), [bytes](std::uint8_t* mapped) { munmap(mapped, bytes); }}, bytes};
}

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
      watermark_ns_(FrameBlock::kNothingPassed) {
  wmf_header copy;
  std::memcpy(&copy, memory_.at.get(), offsetof(wmf_header, write));
  check_header(copy, ring, rings);
  data_bytes_ = copy.data_bytes;
  snaplen_ = copy.snaplen;
  read_ = load_shared(header_.read);
  taken_ = load_shared(header_.taken);
  check_reserved();
  if (read_ % kAlignment) throw Error("read is " + std::to_string(read_) + ", no multiple of 8");
  // Of one that feeds already, what is wrong with the rest is told as damage.
  if (const std::uint64_t write = written(); write - read_ > data_bytes_) throw Error(wrong_position(write));
  dropped_.before = load_shared(header_.dropped_told);
  times_full_.before = load_shared(header_.times_full_told);
  missed_.before = load_shared(header_.missed_told);
}

void FeederQueue::check_header(const wmf_header& header, std::uint32_t ring, std::uint32_t rings) const {
  if (header.magic != WMF_MAGIC) throw Error("its memory is no ring of frames");
  if (header.version != WMF_VERSION) {
    throw Error("a ring of version " + std::to_string(header.version) + ", known is version " +
                std::to_string(WMF_VERSION));
  }
  const std::uint64_t bytes = header.data_bytes;
  if (header.header_bytes != WMF_HEADER_BYTES) {
    throw Error("header_bytes is " + std::to_string(header.header_bytes) + ", and not " +
                std::to_string(WMF_HEADER_BYTES));
  }
  const std::uint64_t room = memory_.bytes - WMF_HEADER_BYTES;
  if (!std::has_single_bit(bytes) || bytes < WMF_LEAST_DATA || bytes > room) {
    throw Error("data_bytes is " + std::to_string(bytes) + ", and not a power of two from " +
                std::to_string(WMF_LEAST_DATA) + " to the " + std::to_string(room) + " bytes behind the header");
  }
  if (header.ring != ring || header.rings != rings) {
    throw Error("ring " + std::to_string(header.ring) + " of " + std::to_string(header.rings) + " in the place of " +
                std::to_string(ring) + " of " + std::to_string(rings));
  }
  if (header.snaplen == 0 || header.snaplen > WMF_MOST_CAPTURED || header.snaplen > bytes / 4) {
    throw Error("snaplen is " + std::to_string(header.snaplen) + ", and not 1 to " +
                std::to_string(std::min<std::uint64_t>(WMF_MOST_CAPTURED, bytes / 4)));
  }
}

// A later version may mean something by them.
void FeederQueue::check_reserved() const {
  constexpr std::size_t kRanges[][2] = {{offsetof(wmf_header, reserved_before), sizeof wmf_header::reserved_before},
                                        {offsetof(wmf_header, reserved_feeder), sizeof wmf_header::reserved_feeder},
                                        {offsetof(wmf_header, reserved_meter), sizeof wmf_header::reserved_meter},
                                        {sizeof(wmf_header), WMF_HEADER_BYTES - sizeof(wmf_header)}};
  for (const auto& [begin, size] : kRanges) {
    for (std::size_t at = begin; at < begin + size; ++at) {
      if (memory_.at.get()[at] == 0) continue;
      throw Error("byte " + std::to_string(at) + " of its header is reserved, and not 0");
    }
  }
}

std::string FeederQueue::wrong_position(std::uint64_t write) const {
  const std::string is = "write is " + std::to_string(write);
  if (write % kAlignment) return is + ", no multiple of 8";
  if (write - read_ <= data_bytes_) return "";
  return is + ", and not within the " + std::to_string(data_bytes_) + " bytes from " + std::to_string(read_) +
         " on, where the meter is";
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
  if (const std::string wrong = wrong_position(write); !wrong.empty()) {
    damaged(wrong);
    return;
  }
  const std::uint64_t before = read_;
  while (read_ != write && take_record(write, frames)) {
  }
  if (read_ == before) check_sum();
  if (read_ == write && damage_.empty()) take_passed(passed);
  if (read_ == before) return;
  store_shared(header_.taken, taken_, std::memory_order_release);
  store_shared(header_.read, read_, std::memory_order_release);
}

// Behind the records: what is wrong with it is nothing for those.
void FeederQueue::take_passed(std::int64_t passed) {
  if (passed < -kMaxTimeNs || passed >= kMaxTimeNs) {
    damaged("passed_ns is " + std::to_string(passed) + ", and not within 2^62 before and behind 1970,");
  } else if (passed != 0) {
    watermark_ns_ = passed;
  }
}

// Of a ring that is empty, and stays so.
void FeederQueue::check_sum() {
  if (!damage_.empty() || !has_ended() || written() != read_) return;
  const std::uint64_t offered = load_shared(header_.offered), dropped = load_shared(header_.dropped);
  if (offered == taken_ + dropped) return;
  damaged("offered " + std::to_string(offered) + " frames, but taken " + std::to_string(taken_) + " and dropped " +
          std::to_string(dropped) + ",");
}

// False: no more is to be taken now.
bool FeederQueue::take_record(std::uint64_t write, CopiedFrames& frames) {
  const std::uint64_t left = write - read_, at = read_ & (data_bytes_ - 1), room = data_bytes_ - at;
  wmf_record record;
  if (room < sizeof record) return skip({}, room, left);
  if (left < sizeof record) return damaged("a record without an end");
  std::memcpy(&record, data_ + at, sizeof record);
  if (record.reserved != 0) return damaged("reserved bytes that are not 0");
  if (record.flags == WMF_FILLER) return skip(record, room, left);
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
bool FeederQueue::skip(const wmf_record& filler, std::uint64_t bytes, std::uint64_t left) {
  if (filler.captured != 0) return damaged("a filler of " + std::to_string(filler.captured) + " captured bytes");
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
  // Until then frames that are in the ring might pass for dropped ones, of a feeder that counts wrong.
  if (has_ended() && written() == load_shared(header_.read, std::memory_order_acquire)) dropped_.seen = 0;
  // In this order: behind each flush, what was offered is at least what was taken and dropped until then.
  const std::uint64_t dropped = load_shared(header_.dropped);
  const std::uint64_t taken = load_shared(header_.taken, std::memory_order_acquire);
  const std::uint64_t offered = load_shared(header_.offered);
  const std::uint64_t most = offered - std::min(offered, taken);
  const Counts counts{.dropped = dropped_.update(std::min(dropped, most)),
                      .times_full = times_full_.update(load_shared(header_.times_full)),
                      .missed = missed_.update(load_shared(header_.missed))};
  store_shared(header_.dropped_told, dropped_.before + counts.dropped);
  store_shared(header_.times_full_told, times_full_.before + counts.times_full);
  store_shared(header_.missed_told, missed_.before + counts.missed);
  return counts;
}

}  // namespace warpmeter::inline packet
