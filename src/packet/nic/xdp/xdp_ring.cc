#include "packet/nic/xdp/xdp_ring.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "packet/nic/xdp/xdp_socket.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kChunk = 2048, kLargeChunk = 4096, kLeastChunks = 64;
constexpr std::uint32_t kMostDescriptors = 2048;  // in a block
constexpr std::uint32_t kAhead = 16;              // frames, whose memory is asked for
constexpr std::size_t kCacheLine = 64;
constexpr std::uint32_t kWorthTaking = 1024;  // frames, however soon
constexpr std::uint32_t kPartsTaken = 4;      // of all chunks: with one of these full the ring is taken at once
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLeastPause = kSecond / 1000;  // after which fewer are taken
constexpr std::int64_t kQuiet = kSecond / 50;         // without frames: then the next one is waited for

// What may come in a pause, should many more come suddenly and nobody be woken by them: 1.3 million frames a second
// find room.
constexpr std::int64_t kPausePerChunk = 750;

// A frame is there when the driver has ended its round, which takes microseconds; where the machine's cores are
// somebody else's, too, one may lie still in the midst of it.
constexpr std::chrono::milliseconds kDelay{10};

std::int64_t now_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * kSecond + now.tv_nsec;
}

// Whole seconds: leap seconds, or 0 where nobody told the kernel of them.
std::int64_t tai_minus_utc(std::int64_t utc) {
  const std::int64_t difference = now_of(CLOCK_TAI) - utc;
  return (difference + kSecond / 2) / kSecond * kSecond;
}

// Where nobody is woken the memory has room for what comes meanwhile.
std::int64_t most_pause_for(const XdpRingPlace& place, std::size_t chunks) {
  const std::int64_t wanted = std::max(std::int64_t{place.most_pause.count()} * 1'000'000, kLeastPause);
  if (place.wakes) return wanted;
  return std::clamp(static_cast<std::int64_t>(chunks) * kPausePerChunk, kLeastPause, wanted);
}

std::size_t chunk_for(const XdpRingPlace& place) {
  return place.longest_frame <= FrameMemory::room_of(kChunk) ? kChunk : kLargeChunk;
}

std::size_t chunks_for(const XdpRingPlace& place) {
  return std::max(std::bit_floor(place.bytes / chunk_for(place)), kLeastChunks);
}

const CaptureMark& mark_before(const std::uint8_t* frame) {
  return *reinterpret_cast<const CaptureMark*>(frame - sizeof(CaptureMark));
}

// Frames, be they the longest.
std::uint32_t most_untaken_for(const XdpRingPlace& place, std::size_t chunks) {
  const std::size_t of_a_frame = place.longest_frame / FrameMemory::room_of(chunk_for(place)) + 1;
  return static_cast<std::uint32_t>(std::max<std::size_t>(chunks / kPartsTaken / of_a_frame, 1));
}

}  // namespace

// Descriptors that were taken at once. It belongs to who has its lease, and otherwise to the ring.
struct XdpRing::Block {
  // The frame that begins with `one`, which then is its last descriptor.
  const std::uint8_t* join(const FrameMemory& memory, const xdp_desc*& one);

  std::vector<xdp_desc> descriptors;
  std::size_t at = 0;       // of those, the first of the next frame
  std::int64_t utc_ns = 0;  // when they were taken
  std::int64_t tai_minus_utc = 0;
  std::size_t joined_bytes = 0;  // of frames in several chunks, all of them
  std::size_t joined_at = 0;     // until there they were put together
  std::unique_ptr<std::uint8_t[]> joined;
  Block* next = nullptr;  // in a list
};

// What leases need: it outlives the ring if they do.
struct XdpRing::Memory {
  Memory(std::size_t chunks, std::size_t chunk) : frames(chunks, chunk) {}

  // From any thread, without waiting.
  void give_back(Block* block) {
    block->next = returned.load(std::memory_order_relaxed);
    while (!returned.compare_exchange_weak(block->next, block, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  FrameMemory frames;
  std::atomic<Block*> returned = nullptr;      // a list, last first
  Block* free = nullptr;                       // a list, the ring's alone
  std::vector<std::unique_ptr<Block>> blocks;  // all of them
};

const std::uint8_t* XdpRing::Block::join(const FrameMemory& memory, const xdp_desc*& one) {
  if (!joined) joined = std::make_unique_for_overwrite<std::uint8_t[]>(joined_bytes);
  const std::uint8_t* const begin = joined.get() + joined_at;
  for (;; ++one) {
    std::memcpy(joined.get() + joined_at, memory.at(one->addr), one->len);
    joined_at += one->len;
    if (!(one->options & XdpSocket::kGoesOn)) return begin;
  }
}

XdpRing::XdpRing(const NetworkInterface& interface, const XdpRingPlace& place, std::shared_ptr<CaptureProgram> program)
    : interface_(interface),
      queue_(place.queue),
      program_(std::move(program)),
      memory_(std::make_shared<Memory>(chunks_for(place), chunk_for(place))),
      socket_(memory_->frames, {.interface = interface.index,
                                .queue = place.queue,
                                .fragments = place.longest_frame > FrameMemory::room_of(chunk_for(place))}),
      most_(std::min(kMostDescriptors, static_cast<std::uint32_t>(memory_->frames.chunks() / 4))),
      most_untaken_(most_untaken_for(place, memory_->frames.chunks())),
      worth_taking_(std::min(kWorthTaking, most_untaken_)),
      wakes_(place.wakes),
      most_pause_(most_pause_for(place, memory_->frames.chunks())),
      pause_(kLeastPause) {
  program_->give_queue(queue_, socket_.fd());
}

XdpRing::~XdpRing() = default;

std::size_t XdpRing::size() const { return memory_->frames.bytes(); }
std::chrono::milliseconds XdpRing::delay() const {
  return kDelay + std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds(most_pause_));
}
std::chrono::milliseconds XdpRing::pause() const {
  if (!is_busy_) return Ring::pause();
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds(pause_));
}

int XdpRing::fd() const {
  if (!is_busy_) return socket_.fd();
  return wakes_ ? program_->wake_fd() : -1;
}

bool XdpRing::waits_for_lease() const {
  return held_ == memory_->frames.chunks() && !memory_->returned.load(std::memory_order_relaxed);
}

// Chunks of blocks that were let go are the kernel's again.
void XdpRing::take_back() {
  if (!memory_->returned.load(std::memory_order_relaxed)) return;
  Block* block = memory_->returned.exchange(nullptr, std::memory_order_acquire);
  while (block) {
    for (const xdp_desc& one : block->descriptors) socket_.give(memory_->frames.chunk_of(one.addr));
    held_ -= block->descriptors.size();
    block->joined.reset();
    Block* const next = std::exchange(block->next, memory_->free);
    memory_->free = std::exchange(block, next);
  }
  socket_.publish();
}

XdpRing::Block& XdpRing::free_block() {
  if (!memory_->free) {
    memory_->blocks.push_back(std::make_unique<Block>());
    return *memory_->blocks.back();
  }
  return *std::exchange(memory_->free, memory_->free->next);
}

// Of whole frames, as many as are there and fit. Says how many.
std::uint32_t XdpRing::copy_descriptors(Block& block) {
  const std::uint32_t count = std::min(socket_.available(), most_);
  block.descriptors.resize(count);
  block.joined_bytes = block.joined_at = block.at = 0;
  std::uint32_t frames = 0, whole = 0;
  std::size_t bytes = 0;  // of a frame
  for (std::uint32_t i = 0; i < count; ++i) {
    const xdp_desc& one = block.descriptors[i] = socket_.descriptor(i);
    bytes += one.len;
    if (one.options & XdpSocket::kGoesOn) continue;
    if (whole < i) block.joined_bytes += bytes;
    whole = i + 1;
    bytes = 0;
    ++frames;
  }
  block.descriptors.resize(whole);
  return frames;
}

// Where frames come often a few are left to become more, but for no longer than a pause.
bool XdpRing::is_worth_taking(std::uint32_t available) {
  const std::int64_t now = now_of(CLOCK_MONOTONIC), since = now - last_taken_;
  if (now - last_busy_ > kQuiet + pause_) is_busy_ = false;
  if (available == 0) return false;
  if (is_busy_ && available < worth_taking_ && since < pause_ && !is_shut_) return false;
  last_taken_ = now;
  if (available > 1 || since < kQuiet) {
    last_busy_ = now;
    is_busy_ = true;
  }
  pause_for(available, since);
  return true;
}

// As long as at this rate it takes until they are worth it.
void XdpRing::pause_for(std::uint32_t frames, std::int64_t came_in_ns) {
  pause_ =
      std::clamp(std::min(came_in_ns, most_pause_) * worth_taking_ / std::max(frames, 1U), kLeastPause, most_pause_);
}

std::optional<RingBlock> XdpRing::next() {
  take_back();
  const std::uint32_t available = socket_.available();
  if (!is_worth_taking(available)) {
    if (is_busy_ && wakes_) program_->wake_after(most_untaken_ - std::min(available, most_untaken_ - 1));
    return {};
  }
  Block& block = free_block();
  const std::uint32_t frames = copy_descriptors(block);
  socket_.take(static_cast<std::uint32_t>(block.descriptors.size()));
  held_ += block.descriptors.size();
  if (frames == 0) {  // the rest of a frame is still to come
    block.next = std::exchange(memory_->free, &block);
    return {};
  }
  block.utc_ns = now_of(CLOCK_REALTIME);
  block.tai_minus_utc = tai_minus_utc(block.utc_ns);
  received_.fetch_add(frames, std::memory_order_relaxed);
  std::size_t last = block.descriptors.size() - 1;
  while (last > 0 && block.descriptors[last - 1].options & XdpSocket::kGoesOn) --last;
  const CaptureMark& mark = mark_before(memory_->frames.at(block.descriptors[last].addr));
  return RingBlock{.at = &block,
                   .frames = frames,
                   .last_ns = mark.magic == CaptureMark::kMagic ? mark.tai_ns - block.tai_minus_utc : block.utc_ns,
                   .lease = Lease(&block, [memory = memory_](Block* one) { memory->give_back(one); })};
}

void XdpRing::frames_of(RingBlock& ring_block, std::size_t most, FrameBlock& frames) const {
  Block& block = *static_cast<Block*>(ring_block.at);
  const FrameMemory& memory = memory_->frames;
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(most, ring_block.frames));
  const xdp_desc* const begin = block.descriptors.data();
  const xdp_desc* const end = begin + block.descriptors.size();
  const xdp_desc* one = begin + block.at;
  for (std::uint32_t i = 0; i < count; ++i, ++one) {
    if (one + kAhead < end) {
      const std::uint8_t* const soon = memory.at(one[kAhead].addr) - sizeof(CaptureMark);
      __builtin_prefetch(soon, 1);
      __builtin_prefetch(soon + kCacheLine);  // headers do not end where the mark's line does
    }
    std::uint8_t* const in_chunk = memory.at(one->addr);
    const CaptureMark mark = mark_before(in_chunk);
    std::memset(in_chunk - sizeof mark.magic, 0, sizeof mark.magic);  // what lies here next may come without
    const std::uint8_t* data = in_chunk;
    std::uint32_t captured = one->len;
    if (one->options & XdpSocket::kGoesOn) {
      data = block.join(memory, one);
      captured = static_cast<std::uint32_t>(block.joined.get() + block.joined_at - data);
    }
    const bool marked = mark.magic == CaptureMark::kMagic;
    frames.frames.push_back({data, marked ? mark.tai_ns - block.tai_minus_utc : block.utc_ns, captured,
                             marked ? std::max(mark.length, captured) : captured, interface_.link});
  }
  block.at = static_cast<std::size_t>(one - begin);
  ring_block.frames -= count;
}

void XdpRing::shut() {
  is_shut_ = true;
  program_->shut();
}

void XdpRing::update_counts() {
  const XdpLosses lost = socket_.lost();
  too_long_ = std::max(too_long_.load(), lost.too_long);
  const std::uint64_t full = std::max(ring_full_.load(), lost.full);
  if (full > ring_full_.exchange(full, std::memory_order_relaxed)) ++times_full_;
}

std::optional<double> XdpRing::fill() const {
  const auto taken = held_.load(std::memory_order_relaxed) + socket_.waiting();
  return std::min(static_cast<double>(taken) / static_cast<double>(memory_->frames.chunks()), 1.0);
}

// What came to queues without a socket is in the counts of the first.
RingCounts XdpRing::counts() const {
  return {.point = interface_.name,
          .ring = queue_,
          .received = received_,
          .ring_full = ring_full_,
          .times_full = times_full_,
          .no_socket = queue_ == 0 ? program_->no_socket() : 0,
          .too_long = too_long_};
}

}  // namespace warpmeter::inline packet
