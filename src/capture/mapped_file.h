// A regular file as a ByteSource: mapped once, whole. Pages that lie well behind are given back, so that the resident
// size stays flat however large the file is. A file that shrinks ends where it now ends; that is looked at in
// lend_to().
#pragma once

#include "capture/byte_source.h"
#include "capture/pages_behind.h"

namespace warpmeter {

class MappedFile : public ByteSource {
 public:
  // Does not take over `fd`. Null if the file cannot be mapped (it may still be readable).
  static std::unique_ptr<MappedFile> map(int fd, std::uint64_t size);

  void lend_to(Owners* owners) override;
  std::uint64_t size() const override;
  std::string broken() const override;
  bool grew() const override;
  void read_ahead() override;
  std::shared_ptr<const FileMapping> mapping() const override { return mapping_; }

 private:
  explicit MappedFile(std::shared_ptr<const FileMapping> mapping);
  bool grow(std::size_t) override { return false; }

  const std::shared_ptr<const FileMapping> mapping_;
  PagesBehind behind_;
};

}  // namespace warpmeter
