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

// Traffic class, flow label, hop limit; or type of service, what says that it may not be cut, time to live.
bool same_ip(int version, const std::uint8_t* a, const std::uint8_t* b) {
  if (version == 6) return load<std::uint32_t>(a) == load<std::uint32_t>(b) && a[7] == b[7];
  return a[1] == b[1] && load<std::uint16_t>(a + 6) == load<std::uint16_t>(b + 6) && a[8] == b[8];
}

// The length of the header, which tells its options, and all flags but PSH.
bool same_tcp(const std::uint8_t* a, const std::uint8_t* b) {
  return (a[12] ^ b[12]) >> 4 == 0 && ((a[13] ^ b[13]) & ~kPsh) == 0;
}

}  // namespace

bool WaitingList::agrees_with(const CoalescingPacket& packet) const {
  const std::uint8_t *const mine = headers_.data(), *const its = packet.frame.data;
  return packet.at == at_ && same_ip(version_, mine + at_, its + at_) && same_tcp(mine + tcp_, its + tcp_) &&
         std::memcmp(mine, its, at_) == 0;
}

bool WaitingList::overlaps(const CoalescingPacket& packet) const {
  if (is_empty()) return false;
  const std::int32_t begin = order_of(packet.sequence);
  const std::int64_t end = std::int64_t{begin} + packet.payload;
  if (begin < end_of(highest_) && end > order_of(highest_.sequence())) return true;
  const auto after = lower_.upper_bound(begin);
  if (after != lower_.end() && after->first < end) return true;
  return after != lower_.begin() && end_of(std::prev(after)->second) > begin;
}

void WaitingList::add(const CoalescingPacket& packet, std::uint64_t number, std::uint64_t passed) {
  if (is_empty()) {
    base_ = packet.sequence;
    at_ = packet.at;
    tcp_ = packet.tcp();
    version_ = packet.version;
    headers_.assign(packet.frame.data, packet.frame.data + packet.headers());
    time_ns_ = packet.frame.time_ns;
    highest_ = SuperPacket(packet, number, keeps_bytes_);
  } else if (const std::int32_t begin = order_of(packet.sequence); begin == end_of(highest_)) {
    highest_.append(packet, number, keeps_bytes_);
  } else if (begin > end_of(highest_)) {
    lower_.emplace_hint(lower_.end(), order_of(highest_.sequence()), std::move(highest_));
    highest_ = SuperPacket(packet, number, keeps_bytes_);
  } else {
    const auto after = lower_.upper_bound(begin);
    if (after != lower_.begin() && end_of(std::prev(after)->second) == begin) {
      std::prev(after)->second.append(packet, number, keeps_bytes_);
    } else {
      lower_.emplace_hint(after, begin, SuperPacket(packet, number, keeps_bytes_));
    }
  }
  ++packets_;
  payload_ += packet.payload;
  held_ += std::uint64_t{2} * packet.size + kHeldBeside;
  place_ = number;
  passed_ = passed;
  time_ns_ = std::max(time_ns_, packet.frame.time_ns);
}

std::uint32_t WaitingList::follow(std::uint32_t next) const {
  if (is_empty()) return next;
  for (auto run = lower_.lower_bound(order_of(next)); run != lower_.end() && run->second.sequence() == next; ++run) {
    next = run->second.end();
  }
  return highest_.sequence() == next ? highest_.end() : next;
}

WaitingList::Joined WaitingList::flush(std::vector<CoalescedPacket>& out, std::uint32_t& next) {
  Joined joined;
  std::uint32_t order = 0;
  SuperPacket run;
  const auto take = [&](SuperPacket& behind) {
    if (run.packets() > 0 && run.end() == behind.sequence()) return run.append(std::move(behind));
    if (run.packets() > 0) leave(std::move(run), order++, joined, out);
    run = std::move(behind);
  };
  next = highest_.end();
  for (auto& [begin, lower] : lower_) take(lower);
  take(highest_);
  leave(std::move(run), order, joined, out);
  lower_.clear();
  packets_ = payload_ = 0;
  held_ = 0;
  return joined;
}

void WaitingList::leave(SuperPacket&& run, std::uint32_t order, Joined& joined,
                        std::vector<CoalescedPacket>& out) const {
  if (run.packets() > 1) {
    ++joined.super_packets;
    joined.packets += run.packets();
    joined.saved_bytes += (run.packets() - 1) * headers_.size();
  }
  out.push_back(std::move(run).finish());
  CoalescedPacket& packet = out.back();
  packet.place = place_;
  packet.order = order;
  packet.time_ns = time_ns_;
}

}  // namespace warpmeter::inline stream
