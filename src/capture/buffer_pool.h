// Buffers for bytes that lie in no file of their own (from a pipe, unpacked): used again once no frame points into
// them.
//
// Threads: any. A buffer comes back from whichever thread lets go of the last share of it, perhaps after the pool's
// owner has gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace warpmeter {

struct Buffer {
  explicit Buffer(std::size_t bytes) : data(new std::uint8_t[bytes]), size(bytes) {}
  const std::unique_ptr<std::uint8_t[]> data;  // not initialized
  const std::size_t size;                      // bytes
};

class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  // `usual`: the size of the buffers that are kept for later, in bytes.
  explicit BufferPool(std::size_t usual) : usual_(usual) {}

  // At least `size` bytes.
  std::shared_ptr<Buffer> take(std::size_t size);

 private:
  void give_back(Buffer* buffer);

  const std::size_t usual_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> free_;
};

}  // namespace warpmeter
