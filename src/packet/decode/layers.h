// The layers that may stand between a link's own header, or a tunnel's, and IP: Ethernet with any stack of tags, and
// Ethernet within it, MPLS (pseudo-wire Ethernet too), NSH, PPP, LLC/SNAP, 802.11, or a link type within another.
//
// The headers that capture files put before a frame are in link_headers.cc, 802.11 in wlan.cc.
//
// Each layer is one function that moves the walk to the next layer. They do not call each other: a frame may nest
// layers as deep as it has bytes, and must not be able to nest our stack.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/annex.h"
#include "core/byte_order.h"
#include "core/counters.h"
#include "core/unread_layers.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

inline constexpr std::uint32_t kEthernetHeader = 14;
inline constexpr std::uint16_t kTypeIp4 = 0x0800, kTypeIp6 = 0x86dd, kTypeVlan = 0x8100;  // EtherTypes
inline constexpr std::uint16_t kTransparentEthernet = 0x6558;                             // of a bridged Ethernet frame
// IEEE 802.1Q: control information, of which the lowest bits are the id, and the EtherType of what follows.
inline constexpr std::uint32_t kVlanTag = 4;
inline constexpr std::uint16_t kVlanId = 0xfff;

// What begins where the walk is. swapped_wlan: 802.11 whose first two bytes are exchanged, as some CAPWAP has it.
enum class Layer {
  link,
  ethernet,
  by_type,
  mpls,
  nsh,
  ppp,
  multilink,
  llc,
  snap,
  wlan,
  swapped_wlan,
  msdus,  // of an A-MSDU (IEEE 802.11)
  raw,
  ipv4,
  ipv6,
  nothing
};

struct IpPlace {
  int version;           // 4 or 6, as the layer below announces it; 0: no IP here, see `several` and `why`
  std::uint32_t offset;  // of the IP header in the frame; of the first MSDU
  std::uint16_t vlan;    // id of the outermost tag, 0 if untagged
  Ignored why;
  bool tagged = false;   // there is a tag, perhaps with id 0
  bool several = false;  // an A-MSDU, which holds any number of packets: each_packet()
  NotIp what = {};       // of a frame that is not IP: what it is
};

// Ethernet headers, and fragments of multilink PPP, in one another without IP between.
inline constexpr int kMostNested = 8;

// A place in a frame, and what has been learned on the way there. u8 and the like: REQUIRES has() of these bytes.
struct Walk {
  const std::uint8_t* data;
  std::uint32_t size;
  std::uint32_t original;  // length of the frame on the wire
  std::uint32_t at = 0;    // where the current layer begins; may lie beyond the captured bytes
  std::uint16_t type = 0;  // EtherType or 802.3 length, for Layer::by_type; LINKTYPE, for Layer::link
  std::uint16_t vlan = 0;
  bool tagged = false;
  std::uint8_t nested = 0;
  Ignored why = Ignored::not_ip;
  NotIp what = {};         // the last protocol that a layer announced, if that is not IP
  Annex* annex = nullptr;  // where layers note what they tell, if anybody wants to know

  bool has(std::uint32_t offset, std::uint32_t bytes) const { return std::uint64_t{at} + offset + bytes <= size; }
  std::uint8_t u8(std::uint32_t offset) const { return data[at + offset]; }
  std::uint16_t u16(std::uint32_t offset) const { return load_be16(data + at + offset); }
  std::uint32_t u24(std::uint32_t offset) const { return std::uint32_t{u16(offset)} << 8 | u8(offset + 2); }
  std::uint32_t u32(std::uint32_t offset) const { return load_be32(data + at + offset); }
  std::uint16_t little16(std::uint32_t offset) const { return byte_swap(u16(offset)); }
  std::uint32_t little32(std::uint32_t offset) const { return byte_swap(u32(offset)); }

  // Lengths come from the frame: far beyond its end is as good as anywhere beyond.
  void skip(std::uint64_t bytes) { at = static_cast<std::uint32_t>(std::min<std::uint64_t>(at + bytes, kFar)); }

  void tag(std::uint16_t id) {
    if (!tagged) vlan = id;
    tagged = true;
    if (annex) [[unlikely]]
      annex->take_tag(id);
  }
  // One frame more within those without IP between: may there be?
  bool deeper() { return ++nested <= kMostNested; }

  Layer cut_short() {
    why = Ignored::cut_short;
    return Layer::nothing;
  }
  Layer not_ip() {
    why = Ignored::not_ip;
    return Layer::nothing;
  }
  Layer not_ip(ProtocolSpace space, std::uint16_t number) {
    note(space, number);
    return not_ip();
  }

  // What the layer says that follows, should nobody know better.
  void note(ProtocolSpace space, std::uint16_t number) { what = {space, number}; }

 private:
  static constexpr std::uint32_t kFar = 1 << 30;
};

inline Walk walk_in(const Frame& frame) {
  return {.data = frame.data, .size = frame.captured, .original = frame.original};
}

// Walks on from `layer` down to IP, or to where it is clear that there is none. Never reads beyond the captured bytes.
IpPlace descend(Walk walk, Layer layer);

// What the next protocol of NSH (RFC 8300) and VXLAN-GPE says.
Layer next_protocol(Walk& walk, std::uint8_t protocol);

// A layer that an EtherType (or an 802.3 length) announces, at `offset` of where the walk is; the layer after its
// header of `header` bytes.
Layer type_at(Walk& walk, std::uint32_t offset, std::uint32_t header);

// The layer behind the header of link type walk.type, which a capture file puts before a frame.
Layer link_header(Walk& walk);

// IEEE 802.11 and the headers that drivers put before it.
inline constexpr std::uint32_t kSnapHeader = 0xaaaa03;  // IEEE 802.2: both service access points SNAP, unnumbered

// The MAC header of an unprotected data frame, down to LLC, or to the MSDUs of an A-MSDU.
Layer wlan(Walk& walk, bool swapped);
Layer radiotap(Walk& walk);  // radiotap.org
Layer avs(Walk& walk);       // AVS capture header, big endian
Layer prism(Walk& walk);     // Prism's header, or AVS' under Prism's number

// Two MAC addresses and a length; LLC follows.
inline constexpr std::uint32_t kMsduHeader = 14;

// The MSDUs of an A-MSDU, as far as their headers were captured, each as a frame of its own length. They do not
// overlap.
class Msdus {
 public:
  // `at`: where the first begins in `frame`.
  Msdus(const Frame& frame, std::uint32_t at) : frame_(frame), at_(at) {}

  bool next(Frame& msdu);

 private:
  const Frame& frame_;
  std::uint32_t at_;
};

}  // namespace warpmeter::inline packet
