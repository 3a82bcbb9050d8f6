#include "stream/coalescing/super_packet.h"

#include <iterator>
#include <utility>

#include "core/byte_order.h"
#include "core/segment.h"
#include "packet/file/interface_list.h"
#include "stream/coalescing/internet_checksum.h"

namespace warpmeter::inline stream {

void SuperPacket::begin(const CoalescingPacket& first, std::uint64_t number, bool has_payload) {
  sequence_ = first.sequence;
  payload_ = first.payload;
  packets_ = 0;
  at_ = first.at;
  tcp_ = first.tcp();
  headers_ = first.headers();
  segment_ = last_ = first.payload;
  version_ = first.version;
  push_ = false;
  interface_ = first.frame.point;
  payload_sum_ = first.payload_sum;
  comments_.clear();
  bytes_.begin(first.frame.data, headers_);
  if (has_payload) bytes_.refer(first.frame.data + headers_, payload_);
  note(first, number);
}

void SuperPacket::append(const CoalescingPacket& next, std::uint64_t number, bool has_payload) {
  if (has_payload) bytes_.refer(next.frame.data + next.headers(), next.payload);
  payload_sum_ += sum_behind(payload_, next.payload_sum);
  payload_ += next.payload;
  last_ = next.payload;
  note(next, number);
}

void SuperPacket::note(const CoalescingPacket& packet, std::uint64_t number) {
  const std::uint8_t* const tcp = packet.frame.data + packet.tcp();
  ++packets_;
  push_ |= (tcp[13] & kPsh) != 0;
  acknowledged_ = load_be32(tcp + 8);
  window_ = load_be16(tcp + 14);
  latest_ = number;
  if (packet.frame.options > 0) each_comment(packet.frame, [this](std::string text) { comments_.push_back(text); });
}

void SuperPacket::append(SuperPacket&& next) {
  bytes_.append(std::move(next.bytes_));
  payload_sum_ += sum_behind(payload_, fold_sum(next.payload_sum_));
  payload_ += next.payload_;
  packets_ += next.packets_;
  last_ = next.last_;
  push_ |= next.push_;
  std::ranges::move(next.comments_, std::back_inserter(comments_));
  if (next.latest_ < latest_) return;
  latest_ = next.latest_;
  acknowledged_ = next.acknowledged_;
  window_ = next.window_;
}

void SuperPacket::finish(CoalescedPacket& packet) {
  if (packets_ > 1) write_headers();
  packet.joined = packets_;
  packet.interface = interface_;
  bytes_.move_to(packet.bytes);
  packet.comments = std::move(comments_);
  packet.segment = segment_;
  packet.ip = static_cast<std::uint16_t>(at_);
  packet.tcp = static_cast<std::uint16_t>(tcp_);
  packet.headers = static_cast<std::uint16_t>(headers_);
}

// RFC 791, RFC 8200, RFC 9293.
void SuperPacket::write_headers() {
  std::uint8_t* const ip = bytes_.front() + at_;
  std::uint8_t* const tcp = bytes_.front() + tcp_;
  const std::uint32_t ip_header = tcp_ - at_, header = headers_ - tcp_, length = header + payload_;
  if (version_ == 4) {
    store_be16(ip + 2, static_cast<std::uint16_t>(ip_header + length));
    store_be16(ip + 10, 0);
    store_be16(ip + 10, static_cast<std::uint16_t>(~internet_sum(ip, ip_header)));
  } else {
    store_be16(ip + 4, static_cast<std::uint16_t>(length));
  }
  store_be32(tcp + 8, acknowledged_);
  store_be16(tcp + 14, window_);
  if (push_) tcp[13] |= kPsh;
  store_be16(tcp + 16, 0);
  const std::uint64_t addresses = version_ == 4 ? internet_sum(ip + 12, 8) : internet_sum(ip + 8, 32);
  const std::uint64_t sum = addresses + length + kProtocolTcp + internet_sum(tcp, header) + fold_sum(payload_sum_);
  store_be16(tcp + 16, static_cast<std::uint16_t>(~fold_sum(sum)));
}

// All headers lie in the first piece.
GsoForm to_gso_form(CoalescedPacket& packet) {
  constexpr std::uint16_t kChecksumInTcp = 16;
  std::uint8_t* const ip = packet.bytes.front() + packet.ip;
  const bool is_ip6 = ip[0] >> 4 == 6;
  const std::uint64_t addresses = is_ip6 ? internet_sum(ip + 8, 32) : internet_sum(ip + 12, 8);
  const std::uint64_t length = packet.bytes.size() - packet.tcp;
  store_be16(packet.bytes.front() + packet.tcp + kChecksumInTcp, fold_sum(addresses + length + kProtocolTcp));
  return {is_ip6, packet.headers, static_cast<std::uint16_t>(packet.segment), packet.tcp, kChecksumInTcp};
}

}  // namespace warpmeter::inline stream
