#include "packet/nic/ring/packet_header.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace warpmeter::inline packet {
namespace {

constexpr int kUdpBit = 16;  // of a mark

}  // namespace

VnetHeader vnet_header_of(const tpacket3_hdr& header) {
  VnetHeader before;
  std::memcpy(&before, reinterpret_cast<const std::uint8_t*>(&header) + header.tp_mac - sizeof before, sizeof before);
  return before;
}

void put_vlan_tag_back(tpacket3_hdr& header) {
  const std::uint16_t type = header.tp_status & TP_STATUS_VLAN_TPID_VALID ? header.hv1.tp_vlan_tpid : ETH_P_8021Q;
  const std::uint16_t tag[2] = {htons(type), htons(static_cast<std::uint16_t>(header.hv1.tp_vlan_tci))};
  header.tp_mac = static_cast<std::uint16_t>(header.tp_mac - kTagBytes);
  header.tp_snaplen += kTagBytes;
  header.tp_len += kTagBytes;
  header.tp_status &= ~std::uint32_t{TP_STATUS_VLAN_VALID};
  std::uint8_t* const data = reinterpret_cast<std::uint8_t*>(&header) + header.tp_mac;
  std::memmove(data, data + kTagBytes, kMacAddresses);
  std::memcpy(data + kMacAddresses, tag, kTagBytes);
}

bool can_tell_segments() {
  utsname system{};
  unsigned major = 0, minor = 0;
  if (uname(&system) != 0 || std::sscanf(system.release, "%u.%u", &major, &minor) != 2) return false;
  return (major > 6 || (major == 6 && minor >= 2)) && access("/proc/net/sctp", F_OK) != 0;
}

SegmentSize segment_size_of(const tpacket3_hdr& header) {
  const VnetHeader before = vnet_header_of(header);
  const int type = before.type & ~VnetHeader::kWithEcn;
  if (type != VnetHeader::kTcp4 && type != VnetHeader::kTcp6 && type != VnetHeader::kUdp) return {};
  return {before.segment_bytes, type == VnetHeader::kUdp};
}

PlaceMark PlaceMark::of(const tpacket3_hdr& header) {
  PlaceMark mark;
  static_assert(sizeof mark <= sizeof header.tp_padding);
  std::memcpy(&mark, header.tp_padding, sizeof mark);
  return mark;
}

void PlaceMark::put_on(tpacket3_hdr& header) const { std::memcpy(header.tp_padding, this, sizeof *this); }

CutMark CutMark::of(const tpacket3_hdr& header) {
  const std::uint32_t mark = header.hv1.tp_rxhash;
  return {{static_cast<std::uint16_t>(mark), mark >> kUdpBit != 0}, header.hv1.tp_vlan_tci};
}

void CutMark::put_on(tpacket3_hdr& header) const {
  header.hv1.tp_rxhash = size.bytes | std::uint32_t{size.is_udp} << kUdpBit;
  header.hv1.tp_vlan_tci = place;
}

}  // namespace warpmeter::inline packet
