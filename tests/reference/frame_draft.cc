// Headers around a packet, padding behind it, and damage.
#include "frame_draft.h"

#include <algorithm>

#include "ether_draft.h"
#include "link_draft.h"
#include "put_bytes.h"

namespace reference {
namespace {

constexpr uint32_t ethernet = 1;

}  // namespace

FrameDraft to_frame(const IpPacket& packet, uint32_t link, uint16_t vlan, Random& random) {
  FrameDraft frame;
  if (link == ethernet) put_ethernet(frame.bytes, announced(packet), vlan, random);
  else put_link_header(frame.bytes, link, announced(packet), random);
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

void flip_bits(FrameDraft& frame, Random& random) {
  if (frame.bytes.empty()) return;
  const size_t most = random.percent(50) ? frame.bytes.size() : std::min<size_t>(frame.bytes.size(), 64);
  for (uint64_t flips = random.pick({1, 1, 2, 8}); flips > 0; --flips)
    frame.bytes[random.below(most)] ^= static_cast<uint8_t>(1u << random.below(8));
}

FrameDraft frame_without_ip(uint32_t link, Random& random) {
  FrameDraft frame;
  if (link == ethernet) {
    put_mac_addresses(frame.bytes, random);
    put(frame.bytes, random.pick({0x0806, 0x0027, 0x88cc, 0x05dd, 0x0600, 0x8863}), 2);
    put(frame.bytes, 0x4242030000000000, 8);
  } else {
    put_link_header(frame.bytes, link, {}, random);
    put(frame.bytes, random.pick({0x00, 0x10, 0x50, 0x70, 0xf5}), 1);
  }
  while (frame.bytes.size() < 60) put(frame.bytes, 0x45, 1);
  if (random.percent(30)) frame.bytes.resize(random.below(20));
  frame.original = static_cast<uint32_t>(frame.bytes.size());
  return frame;
}

}  // namespace reference
