#include "stream/coalescing/gso_form.h"

#include "core/byte_order.h"
#include "core/segment.h"
#include "stream/coalescing/internet_checksum.h"

namespace warpmeter::inline stream {

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
