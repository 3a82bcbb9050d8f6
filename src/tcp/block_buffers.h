// Memory that the bytes of lists lie in, in size classes: a list starts small and grows, so that many small streams
// take little. What is given back is used again, the latest first, which is likely to be in the cache: so the shards of
// one owner share it.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <vector>

namespace warpmeter {

class BlockBuffers {
 public:
  // `block_size`: of the blocks, bytes. Buffers lie in `memory`, which must outlive it.
  BlockBuffers(std::uint32_t block_size, std::pmr::memory_resource& memory);
  // With all buffers, also those that nobody gave back: of connections that a run has left.
  ~BlockBuffers();
  BlockBuffers(const BlockBuffers&) = delete;
  BlockBuffers& operator=(const BlockBuffers&) = delete;

  // The smallest room that holds so many bytes.
  std::size_t room_for(std::size_t bytes) const;
  // Room of a block, and of the segment that fills it.
  std::size_t block_room() const { return block_room_; }

  // `room`: as room_for() gave it. Throws std::bad_alloc.
  std::uint8_t* take(std::size_t room);
  void give_back(std::uint8_t* buffer, std::size_t room);

 private:
  static constexpr std::size_t kSlab = 16 << 10;
  struct SizeClass {
    std::size_t room;
    std::vector<std::uint8_t*> free;
  };

  SizeClass* class_of(std::size_t room);
  void refill(SizeClass& size_class);
  std::uint8_t* take_large(std::size_t room);

  struct Slab {
    std::uint8_t* data;
    std::size_t size;
  };

  std::pmr::memory_resource& memory_;
  std::size_t block_room_;
  std::vector<SizeClass> classes_;  // ascending; what is larger comes from the heap
  std::vector<Slab> slabs_;
  std::unordered_map<const std::uint8_t*, std::unique_ptr<std::uint8_t[]>> large_;
};

}  // namespace warpmeter
