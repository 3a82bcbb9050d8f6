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

}  // namespace

bool WaitingList::agrees_with(const CoalescingPacket& packet) const {
  return agreed_of(packet) == agreed_ && packet.at == link_header_.size() &&
         std::memcmp(link_header_.data(), packet.frame.data, link_header_.size()) == 0;
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
    agreed_ = agreed_of(packet);
    link_header_.assign(reinterpret_cast<const char*>(packet.frame.data), packet.at);
    headers_ = packet.headers();
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
  options_ += packet.options;
  held_ += std::uint64_t{2} * packet.size + packet.options + kHeldBeside;
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
  packets_ = payload_ = options_ = 0;
  held_ = 0;
  return joined;
}

void WaitingList::leave(SuperPacket&& run, std::uint32_t order, Joined& joined,
                        std::vector<CoalescedPacket>& out) const {
  if (run.packets() > 1) {
    ++joined.super_packets;
    joined.packets += run.packets();
    joined.saved_bytes += std::uint64_t{run.packets() - 1} * headers_;
  }
  out.push_back(std::move(run).finish());
  CoalescedPacket& packet = out.back();
  packet.place = place_;
  packet.order = order;
  packet.time_ns = time_ns_;
}

}  // namespace warpmeter::inline stream
