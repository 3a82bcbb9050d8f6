// An AF_XDP socket of one RX queue, with the memory that frames are put into, and its two rings in memory that the
// kernel shares: descriptors of frames come in by one, free chunks go back by the other.
//
// Source: Documentation/networking/af_xdp.rst of Linux, linux/if_xdp.h.
//
// Threads: one at a time; lost() and waiting() from any.
#pragma once

#include <linux/if_xdp.h>

#include <cstddef>
#include <cstdint>

#include "base/files/descriptor.h"

namespace warpmeter::inline packet {

// The memory that an AF_XDP socket puts frames into (its UMEM): chunks of one size, in huge pages where the system has
// some, which takes a fifth off what a frame costs the kernel and half off what it costs here. It does not change.
class FrameMemory {
 public:
  // Before a frame lie what drivers ask for, and our mark: with it in the same pair of cache lines as the frame's
  // headers.
  static constexpr std::size_t kDriverHeadroom = 256, kHeadroom = 16;

  // REQUIRES: `chunk` is a power of 2 from 2,048 to a page. Throws std::bad_alloc.
  FrameMemory(std::size_t chunks, std::size_t chunk);
  ~FrameMemory();
  FrameMemory(const FrameMemory&) = delete;
  FrameMemory& operator=(const FrameMemory&) = delete;

  std::uint8_t* at(std::uint64_t offset) const { return begin_ + offset; }
  std::uint64_t chunk_of(std::uint64_t offset) const { return offset & ~std::uint64_t{chunk_ - 1}; }
  std::size_t chunks() const { return chunks_; }
  std::size_t chunk() const { return chunk_; }
  std::size_t bytes() const { return chunks_ * chunk_; }
  // Bytes of a frame that go into a chunk.
  static constexpr std::size_t room_of(std::size_t chunk) { return chunk - kDriverHeadroom - kHeadroom; }

 private:
  const std::size_t chunks_, chunk_;
  void* mapped_ = nullptr;
  std::uint8_t* begin_ = nullptr;
};

// One of its rings. What this side counts is `here`, and the kernel's `there`, as far as it is known.
template <class Entry>
struct XdpQueue {
  std::uint32_t* producer = nullptr;
  std::uint32_t* consumer = nullptr;
  std::uint32_t* flags = nullptr;
  Entry* entries = nullptr;
  std::uint32_t mask = 0;
  void* mapped = nullptr;
  std::size_t mapped_bytes = 0;

  Entry& operator[](std::uint32_t number) const { return entries[number & mask]; }
};

// Frames since it was opened.
struct XdpLosses {
  std::uint64_t full = 0;      // found no chunk or no descriptor free
  std::uint64_t too_long = 0;  // for a chunk
};

struct XdpSocketPlace {
  int interface = 0;
  unsigned queue = 0;
  bool fragments = false;  // frames may be longer than a chunk, and come in several then (Linux 6.6)
};

class XdpSocket {
 public:
  static constexpr std::uint32_t kGoesOn = 1;  // in the options of a descriptor: the next one has more of the frame

  // All chunks of `memory`, which must outlive it, are the kernel's from then on. Throws std::system_error: EBUSY if
  // somebody else has this queue (and has had it for a second), ENOBUFS if so much memory may not be locked.
  XdpSocket(const FrameMemory& memory, const XdpSocketPlace& place);
  ~XdpSocket();
  XdpSocket(const XdpSocket&) = delete;
  XdpSocket& operator=(const XdpSocket&) = delete;

  int fd() const { return socket_.get(); }
  bool is_zero_copy() const { return zero_copy_; }

  // Descriptors that are there; they stay until they are taken.
  std::uint32_t available();
  const xdp_desc& descriptor(std::uint32_t number) const { return received_[taken_ + number]; }
  void take(std::uint32_t count);

  // Gives chunks back, by their offsets: any number of give(), then one publish().
  void give(std::uint64_t chunk) { free_[given_++] = chunk; }
  void publish();

  // Descriptors that are there, about. From any thread.
  std::uint32_t waiting() const;

  // Nothing where the kernel does not tell. Of frames that came just now one may be lost for the wrong reason.
  XdpLosses lost() const;

 private:
  void register_memory(const FrameMemory& memory);
  void make_queues(std::uint32_t size);
  void bind_to(const XdpSocketPlace& place);
  void unmap();

  Descriptor socket_;
  XdpQueue<xdp_desc> received_;
  XdpQueue<std::uint64_t> free_;
  std::uint32_t taken_ = 0, given_ = 0;
  bool zero_copy_ = false, fragments_ = false;
};

}  // namespace warpmeter::inline packet
