// Unpacks a compressed file into chunks of memory, on a thread of its own, a few chunks ahead of whoever takes them: so
// unpacking overlaps with what is done with the bytes, and a small file that unpacks to a huge one takes no memory.
//
// The first chunk is small and made at once, without a thread: many files are only looked at.
//
// Threads: start() and next() by one at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "packet/file/buffer_pool.h"
#include "packet/file/byte_source.h"
#include "packet/file/unpacker.h"

namespace warpmeter::inline packet {

class Unpacking {
 public:
  static constexpr std::size_t kFirstBytes = 16 << 10;
  static constexpr std::size_t kChunkBytes = 128 << 10;
  // Before the bytes of a chunk its buffer has room for what is left of the chunk before.
  static constexpr std::size_t kRoomBefore = 64 << 10;
  // Chunks that wait to be taken.
  static constexpr std::size_t kAhead = 32;

  struct Chunk {
    std::shared_ptr<Buffer> buffer;
    std::size_t size = 0;        // bytes, from kRoomBefore on
    std::uint64_t consumed = 0;  // bytes of the compressed file, until here
    bool last = false;
    std::string broken;          // with `last`: why the bytes ended before their time
    std::exception_ptr failure;  // with `last`: the compressed file could not be read
  };

  Unpacking(std::unique_ptr<ByteSource> packed, std::unique_ptr<Unpacker> unpacker);
  ~Unpacking();
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  // Starts the thread, if it is not running and there is more than the first chunk.
  void start();

  // From here on without a thread (unless there is one) and in small chunks: very many files are unpacked at once.
  void park();

  // Waits for the next chunk; not to be called after the last one.
  Chunk next();

  std::uint64_t packed_size() const { return packed_size_; }
  BufferPool& buffers() { return *pool_; }

 private:
  void run();
  bool push(Chunk chunk);
  Chunk unpack(std::size_t most);
  void fill(Chunk& chunk, std::size_t most);
  std::string end_text() const;

  const std::unique_ptr<ByteSource> packed_;
  const std::unique_ptr<Unpacker> unpacker_;
  const std::uint64_t packed_size_;
  const std::shared_ptr<BufferPool> pool_;
  ByteSource::Leases borrowed_;  // of the packed bytes: nobody keeps any
  std::atomic<bool> abandoned_ = false;
  bool first_taken_ = false;
  bool parked_ = false;
  Chunk first_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Chunk> ready_;
  std::thread thread_;
};

}  // namespace warpmeter::inline packet
