// Files as they lie on the disk, and what comes through a pipe, as ByteSources: read in pieces that stay in a core's
// cache. Where the system gives no more, need() gives what came before and then throws ReadError.
#pragma once

#include <memory>
#include <string>

#include "base/files/descriptor.h"
#include "packet/file/buffer_pool.h"
#include "packet/file/byte_source.h"
#include "packet/file/regular_file.h"

namespace warpmeter::inline packet {

// A regular file: it ends where the file ends by the time it is read.
class FileSource : public ByteSource {
 public:
  // From byte `begin` on, which is not behind the end. `name`: for messages.
  FileSource(std::string name, std::shared_ptr<const RegularFile> file, std::uint64_t begin);

  void lend_to(Leases* leases) override;
  std::uint64_t size() const override { return file_->size(); }
  std::string broken() const override { return file_->problem(); }
  bool grew() const override { return file_->grew(); }
  void read_ahead() override;
  bool skip(std::uint64_t bytes) override;
  void park() override;
  std::shared_ptr<const RegularFile> file() const override { return file_; }

 private:
  bool grow(std::size_t bytes) override;

  const std::string name_;
  const std::shared_ptr<const RegularFile> file_;
  std::shared_ptr<Buffer> buffer_;  // the window lies in it
  bool sparing_ = false;            // many files are read at once
  Leases* leases_ = nullptr;
};

// Standard input, a named pipe or anything else that is no regular file.
class PipeSource : public ByteSource {
 public:
  // `name` is for messages. `stop` must outlive the source.
  PipeSource(Descriptor pipe, std::string name, const std::atomic<bool>& stop);

  void lend_to(Leases* leases) override;
  std::uint64_t size() const override { return 0; }
  void abandon() override { abandoned_.store(true, std::memory_order_relaxed); }

 private:
  bool grow(std::size_t bytes) override;
  void move_to_new_buffer(std::size_t bytes);
  std::size_t read_some(std::uint8_t* to, std::size_t room);  // 0 at the end

  const Descriptor pipe_;
  const std::string name_;
  const std::atomic<bool>& stop_;
  std::atomic<bool> abandoned_ = false;
  bool ended_ = false;  // a terminal would be read on behind its Ctrl-D
  const std::shared_ptr<BufferPool> pool_;
  std::shared_ptr<Buffer> buffer_;
  Leases* leases_ = nullptr;
};

}  // namespace warpmeter::inline packet
