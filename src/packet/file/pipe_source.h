// Standard input, a named pipe or anything else that is no regular file, as a ByteSource.
#pragma once

#include "packet/file/buffer_pool.h"
#include "packet/file/byte_source.h"

namespace warpmeter::inline packet {

class PipeSource : public ByteSource {
 public:
  // Takes over `fd`. `name` is for messages. `stop` must outlive the source.
  PipeSource(int fd, std::string name, const std::atomic<bool>& stop);
  ~PipeSource() override;

  void lend_to(Leases* leases) override;
  std::uint64_t size() const override { return 0; }
  void abandon() override { abandoned_.store(true, std::memory_order_relaxed); }

 private:
  bool grow(std::size_t bytes) override;
  void move_to_new_buffer(std::size_t bytes);
  std::size_t read_some(std::uint8_t* to, std::size_t room);  // 0 at the end

  const int fd_;
  const std::string name_;
  const std::atomic<bool>& stop_;
  std::atomic<bool> abandoned_ = false;
  bool ended_ = false;  // a terminal would be read on behind its Ctrl-D
  const std::shared_ptr<BufferPool> pool_;
  std::shared_ptr<Buffer> buffer_;
  Leases* leases_ = nullptr;
};

}  // namespace warpmeter::inline packet
