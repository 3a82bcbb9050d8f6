// Memory that the bytes of lists lie in, in size classes: a list starts small and grows, so that many small streams
// take little. What was given back a moment ago is used again first, as it is likely to be in the cache: so the shards
// of one owner share it.
//
// Buffers are cut out of slabs, which go from class to class: who has used buffers of one size has room for those of
// another. Of slabs that nobody uses some stay; the others' pages go back to the system, while their addresses stay.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <vector>

namespace warpmeter::inline stream {

class BlockBuffers {
 public:
  struct Buffer {
    std::uint8_t* data = nullptr;
    std::uint32_t room = 0;
    std::uint32_t slab = 0;  // that it is of
  };

  // `block_size`: of the blocks, bytes. Buffers lie in `memory`, which must outlive it. `most_free`: bytes of slabs
  // that stay although nobody uses them.
  BlockBuffers(std::uint32_t block_size, std::pmr::memory_resource& memory,
               std::size_t most_free = std::numeric_limits<std::size_t>::max());
  // With all buffers, also those that nobody gave back: of connections that a run has left.
  ~BlockBuffers();
  BlockBuffers(const BlockBuffers&) = delete;
  BlockBuffers& operator=(const BlockBuffers&) = delete;

  // Room of a block, and of the segment that fills it.
  std::size_t block_room() const { return classes_.back().room; }

  // The smallest that holds so many bytes. Throws std::bad_alloc.
  Buffer take(std::size_t bytes);
  void give_back(const Buffer& buffer);

  // Bytes of slabs that are in use, or free and in memory.
  std::size_t resident() const { return resident_; }

 private:
  static constexpr std::size_t kSlab = 20 << 10;
  // Slabs of one size: of the classes that share a slab, or of a larger one.
  struct Free {
    std::vector<std::uint32_t> resident, gone;
  };
  struct SizeClass {
    std::size_t room, slab_bytes;
    std::uint32_t in_slab;  // buffers
    std::size_t most_recent;
    Free* free;
    std::vector<Buffer> recent;       // given back, the latest last; for their slabs they are in use
    std::vector<std::uint32_t> open;  // slabs that have free buffers, and others that are in use
  };
  struct Slab {
    std::uint8_t* data;
    std::size_t bytes;
    std::uint64_t free;    // buffers, a bit for each
    std::uint32_t place;   // in `open` of its class
    std::uint32_t unused;  // buffers
  };

  SizeClass* class_for(std::size_t bytes);
  std::uint32_t begin_slab(SizeClass& size_class);
  void end_slab(SizeClass& size_class, std::uint32_t number);
  void open(SizeClass& size_class, std::uint32_t number);
  void close(SizeClass& size_class, std::uint32_t number);
  Buffer take_large(std::size_t bytes);
  void give_to_slab(SizeClass& size_class, const Buffer& buffer);

  std::pmr::memory_resource& memory_;
  const std::size_t most_free_;
  std::vector<SizeClass> classes_;              // ascending; what is larger comes from the heap
  std::unordered_map<std::size_t, Free> free_;  // by bytes of slabs
  std::vector<Slab> slabs_;
  std::size_t free_bytes_ = 0, resident_ = 0;
  std::unordered_map<const std::uint8_t*, std::unique_ptr<std::uint8_t[]>> large_;
};

}  // namespace warpmeter::inline stream
