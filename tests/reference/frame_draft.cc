// Ethernet with all that may stand before IP, raw IP, and damage.
#include "frame_draft.h"

#include <algorithm>

#include "byte_writer.h"

namespace reference {
namespace {

constexpr uint32_t ethernet = 1;

std::vector<uint8_t> mac_addresses(Random& random) {
  std::vector<uint8_t> out;
  put(out, random.pick<uint64_t>({0x020000000001, 0xffffffffffff}), 6);
  put(out, random.pick<uint64_t>({0x020000000002, 0x020000000003}), 6);
  return out;
}

void put_tags(std::vector<uint8_t>& out, uint16_t vlan, Random& random) {
  if (random.percent(12)) vlan = random.pick<uint16_t>({0, 1, 2, 4095});
  if (vlan == 0 && !random.percent(5)) return;
  put(out, random.pick({0x8100, 0x8100, 0x88a8, 0x9100, 0x9200, 0x9300}), 2);
  put(out, vlan | random.pick({0, 0x2000, 0xf000}), 2);
  for (uint64_t more = random.pick({0, 0, 0, 1, 2, 6}); more > 0; --more) {
    put(out, 0x8100, 2);
    put(out, random.below(8), 2);
  }
}

// What stands between the VLAN tags and IP: an EtherType, or something longer.
void put_announcement(std::vector<uint8_t>& out, const IpPacket& packet, bool ip6, Random& random) {
  const uint64_t ethertype = ip6 ? 0x86dd : 0x0800;
  const uint64_t way = random.below(100);
  if (way < 2) {  // LLC/SNAP
    put(out, std::min<uint32_t>(packet.length + 8, 1500), 2);
    put(out, 0xaaaa03000000, 6);
    put(out, ethertype, 2);
  } else if (way < 3) {  // MPLS, two labels
    put(out, 0x8847, 2);
    put(out, 0x00010040, 4);
    put(out, 0x00020140, 4);
  } else if (way < 4) {  // MPLS pseudo-wire
    put(out, 0x8848, 2);
    put(out, 0x00020140, 4);
    put(out, 0, 4);
    put(out, mac_addresses(random));
    put(out, ethertype, 2);
  } else if (way < 5) {  // PPPoE
    put(out, 0x8864, 2);
    put(out, 0x110000010000 | (packet.length & 0xffff), 6);
    if (random.percent(50)) put(out, 0xff03, 2);
    if (random.percent(50)) put(out, ip6 ? 0x57 : 0x21, 1);
    else put(out, ip6 ? 0x0057 : 0x0021, 2);
  } else if (way < 6 && !ip6) {  // IP directly over LLC
    put(out, std::min<uint32_t>(packet.length + 3, 1500), 2);
    put(out, 0x060603, 3);
  } else {
    put(out, ethertype, 2);
  }
}

}  // namespace

FrameDraft to_frame(const IpPacket& packet, uint32_t link, uint16_t vlan, Random& random) {
  FrameDraft frame;
  if (link == ethernet) {
    const bool ip6 = !packet.bytes.empty() && packet.bytes[0] >> 4 == 6;
    frame.bytes = mac_addresses(random);
    put_tags(frame.bytes, vlan, random);
    put_announcement(frame.bytes, packet, ip6, random);
  }
  frame.original = static_cast<uint32_t>(frame.bytes.size()) + packet.length;
  put(frame.bytes, packet.bytes);
  if (frame.bytes.size() != frame.original) return frame;
  if (random.percent(30))  // padding to the shortest Ethernet frame
    while (frame.bytes.size() < 60) put(frame.bytes, random.pick({0, 0, 0x45}), 1);
  if (random.percent(10)) put(frame.bytes, 0xfcfcfcfc, 4);
  frame.original = static_cast<uint32_t>(frame.bytes.size());
  return frame;
}

void damage_packet(IpPacket& packet, Random& random) {
  auto& bytes = packet.bytes;
  if (bytes.size() < 34) return;
  const bool ip6 = bytes[0] >> 4 == 6;
  const size_t length_at = ip6 ? 4 : 2;
  const size_t data_offset_at = (ip6 ? 40 : (bytes[0] & 15) * 4u) + 12;
  const auto random_byte = static_cast<uint8_t>(random.bits());
  switch (random.below(8)) {
    case 0: bytes[0] = static_cast<uint8_t>((bytes[0] & 15) | random.pick({0, 0x40, 0x50, 0x60, 0xf0})); break;
    case 1: bytes[0] = static_cast<uint8_t>((bytes[0] & 0xf0) | random.below(16)); break;
    case 2: bytes[length_at] = 0, bytes[length_at + 1] = static_cast<uint8_t>(random.below(80)); break;
    case 3: bytes[length_at] = bytes[length_at + 1] = 0; break;
    case 4: bytes[6] = random_byte; break;
    default:
      if (data_offset_at < bytes.size()) bytes[data_offset_at] = random_byte;
  }
}

void cut_frame(FrameDraft& frame, Random& random) {
  frame.bytes.resize(random.below(frame.bytes.size() + 1));
  if (random.percent(10)) frame.original = static_cast<uint32_t>(random.below(100));
}

FrameDraft frame_without_ip(uint32_t link, Random& random) {
  FrameDraft frame;
  if (link == ethernet) {
    frame.bytes = mac_addresses(random);
    put(frame.bytes, random.pick({0x0806, 0x0027, 0x88cc, 0x05dd, 0x0600, 0x8863}), 2);
    put(frame.bytes, 0x4242030000000000, 8);
  } else {
    put(frame.bytes, random.pick({0x00, 0x10, 0x50, 0x70, 0xf5}), 1);
  }
  while (frame.bytes.size() < 60) put(frame.bytes, 0x45, 1);
  if (random.percent(30)) frame.bytes.resize(random.below(20));
  frame.original = static_cast<uint32_t>(frame.bytes.size());
  return frame;
}

}  // namespace reference
