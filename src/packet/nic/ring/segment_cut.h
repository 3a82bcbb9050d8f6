// A frame of several segments, as TSO leaves it to an interface to cut and GRO puts together: where the kernel tells
// how much of it is a segment, it is cut into the frames of the wire, as the interface does it, but for checksums.
//
// Source: Documentation/networking/segmentation-offloads.rst of Linux; RFC 3168, section 6.1.2, about CWR.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

struct SegmentSize {
  std::uint16_t bytes = 0;  // of payload
  bool is_udp = false;      // else TCP
};

class SegmentCut {
 public:
  // Below this a frame is left as it is: no host sends such, and one frame of 64 KiB were thousands then.
  static constexpr std::uint32_t kLeastSize = 32;

  // None: it has one segment, or something before TCP and UDP that is not known here, as a tunnel.
  static std::optional<SegmentCut> of(const Frame& whole, SegmentSize size);

  std::uint32_t segments() const { return (payload_ + size_ - 1) / size_; }
  // Bytes for all of them, and where in these a segment lies, from 0 on.
  std::size_t room() const { return place(segments()); }
  std::size_t place(std::uint32_t number) const { return std::size_t{number} * (headers_ + size_); }
  // A segment of the frame that this was made of, with its captured bytes at `to`.
  Frame segment(const Frame& whole, std::uint32_t number, std::uint8_t* to) const;

 private:
  SegmentCut() = default;

  bool is_udp_ = false, is_ipv6_ = false;
  std::uint32_t ip_ = 0, transport_ = 0, headers_ = 0;  // where IP and TCP or UDP begin; bytes of all headers
  std::uint32_t payload_ = 0, size_ = 0;                // bytes: of all, of a segment
};

}  // namespace warpmeter::inline packet
