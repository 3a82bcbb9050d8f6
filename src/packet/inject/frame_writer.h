// Gives frames to the kernel through a descriptor that takes them with a virtio_net_hdr before each: a TAP device's, or
// a packet socket's. It waits for room for a bounded time, and counts what became of each frame.
//
// Source: tun.c and packet(7), PACKET_VNET_HDR, of Linux.
//
// Threads: one; counts() by any.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/files/descriptor.h"
#include "packet/nic/ring/network_interface.h"
#include "packet/nic/ring/packet_header.h"

namespace warpmeter::inline packet {

// Frames, of which one that is to be cut is one; bytes with their link headers.
struct WriteCounts {
  std::uint64_t frames = 0, bytes = 0;
  // Dropped: there was no room, the device was down, the kernel did not take them.
  std::uint64_t full = 0, down = 0, refused = 0;
};

class FrameWriter {
 public:
  static constexpr int kPatienceMs = 100;  // for room, since the last frame was taken

  // `fd` is lent, and does not block. `name`: of the device, for people.
  FrameWriter(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  // Throws Error: there is no such device any more.
  void write(const VnetHeader& header, const std::uint8_t* frame, std::size_t bytes);
  // `pieces`: of the frame, behind an element that is this function's.
  void write(const VnetHeader& header, std::span<iovec> pieces);

  // A frame that nobody could take is not even tried.
  void refuse();

  WriteCounts counts() const;

 private:
  void count_failure(int error);

  const int fd_;
  const std::string name_;
  bool has_patience_ = true;  // false: none came of waiting the last time
  std::atomic<std::uint64_t> frames_ = 0, bytes_ = 0, full_ = 0, down_ = 0, refused_ = 0;
};

// A packet socket that sends frames out of an interface, with a virtio_net_hdr before each, and gets none. What is to
// be cut, the interface cuts, or the kernel before it: no frame that is longer than the wire allows leaves it.
//
// Source: packet(7), PACKET_VNET_HDR.
//
// Threads: any.

// For a FrameWriter: it does not block. Throws Error.
Descriptor open_wire_socket(const NetworkInterface& interface);

// Whoever forwards what comes in by an interface claims it first: it is his in this network namespace until the socket
// is closed, or its process ends. Throws Error, also where it is claimed already.
Descriptor claim_wire(const NetworkInterface& interface);

}  // namespace warpmeter::inline packet
