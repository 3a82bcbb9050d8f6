// A compressed file as a ByteSource of what is in it: Unpacking makes chunks, on a thread of its own, and the window
// moves through them.
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

#include "core/thread_annotations.h"
#include "packet/file/buffer_pool.h"
#include "packet/file/byte_source.h"
#include "packet/file/unpacker.h"

namespace warpmeter::inline packet {

// Unpacks a compressed file into chunks of memory, on a thread of its own, a few chunks ahead of whoever takes them: so
// unpacking overlaps with what is done with the bytes, and a small file that unpacks to a huge one takes no memory.
//
// The first chunk is small and made at once, without a thread: many files are only looked at.
//
// Threads: start() and next() by one at a time.
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
  std::deque<Chunk> ready_ WARPMETER_GUARDED_BY(mutex_);
  std::thread thread_;
};

// Nothing is copied but what straddles two chunks.
class UnpackedSource : public ByteSource {
 public:
  // `format`: name of the compression, for messages.
  UnpackedSource(std::unique_ptr<ByteSource> packed, std::unique_ptr<Unpacker> unpacker, std::string format);

  void lend_to(Leases* leases) override;
  void park() override { unpacking_.park(); }
  std::uint64_t size() const override { return unpacking_.packed_size(); }
  std::uint64_t consumed() const override { return chunk_.consumed; }
  std::string broken() const override;
  std::string compression() const override { return format_; }
  void read_ahead() override { unpacking_.start(); }

 private:
  bool grow(std::size_t bytes) override;
  void show(Unpacking::Chunk next);
  void join(const Unpacking::Chunk& next);

  const std::string format_;
  Unpacking unpacking_;
  Unpacking::Chunk chunk_;          // the one that the window ends in
  std::shared_ptr<Buffer> buffer_;  // the window lies in it
  Leases* leases_ = nullptr;
};

// The source itself or, if it is compressed, what it unpacks to. `name` is for messages. Throws Error where this build
// cannot unpack it.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace warpmeter::inline packet
