#include "stream/coalescing/waiting_list.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/byte_order.h"

namespace warpmeter::inline stream {
namespace {

// Of a packet beside its bytes.
constexpr std::uint64_t kHeldBeside = 256;

// What has to agree beside the link header, as one number. Of IPv6: traffic class, flow label, hop limit; of IPv4: type
// of service, what says that it may not be cut, time to live. Of TCP the length of the header, which tells its options,
// and all flags but PSH.
std::uint64_t agreed_of(const CoalescingPacket& packet) {
  const std::uint8_t* const ip = packet.frame.data + packet.at;
  const std::uint8_t* const tcp = packet.frame.data + packet.tcp();
  const std::uint64_t of_tcp = std::uint64_t{tcp[12]} >> 4 << 8 | (tcp[13] & ~kPsh & 0xff);
  const std::uint64_t of_ip = packet.version == 6
                                  ? std::uint64_t{load<std::uint32_t>(ip)} << 8 | ip[7]
                                  : std::uint64_t{load<std::uint16_t>(ip + 6)} << 16 | ip[1] << 8 | ip[8];
  return of_ip << 12 | of_tcp;
}

// Of link headers, of which nearly all are Ethernet's.
bool are_same(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const auto differ = [&](std::size_t at) { return load<std::uint64_t>(a + at) ^ load<std::uint64_t>(b + at); };
  if (size >= kWord && size <= 2 * kWord) return (differ(0) | differ(size - kWord)) == 0;
  return std::memcmp(a, b, size) == 0;
}

}  // namespace

bool WaitingList::agrees_with(const CoalescingPacket& packet) const {
  return agreed_of(packet) == agreed_ && packet.at == link_header_.size() &&
         are_same(reinterpret_cast<const std::uint8_t*>(link_header_.data()), packet.frame.data, packet.at);
}

bool WaitingList::overlaps(const CoalescingPacket& packet) const {
  if (is_empty()) return false;
  const std::int32_t begin = order_of(packet.sequence);
  const std::int64_t end = std::int64_t{begin} + packet.payload;
  if (begin < end_of(highest_) && end > order_of(highest_.sequence())) return true;
  if (lower_.empty()) return false;
  const auto after = lower_.upper_bound(begin);
  if (after != lower_.end() && after->first < end) return true;
  return after != lower_.begin() && end_of(std::prev(after)->second) > begin;
}

bool WaitingList::is_even_with(const CoalescingPacket& packet) const {
  const std::int32_t begin = order_of(packet.sequence);
  if (begin == end_of(highest_)) return highest_.takes(packet.payload);
  const auto after = lower_.upper_bound(begin);
  if (after == lower_.begin() || end_of(std::prev(after)->second) != begin) return true;
  return std::prev(after)->second.takes(packet.payload);
}

void WaitingList::add(const CoalescingPacket& packet, std::uint64_t number, std::uint64_t passed) {
  if (is_empty()) {
    base_ = packet.sequence;
    agreed_ = agreed_of(packet);
    link_header_.assign(reinterpret_cast<const char*>(packet.frame.data), packet.at);
    headers_ = packet.headers();
    time_ns_ = packet.frame.time_ns;
    highest_.begin(packet, number, has_payload_);
  } else if (const std::int32_t begin = order_of(packet.sequence); begin == end_of(highest_)) {
    highest_.append(packet, number, has_payload_);
  } else if (begin > end_of(highest_)) {
    lower_.emplace_hint(lower_.end(), order_of(highest_.sequence()), std::move(highest_));
    highest_.begin(packet, number, has_payload_);
  } else {
    add_below(packet, number, begin);
  }
  if (has_payload_) refers_from_ = std::min(refers_from_, number);
  ++packets_;
  payload_ += packet.payload;
  options_ += packet.options;
  held_ += std::uint64_t{2} * packet.size + packet.options + kHeldBeside;
  place_ = number;
  passed_ = passed;
  time_ns_ = std::max(time_ns_, packet.frame.time_ns);
}

// Below the highest run.
void WaitingList::add_below(const CoalescingPacket& packet, std::uint64_t number, std::int32_t begin) {
  const auto after = lower_.upper_bound(begin);
  if (after != lower_.begin() && end_of(std::prev(after)->second) == begin) {
    return std::prev(after)->second.append(packet, number, has_payload_);
  }
  lower_.emplace_hint(after, begin, SuperPacket())->second.begin(packet, number, has_payload_);
}

void WaitingList::keep() {
  highest_.keep();
  for (auto& [begin, run] : lower_) run.keep();
  refers_from_ = CoalescedPacket::kNone;
}

std::uint32_t WaitingList::follow(std::uint32_t next) const {
  if (is_empty()) return next;
  if (!lower_.empty()) {
    for (auto run = lower_.lower_bound(order_of(next)); run != lower_.end() && run->second.sequence() == next; ++run) {
      next = run->second.end();
    }
  }
  return highest_.sequence() == next ? highest_.end() : next;
}

WaitingList::Joined WaitingList::flush(std::vector<CoalescedPacket>& out, std::uint32_t& next) {
  Joined joined;
  std::uint32_t order = 0;
  next = highest_.end();
  for (auto run = lower_.begin(); run != lower_.end(); ++run) {
    const auto behind = std::next(run);
    SuperPacket& follows = behind == lower_.end() ? highest_ : behind->second;
    if (run->second.end() != follows.sequence() || (even_ && !run->second.takes(follows))) {
      leave(run->second, order++, joined, out);
      continue;
    }
    run->second.append(std::move(follows));
    follows = std::move(run->second);
  }
  leave(highest_, order, joined, out);
  lower_.clear();
  packets_ = payload_ = options_ = 0;
  held_ = 0;
  refers_from_ = CoalescedPacket::kNone;
  return joined;
}

void WaitingList::leave(SuperPacket& run, std::uint32_t order, Joined& joined,
                        std::vector<CoalescedPacket>& out) const {
  if (run.packets() > 1) {
    ++joined.super_packets;
    joined.packets += run.packets();
    joined.saved_bytes += std::uint64_t{run.packets() - 1} * headers_;
  }
  CoalescedPacket& packet = out.emplace_back();
  run.finish(packet);
  packet.place = place_;
  packet.order = order;
  packet.time_ns = time_ns_;
  packet.refers_from = refers_from_;
}

}  // namespace warpmeter::inline stream
