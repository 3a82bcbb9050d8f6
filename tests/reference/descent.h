// The layers before IP that many link types and tunnels share: Ethernet (tags, MPLS with pseudo-wires, NSH, PPPoE,
// LLC/SNAP, Ethernet again) and PPP. A descent stands at one place in a frame's bytes and walks downwards from there
// until it finds IP.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture.h"

namespace reference {

struct IpPlace {
  int version = 0;  // 4 or 6, as announced by the layer below
  int64_t at = 0;   // offset of the IP header in the frame
};

// A frame, or an MSDU of one, on the way down: what was met so far goes with it, through tunnels too, and from attempts
// that led nowhere.
struct WalkedFrame {
  explicit WalkedFrame(const Frame& frame) : bytes(frame.bytes), original(frame.original) {}
  WalkedFrame(const Bytes& data, int64_t length, std::optional<uint16_t> tag)
      : bytes(data), original(length), vlan(tag) {}

  Bytes bytes;
  int64_t original;              // length on the wire
  std::optional<uint16_t> vlan;  // outermost VLAN id, 12 bits
  int nested = 0;                // frames in one another since the last IP header
};

// Thrown in place of a place: the frame holds an A-MSDU. In each part LLC begins behind its 14 bytes.
struct SeveralFrames {
  std::vector<WalkedFrame> parts;
};

[[noreturn]] inline void not_ip() { throw IgnoredFrame{Ignored::not_ip}; }

// What walks throws IgnoredFrame. Offsets count from where the descent stands.
class Descent {
 public:
  // The frame must outlive the descent, which notes in it what it meets.
  Descent(WalkedFrame& frame, int64_t at) : frame_(&frame), at_(at) {}

  uint8_t u8(int64_t offset) const { return frame_->bytes.u8(at_ + offset); }
  uint16_t u16(int64_t offset) const { return frame_->bytes.u16(at_ + offset); }
  uint32_t u32(int64_t offset) const { return frame_->bytes.u32(at_ + offset); }
  uint16_t little_u16(int64_t offset) const { return frame_->bytes.little_u16(at_ + offset); }
  uint32_t little_u32(int64_t offset) const { return frame_->bytes.little_u32(at_ + offset); }
  bool matches(int64_t offset, std::initializer_list<uint8_t> pattern) const {
    return frame_->bytes.matches(at_ + offset, pattern);
  }

  Descent& skip(int64_t count) {
    at_ += count;
    return *this;
  }

  IpPlace found(int version) const { return {version, at_}; }
  IpPlace by_version();              // IP, of the version that its first four bits say
  IpPlace ethernet();                // two addresses, EtherType
  IpPlace ethertype(uint16_t kind);  // what an EtherType, or an 802.3 length, announced
  IpPlace mpls();
  IpPlace nsh();
  IpPlace next_protocol(uint8_t number);  // as of NSH
  IpPlace ppp();
  IpPlace llc();
  IpPlace snap();  // behind LLC: OUI and what it says of the next 2 bytes

  // By their lengths MSDUs that begin here end with the frame, or a little before.
  bool msdus_fill_frame() const;
  [[noreturn]] void split_msdus() const;

 private:
  void one_deeper();
  bool is_isl() const;
  std::optional<int64_t> tag_size(uint16_t kind) const;
  bool is_ip_in_ethernet() const;
  IpPlace multilink();

  WalkedFrame* frame_;
  int64_t at_;
};

}  // namespace reference
