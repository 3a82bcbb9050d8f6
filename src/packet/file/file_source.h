// A regular file as a ByteSource: read in pieces that stay in a core's cache, and ends where the file ends by the time
// it is read. Where the system gives no more of it, need() gives what came before and then throws ReadError.
#pragma once

#include <memory>
#include <string>

#include "packet/file/buffer_pool.h"
#include "packet/file/byte_source.h"
#include "packet/file/regular_file.h"

namespace warpmeter::inline packet {

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

}  // namespace warpmeter::inline packet
