#include "command/coalesce/inline_coalescer.h"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "core/byte_order.h"
#include "core/seeded_hash.h"
#include "stream/coalescing/coalescing_packet.h"
#include "stream/coalescing/internet_checksum.h"
#include "stream/coalescing/super_packet.h"

namespace warpmeter::inline command {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kFramesAtOnce = 64;
constexpr auto kLongestRound = 4ms;  // where the ring is never empty
constexpr auto kPublishEvery = 100ms;
constexpr std::int64_t kLongestPause = 100'000'000;  // ns, in which it sees that it is to end
// Somebody waits for what is held back: the paper's timeout would let a slow direction wait for seconds.
constexpr std::int64_t kLongestWait = 20'000'000;  // ns
constexpr std::size_t kMostPieces = 64;            // of one call
constexpr std::size_t kRingForEachHeld = 4 << 20;  // bytes: most of a ring has to be the kernel's

CoalescerOptions options_of(const InlineOptions& options) {
  constexpr std::uint64_t kDescriptorBytes = 256;
  CoalescerOptions coalescing = options.common.coalescing;
  coalescing.even = true;
  coalescing.times_out = options.by_average;
  coalescing.longest_wait_ns = kLongestWait;
  coalescing.held = options.common.memory / 2;
  coalescing.descriptors = std::max<std::uint64_t>(options.common.memory / 8 / kDescriptorBytes, 1);
  return coalescing;
}

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// It has the sum of the pseudo header only: the one who sent it left the rest to a card (RFC 1071). In UDP 0 is none.
// What is neither TCP nor UDP, such as SCTP with its CRC, is left to the kernel.
void complete_checksum(WholeFrame& whole) {
  constexpr std::uint16_t kInUdp = 6, kInTcp = 16;
  if (whole.header.checksum_offset != kInUdp && whole.header.checksum_offset != kInTcp) return;
  const VnetHeader told = std::exchange(whole.header, {});
  const std::size_t at = std::size_t{told.checksum_start} + told.checksum_offset;
  if (at + sizeof(std::uint16_t) > whole.frame.captured) return;
  auto* const frame = const_cast<std::uint8_t*>(whole.frame.data);  // in the ring's memory, which is ours until then
  const std::uint16_t sum = internet_sum(frame + told.checksum_start, whole.frame.captured - told.checksum_start);
  const auto checksum = static_cast<std::uint16_t>(~sum);
  store_be16(frame + at, checksum == 0 && told.checksum_offset == kInUdp ? std::uint16_t{0xffff} : checksum);
}

// Several segments of TCP within a tunnel: the header has no word for what is before TCP, and the kernel would cut them
// as if there were no tunnel, or not at all.
bool is_of_tunnel(const VnetHeader& header, const CoalescingPacket& packet) {
  const int type = header.type & ~VnetHeader::kWithEcn;
  const bool is_tcp = type == VnetHeader::kTcp4 || type == VnetHeader::kTcp6;
  return is_tcp && (packet.reason == PassReason::no_tcp || packet.reason == PassReason::not_ip);
}

VnetHeader header_of(CoalescedPacket& packet) {
  if (packet.joined < 2) return {};
  const GsoForm form = to_gso_form(packet);
  return {.flags = VnetHeader::kNeedsChecksum,
          .type = form.is_ip6 ? VnetHeader::kTcp6 : VnetHeader::kTcp4,
          .header_bytes = form.headers,
          .segment_bytes = form.segment,
          .checksum_start = form.checksum_start,
          .checksum_offset = form.checksum_offset};
}

}  // namespace

InlineCoalescer::InlineCoalescer(PacketRing& ring, FrameWriter& out, const InlineOptions& options)
    : ring_(ring),
      out_(out),
      verify_(options.common.verify),
      by_average_(options.by_average),
      seed_(random_hash_seed()),
      coalescer_(options_of(options)),
      most_held_(ring.size() / kRingForEachHeld) {
  counts_.inline_counts.emplace();
  publish();
}

void InlineCoalescer::run(const std::atomic<bool>& ends) {
  try {
    forward(ends);
    take_the_rest();
  } catch (...) {
    publish();
    throw;
  }
  publish();
}

void InlineCoalescer::forward(const std::atomic<bool>& ends) {
  round_began_ = Clock::now();
  while (!ends.load(std::memory_order_relaxed)) {
    std::optional<RingBlock> block = ring_.next();
    ring_.looked(block);
    if (block) take(*block);
    const auto now = Clock::now();
    if (!block || by_average_ || now - round_began_ >= kLongestRound) {
      end_round();
      round_began_ = now;
    }
    if (now - published_at_ >= kPublishEvery) publish();
    if (!block) wait();
    rounds_.store(rounds_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

// The kernel gives it within the ring's delay.
void InlineCoalescer::take_the_rest() {
  ring_.shut();
  wait_ns_ = std::chrono::nanoseconds(1ms).count();
  const auto end = Clock::now() + ring_.delay();
  while (Clock::now() < end) {
    if (std::optional<RingBlock> block = ring_.next()) take(*block);
    else wait();
  }
  coalescer_.end(counts_.bytes_read, left_);
  write_left();
  held_.clear();
}

void InlineCoalescer::take(RingBlock& block) {
  while (block.frames > 0) {
    frames_.clear();
    ring_.whole_frames_of(block, kFramesAtOnce, frames_);
    for (WholeFrame& whole : frames_) take(whole);
  }
  held_.push_back({counts_.decode.frames, std::move(block.lease)});
  if (held_.size() <= most_held_) return;
  coalescer_.keep_before(counts_.decode.frames + 1);
  held_.clear();
}

// Those that nothing lies in any more.
void InlineCoalescer::give_back() {
  const std::uint64_t needed = coalescer_.refers_from();
  while (!held_.empty() && held_.front().last < needed) held_.pop_front();
}

// What was cut short cannot be sent, and no checksum is asked for of what has several segments.
void InlineCoalescer::take(WholeFrame& whole) {
  const Frame& frame = whole.frame;
  ++counts_.decode.frames;
  counts_.bytes_read += frame.captured;
  if (frame.captured < frame.original) {
    ++counts_.inline_counts->too_long;
    return;
  }
  const bool is_several = whole.header.has_segments();
  if (whole.header.needs_checksum() && !is_several) complete_checksum(whole);
  CoalescingPacket packet;
  look_at(frame, verify_ && !is_several, seed_, packet);
  if (is_several && packet.has_key && packet.reason == PassReason::none) packet.reason = PassReason::no_length;
  const Outcome outcome =
      packet.has_key ? coalescer_.take(packet, counts_.decode.frames, counts_.bytes_read, left_) : Outcome::passes;
  if (!left_.empty()) write_left();
  if (outcome == Outcome::waits) return;
  if (outcome == Outcome::alone) return out_.write({}, frame.data, packet.size);
  if (is_of_tunnel(whole.header, packet)) return out_.refuse();
  if (packet.reason != PassReason::none) ++counts_.passes[static_cast<std::size_t>(packet.reason)];
  out_.write(whole.header, frame.data, frame.captured);
}

void InlineCoalescer::write_left() {
  for (CoalescedPacket& packet : left_) {
    const VnetHeader header = header_of(packet);
    pieces_.assign(1, {});
    packet.bytes.for_each([this](const std::uint8_t* bytes, std::size_t size) {
      pieces_.push_back({const_cast<std::uint8_t*>(bytes), size});
    });
    if (pieces_.size() > kMostPieces) {  // of very small packets
      copied_.clear();
      packet.bytes.for_each(
          [this](const std::uint8_t* bytes, std::size_t size) { copied_.insert(copied_.end(), bytes, bytes + size); });
      pieces_ = {{}, {copied_.data(), copied_.size()}};
    }
    out_.write(header, pieces_);
  }
  left_.clear();
}

void InlineCoalescer::end_round() {
  wait_ns_ = kLongestPause;
  if (by_average_) {
    const std::int64_t now = now_ns();
    if (const auto next = coalescer_.flush_late(now, left_))
      wait_ns_ = std::clamp<std::int64_t>(*next - now, 0, wait_ns_);
  } else {
    coalescer_.end_round(left_);
  }
  write_left();
  give_back();
}

// A link that is lost is an error of the socket, which is told once.
void InlineCoalescer::wait() {
  pollfd wanted{.fd = ring_.fd(), .events = POLLIN, .revents = 0};
  const timespec longest{0, static_cast<long>(std::min(wait_ns_, kLongestPause - 1))};
  if (ppoll(&wanted, 1, &longest, nullptr) > 0 && wanted.revents & POLLERR) ring_.take_error();
}

void InlineCoalescer::publish() {
  published_at_ = Clock::now();
  counts_.counters = coalescer_.counters();
  const std::lock_guard lock(mutex_);
  published_ = counts_;
}

CoalesceSummary InlineCoalescer::counts() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

}  // namespace warpmeter::inline command
